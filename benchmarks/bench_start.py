"""How long a version, the list of commands and a help text take, in processor time of a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

BOUND = 0.3
"""Seconds of processor time; the machine that docs/reference/speed.md names keeps it while it does nothing else."""
SETTINGS_BOUND = 0.4
"""The same for the flags that are made of the settings: pydantic is imported for them, and they fill three screens."""


def _children() -> float:
    """Return the processor time of the processes that were waited for, in seconds."""
    times = os.times()
    return times.children_user + times.children_system


@pytest.mark.parametrize(
    "words", ["--version", "--help", "verify --help", "run --help", "games --help", "registry --help"]
)
@pytest.mark.benchmark(timer=_children, min_rounds=5, disable_gc=False)
def test_what_a_start_takes(benchmark: BenchmarkFixture, words: str) -> None:
    command = [sys.executable, "-m", "s3gym", *words.split()]
    benchmark.pedantic(subprocess.run, (command,), {"check": True, "capture_output": True}, rounds=9)
    if benchmark.stats is not None:
        assert benchmark.stats.stats.median < (SETTINGS_BOUND if words == "run --help" else BOUND)
