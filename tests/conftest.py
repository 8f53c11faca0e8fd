"""Settings of every test: property tests measure no time, and in CI they always try the same examples."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.authority import authority

settings.register_profile("local", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("steady", settings.get_profile("local"), derandomize=True, database=None, print_blob=True)
# Whether an old version of a library can be called at all needs no search: make floor.
settings.register_profile("few", settings.get_profile("steady"), max_examples=10)
settings.load_profile("steady" if os.environ.get("CI") else "local")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the soak out unless the marker expression names it: a bare pytest takes no minutes."""
    if "soak" in config.option.markexpr:
        return
    left_out = [item for item in items if item.get_closest_marker("soak")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session", autouse=True)
def _no_wait_for_the_disk() -> Iterator[None]:
    """Write through to no disk: what a test leaves behind need not outlive the machine's power."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _few_authorities(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Trust one certificate in place of the machine's hundreds: every client loads them, and no test speaks TLS."""
    path = tmp_path_factory.mktemp("tls") / "authority.pem"
    path.write_bytes(authority())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(path))
        yield


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the user's own cache out of every test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("S3GYM_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
