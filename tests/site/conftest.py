"""A built site to look at, a server for it, and a browser to look with."""

import os
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from leaderboard.build import build_site
from scoring.results import Results
from tests.site.factory import few, make_results, realistic, site_entry

FLAGS = [
    *["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run"],
    *["--disable-background-networking", "--disable-component-update", "--disable-sync"],
]
"""A browser that needs no screen and looks for nothing outside."""


@pytest.fixture(scope="session")
def results() -> Results:
    return make_results(realistic())


@pytest.fixture(scope="session")
def site(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a built site; its parent is served, so that it lies below `/repo/`."""
    out = tmp_path_factory.mktemp("served") / "repo"
    build_site([site_entry(spec) for spec in realistic()], results, out)
    return out


@pytest.fixture(scope="session")
def few_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a built site with few entries, for what looks at every element."""
    out = tmp_path_factory.mktemp("few") / "site"
    build_site([site_entry(spec) for spec in few()], make_results(few()), out)
    return out


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return a browser; its driver runs a loop in this thread, so that no other could be run while it is there."""
    chromium = shutil.which("chromium")
    if chromium is None:
        if os.environ.get("S3GYM_REQUIRE_BROWSER") == "1":
            pytest.fail("S3GYM_REQUIRE_BROWSER=1, but there is no chromium on the path; install it")
        pytest.skip("no chromium on the path")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it so
        pass


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Return where the site is served, below a sub-path."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site.parent)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/repo/"
    server.shutdown()
    thread.join()
    server.server_close()
