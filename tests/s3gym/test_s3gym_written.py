"""Files that a user asks for, and a site that is served though its build stopped."""

from __future__ import annotations

import json
import os
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from leaderboard.output import MANIFEST, write_tree
from s3gym.output import write_file
from tests.s3gym.face import Face


def test_a_file_that_is_asked_for_is_replaced_whole(tmp_path: Path) -> None:
    for text in ("one", "another"):
        write_file(tmp_path / "report.md", text)
        assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"report.md": text}


def test_a_link_is_written_through_and_stays(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_file(tmp_path / "link", b"content")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"content"


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe, found = tmp_path / "pipe", list[bytes]()
    os.mkfifo(pipe)
    reader = Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_file(pipe, "content")
    reader.join(timeout=30)
    assert found == [b"content"]
    assert pipe.is_fifo()


def test_a_site_of_two_builds_is_served_with_a_warning(face: Face, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ThreadingHTTPServer, "serve_forever", ended)
    site = Path("site")
    write_tree(site, {"index.html": lambda: b"page"})
    whole = face("site", "serve", "--site", "site", "--port", "0")
    assert whole.exit_code == 0, whole.output
    assert "warning" not in whole.output
    told = json.loads((site / MANIFEST).read_text()) | {"whole": False}
    (site / MANIFEST).write_text(json.dumps(told))
    stopped = face("site", "serve", "--site", "site", "--port", "0")
    assert stopped.exit_code == 0, stopped.output
    assert "pages are of two builds; run: s3gym site build" in stopped.output
