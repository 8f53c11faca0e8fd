"""Collect ``bench_*.py``, which the test run leaves alone."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    named = parent.session.isinitpath(file_path)
    if file_path.suffix == ".py" and file_path.name.startswith("bench_") and not named:
        return pytest.Module.from_parent(parent, path=file_path)
    return None
