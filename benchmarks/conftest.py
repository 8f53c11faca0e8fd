"""Collect ``bench_*.py``, which the test run leaves alone, and print what a table of times cannot show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

TOLD = pytest.StashKey[list[str]]()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    named = parent.session.isinitpath(file_path)
    if file_path.suffix == ".py" and file_path.name.startswith("bench_") and not named:
        return pytest.Module.from_parent(parent, path=file_path)
    return None


@pytest.fixture
def tell(pytestconfig: pytest.Config) -> Callable[[str], None]:
    """Return a function that keeps a line for the end of the run."""
    return pytestconfig.stash.setdefault(TOLD, []).append


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    lines = config.stash.get(TOLD, [])
    if lines:
        terminalreporter.section("told by the benchmarks")
    for line in lines:
        terminalreporter.write_line(line)
