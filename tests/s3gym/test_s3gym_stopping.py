"""Ctrl-C in a real process: what was paid for is kept, and the same command goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.journal import JOURNAL
from tests.runner.faults import Received, Reply, ScriptedServer, completion, scripted

PROBES = 1
"""A run against an endpoint begins with a small request that is no step."""


@pytest.fixture
def stopped() -> threading.Event:
    """Whether the run was stopped."""
    return threading.Event()


@pytest.fixture
def slow(stopped: threading.Event) -> Iterator[ScriptedServer]:
    """An endpoint that answers its sixth request and those after it late, until the run was stopped."""
    count = 0
    lock = threading.Lock()

    def answer(request: Received) -> Reply:
        nonlocal count
        with lock:
            count += 1
            late = count > 5
        if late and not stopped.is_set():
            time.sleep(0.5)
        return completion("Answer: cheat, Score: 1")

    with scripted(answer) as server:
        yield server


def runner(folder: Path, server: ScriptedServer, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "s3gym", "run", "--model", "m", "--base-url", server.url, "--game", "trust"]
    command += ["--key", "keys/red.key", "--entry", "e", "--concurrency", "2", *more]
    env = {**os.environ, "NO_COLOR": "1", "COLUMNS": "200"}
    return subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def outcomes(folder: Path) -> int:
    path = folder / "runs" / "e" / JOURNAL
    return path.read_bytes().count(b'"kind":"outcome"') if path.is_file() else 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
def test_one_ctrl_c_waits_for_the_reply_under_way_and_the_same_command_goes_on(
    tmp_path: Path, slow: ScriptedServer, stopped: threading.Event
) -> None:
    subprocess.run([sys.executable, "-m", "s3gym", "keygen", "red"], cwd=tmp_path, check=True, capture_output=True)
    playing = runner(tmp_path, slow)
    while len(slow.received) < 7:
        assert playing.poll() is None, playing.communicate()
        time.sleep(0.01)
    playing.send_signal(signal.SIGINT)
    _, told = playing.communicate(timeout=60)
    assert playing.returncode == 130, told
    assert "waiting for the replies under way" in told
    assert "same command" in told
    assert outcomes(tmp_path) + PROBES == len(slow.received)
    stopped.set()
    asked = [str(request.body["messages"]) for request in slow.received]
    again = runner(tmp_path, slow)
    _, told = again.communicate(timeout=120)
    assert again.returncode == 0, told
    later = [str(request.body["messages"]) for request in slow.received[len(asked) :]]
    assert len(later) == 4 * 8 + PROBES - len(asked)
