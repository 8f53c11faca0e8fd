"""Who works makes no difference to a report; nobody opens a socket; work that takes too long refuses nothing."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from protocol.context import Pathway
from scoring.crew import Alone, Tick, Workers
from scoring.registry import Registry
from scoring.report import Report
from scoring.verify import RefusedError, verify
from tests.bundles import KEY, Board
from tests.scoring.forge import Change, Parts, forge

ROOT = Path(__file__).resolve().parents[2]


def wrong_rewards(parts: Parts) -> None:
    for game in ("snake", "trust"):
        for phase in ("explore", "strict"):
            for index in range(4):
                parts.step(index, phase=phase, game=game).update(reward=7.0)


def wrong_prompts(parts: Parts) -> None:
    parts.step(game="trust").update(context="0" * 64)
    parts.step(game="snake").update(context="1" * 64)


def report_of(folder: Path, board: Board, workers: int) -> Report:
    crew = Workers(workers) if workers else Alone()
    try:
        return verify(folder, Registry(board.keys), crew=crew).report
    except RefusedError as refusal:
        return refusal.report


@pytest.mark.parametrize("change", [None, wrong_rewards, wrong_prompts])
@pytest.mark.parametrize("pathway", ["history", "summary"])
def test_the_report_is_the_same_whoever_works(
    board: Board, tmp_path: Path, pathway: Pathway, change: Change | None
) -> None:
    folder = forge(board.bundle(pathway), tmp_path / "b", KEY, change or (lambda parts: None))
    assert report_of(folder, board, 2).to_json() == report_of(folder, board, 0).to_json()


def test_what_is_verified_is_the_same_whoever_works(board: Board) -> None:
    bundle = board.bundle("summary")
    alone, together = verify(bundle, Registry(board.keys)), verify(bundle, Registry(board.keys), crew=Workers(2))
    assert together == alone


@pytest.mark.parametrize("count", [0, -1, 65])
def test_the_number_of_workers_is_bounded(count: int) -> None:
    with pytest.raises(ValueError, match="expected 1 to 64"):
        Workers(count)


def _refuse(job: str, tick: Tick) -> str:
    raise ValueError(f"no {job}")


def _vanish(job: str, tick: Tick) -> str:
    os._exit(1)


def _wait_for_ever(job: str, tick: Tick) -> str:
    while True:
        Path(job).touch()


def test_an_error_of_a_worker_is_an_error_here() -> None:
    with pytest.raises(ValueError, match="no job"):
        list(Workers(1).results(_refuse, ["job"], lambda: None))


def test_a_worker_that_vanishes_is_told_of() -> None:
    with pytest.raises(OSError, match="ended before its work was done"):
        list(Workers(1).results(_vanish, ["job"], lambda: None))


def test_work_that_is_broken_off_leaves_no_process_behind(tmp_path: Path) -> None:
    started = tmp_path / "started"

    def tick() -> None:
        if started.exists():
            raise InterruptedError

    with pytest.raises(InterruptedError):
        list(Workers(1).results(_wait_for_ever, [str(started)], tick))
    started.unlink()
    assert not started.exists()


class EnoughTimeError(Exception):
    """The time is over."""


def ticks_until(board: Board, allowed: int) -> int:
    """Verify a bundle and return how often the time was asked for; after so many times it is over."""
    ticks = 0

    def tick() -> None:
        nonlocal ticks
        ticks += 1
        if ticks > allowed:
            raise EnoughTimeError

    assert verify(board.bundle("history"), Registry(board.keys), tick=tick).report.verdict == "accepted"
    return ticks


def test_a_verification_that_is_broken_off_refuses_nothing(board: Board) -> None:
    """Wherever the time ends, what comes out is neither an acceptance nor a refusal."""
    every = ticks_until(board, 10**9)
    assert every > 20
    for allowed in range(0, every, 3):
        with pytest.raises(EnoughTimeError):
            ticks_until(board, allowed)


def test_verification_opens_no_socket(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = board.bundle("summary")

    class Refused(socket.socket):
        def __init__(self, *arguments: object, **options: object) -> None:
            raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", Refused)
    with pytest.raises(AssertionError, match="a socket was opened"):
        socket.create_connection(("127.0.0.1", 9))
    assert verify(bundle, Registry(board.keys)).report.verdict == "accepted"


WATCH = """
import os, sys
def hook(event, arguments):
    if event.startswith("socket."):
        with open(os.environ["SEEN"], "a") as file:
            file.write(event + "\\n")
with open(os.environ["SEEN"] + ".started", "a") as file:
    file.write("x")
sys.addaudithook(hook)
"""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_no_process_of_a_verification_opens_a_socket(board: Board, tmp_path: Path, workers: str) -> None:
    """Every process, workers included, starts with an audit hook that notes any use of sockets."""
    (tmp_path / "sitecustomize.py").write_text(WATCH)
    seen = tmp_path / "seen"
    paths = os.pathsep.join([str(tmp_path), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": paths, "SEEN": str(seen)}
    command = [sys.executable, "-m", "s3gym", "verify", str(board.bundle("history")), "--keys", str(board.keys)]
    done = subprocess.run(
        [*command, "--workers", workers], env=environment, capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "seen.started").read_text()) >= int(workers)
    assert not seen.exists(), seen.read_text()
