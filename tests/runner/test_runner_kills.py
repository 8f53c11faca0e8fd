"""kill -9, at chosen and at random moments: what is paid for is kept, and no kill draws a reply anew unseen."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from protocol.messages import Message
from runner.errors import JournalError
from runner.journal import Journal
from runner.models.model import Answer, Usage
from tests.runner.audit import check_ahead, check_costs, check_paid, read_books
from tests.runner.soak import ROOT, STAGES, Cutter, Place, Soak, in_a_process, in_this_process
from tests.runner.stormy import Stage, Stormy
from tests.runner.weather import Storm, Weather

QUICK = Storm(1, worst=0.02, never=frozenset([Weather.HANG, Weather.DRIP]))


class Numbered:
    """Plays always the same, and says so in other words each time: who asks again gets another reply."""

    def __init__(self) -> None:
        self._count = 0
        self._lock = threading.Lock()

    def answer(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        """Return the next reply."""
        with self._lock:
            self._count += 1
            return Answer(f"Reply {self._count}.\nAnswer: cheat, Score: 1", "stop", Usage(1, 1))


class Late:
    """Cuts a sitting off after so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.timer = threading.Timer(seconds, lambda: None)

    def __call__(self, cut: Callable[[], None]) -> None:
        self.timer = threading.Timer(self._seconds, cut)
        self.timer.start()


def never(cut: Callable[[], None]) -> None:
    """Cut nothing off."""


def test_every_request_is_in_the_journal_before_it_is_sent(tmp_path: Path) -> None:
    place, soak = Place(tmp_path), Soak("smoke-1", "summary")
    unknown: list[str] = []

    def watch(stage: Stage, digest: str) -> None:
        sent = endpoint.count.received[digest]
        if stage == "received" and read_books(place.run).prompts[digest] < sent:
            unknown.append(digest)

    with Stormy(schedule=QUICK, watch=watch) as endpoint:
        while in_this_process(soak, place, endpoint, never):
            pass
    assert unknown == []
    assert endpoint.count.received.total() > len(read_books(place.run).outcomes)


def test_a_kill_at_any_stage_of_a_request_loses_that_request_only_and_it_is_counted(tmp_path: Path) -> None:
    """Three kills: before the reply, in the middle of it, and when it is sent. Every reply is another one."""
    soak = Soak("smoke-1", "history", concurrency=1, games=("trust",))
    place, cutter, known = Place(tmp_path), Cutter(), dict[str, str | None]()
    books = read_books(place.run)
    stages: list[Stage | None] = [*STAGES, None]
    with Stormy(Numbered(), watch=cutter) as endpoint:
        for stage in stages:

            def arm(cut: Callable[[], None], stage: Stage | None = stage) -> None:
                if stage is not None:
                    cutter.arm(stage, 5, cut)

            code = in_a_process(soak, place, endpoint, arm)
            assert (code < 0) == (stage is not None)
            books = read_books(place.run)
            assert books.prompts == endpoint.count.received
            assert known.items() <= books.outcomes.items(), "a journaled reply is never drawn again"
            known = dict(books.outcomes)
    assert len(known) == 4 * 8
    times = Counter(books.asked[key] for key in known)
    assert times[2] in (2, 3), "a reply that is sent may be journaled before the kill"
    assert times == {1: 32 - times[2], 2: times[2]}
    check_costs(place.run)


def test_a_kill_while_an_endpoint_fails_is_no_failure_and_its_requests_stay_counted(tmp_path: Path) -> None:
    soak = Soak("smoke-1", "history", concurrency=1, games=("trust",))
    place, cutter, bad = Place(tmp_path), Cutter(), threading.Event()

    def weather(digest: str, sending: int) -> Weather:
        return Weather.SERVER if bad.is_set() else Weather.CLEAR

    def watch(stage: Stage, digest: str) -> None:
        if endpoint.count.received.total() == 11:
            bad.set()
        cutter(stage, digest)

    with Stormy(schedule=weather, watch=watch) as endpoint:
        code = in_this_process(soak, place, endpoint, lambda cut: cutter.arm("received", 14, cut))
        assert code < 0
        bad.clear()
        assert in_this_process(soak, place, endpoint, never) == 0
    books = read_books(place.run)
    assert None not in books.outcomes.values()
    assert sorted(books.asked.values())[-2:] == [1, 5]
    check_costs(place.run)


def test_an_endpoint_that_is_down_at_a_resume_pauses_the_run_and_afterwards_it_goes_on(tmp_path: Path) -> None:
    soak = Soak("smoke-1", "history", games=("trust",))
    place, cutter = Place(tmp_path), Cutter()
    with Stormy(watch=cutter) as endpoint:
        assert in_this_process(soak, place, endpoint, lambda cut: cutter.arm("sent", 9, cut)) < 0
        before = read_books(place.run)
        with endpoint.outage():
            assert in_this_process(soak, place, endpoint, never) == 3
        assert read_books(place.run).outcomes == before.outcomes
        assert in_this_process(soak, place, endpoint, never) == 0
    check_costs(place.run)


HOLDER = """
import sys, time
from pathlib import Path
from runner.journal import Journal
with Journal.open(Path(sys.argv[1]), {"entry": "e"}):
    print("held", flush=True)
    time.sleep(600)
"""


def test_RN_07_a_process_that_was_killed_holds_its_folder_no_longer(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"held"
        with pytest.raises(JournalError, match="another process is playing in it"):
            Journal.open(tmp_path, {"entry": "e"})
        process.kill()
    Journal.open(tmp_path, {"entry": "e"}).close()


@pytest.mark.soak
def test_many_kills_at_random_times_lose_nothing(tmp_path: Path) -> None:
    """Also while the interpreter starts, while the journal is read, while the bundle is written."""
    soak = Soak("smoke-1", "summary", concurrency=8, storm=Storm(8, odd=0.9, never=QUICK.never))
    place, draws, known, kills = Place(tmp_path), random.Random(9), dict[str, str | None](), 0
    with Stormy(Numbered(), soak.storm, slowness=0.2) as endpoint:
        # A kill that comes after the bundle has got its name leaves nothing to go on with.
        while not (place.run / "bundle").exists():
            # Later and later, so that there is an end on a slow machine too.
            late = Late(0.2 + (1.5 + kills / 4) * draws.random())
            code = in_a_process(soak, place, endpoint, late)
            late.timer.cancel()
            kills += code < 0
            check_ahead(place.run, endpoint.count)
            check_paid(place.run, endpoint.count, kills * soak.concurrency)
            books = read_books(place.run)
            assert known.items() <= books.outcomes.items()
            known = dict(books.outcomes)
    check_costs(place.run)
    assert kills >= 2
