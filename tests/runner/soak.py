"""Plays whole entries through a storm, in sittings that are killed, and compares them with a fair day's."""

from __future__ import annotations

import asyncio
import logging
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from games.registry import GAMES
from protocol.context import Pathway
from protocol.decoding import decoding_at
from protocol.messages import Message
from protocol.preset import preset_named
from protocol.signing import generate_key, load_key, team_key, write_team_key
from runner.entry import Plan, play_entry
from runner.models.builtin import Builtin
from runner.models.model import Answer, FaultKind, TransportFaultError
from runner.models.openai_chat import OpenAIChat
from runner.probing import PROBE
from runner.retry import Asker, PauseRunError
from runner.together import Seats
from scoring.registry import Registry
from scoring.verify import verify
from tests.bundles import Unwatched
from tests.runner.audit import check_ahead, check_costs, check_paid, read_books
from tests.runner.hasty import hurry
from tests.runner.scripted import uncompressed
from tests.runner.stormy import Count, Stage, Stormy
from tests.runner.weather import FAULTS, POOR, Storm

ROOT = Path(__file__).resolve().parents[2]
MOST_PAUSES = 60
STAGES: tuple[Stage, ...] = ("received", "half sent", "sent")
log = logging.getLogger("soak")


class Limited(Builtin):
    """A built-in model that refuses prompts of more characters than a limit."""

    def __init__(self, name: str, largest: int | None) -> None:
        super().__init__(name)
        self._largest = largest

    async def ask(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        if self._largest is not None and sum(len(each.content) for each in messages) > self._largest:
            raise TransportFaultError(FaultKind.OVERFLOW, "too long")
        return self.answer(messages, max_tokens)


@dataclass(frozen=True)
class Soak:
    """One entry and what it goes through."""

    protocol: str
    pathway: Pathway
    model: str = "greedy"
    kills: int = 4
    concurrency: int = 16
    seed: int = 1
    storm: Storm = Storm(1)  # noqa: RUF009  # frozen
    timeout: float = 30.0
    largest: int | None = None
    """Characters of the longest prompt that the endpoint takes."""
    games: tuple[str, ...] = tuple(game.id for game in GAMES)

    @property
    def plan(self) -> Plan:
        preset = preset_named(self.protocol)
        return Plan(
            entry="soak",
            team="red",
            model="greedy",
            preset=preset,
            games=tuple(game for game in self.games if game in preset.games),
            pathway=self.pathway,
            decoding=decoding_at(preset.temperature),
        )


class Place:
    """A folder with a registered team and one run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        pem = generate_key()
        self.key = load_key(pem)
        self.key_file = folder / "red.key"
        self.keys = folder / "registered"
        self.keys.mkdir(parents=True)
        self.key_file.write_bytes(pem)
        (self.keys / "red.json").write_bytes(write_team_key(team_key("red", self.key)))
        self.run = folder / "run"


class Cutter:
    """Cuts a sitting off when a request has come to a stage for the n-th time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._left = 0
        self._stage: Stage = "received"
        self._cut: Callable[[], None] = lambda: None

    def arm(self, stage: Stage, after: int, cut: Callable[[], None]) -> None:
        with self._lock:
            self._stage, self._left, self._cut = stage, after, cut

    def __call__(self, stage: Stage, digest: str) -> None:
        with self._lock:
            if stage != self._stage or self._left == 0:
                return
            self._left -= 1
            if self._left == 0:
                self._cut()


class Sitting(Protocol):
    """Plays on until the end, a pause or a cut; returns the exit code of ``s3gym run`` or less than 0 for a cut."""

    def __call__(self, soak: Soak, place: Place, endpoint: Stormy, arm: Callable[[Callable[[], None]], None]) -> int:
        """Play."""


def in_a_process(soak: Soak, place: Place, endpoint: Stormy, arm: Callable[[Callable[[], None]], None]) -> int:
    """Run ``s3gym run`` in a process of its own; a cut is a kill -9."""
    plan = soak.plan
    command = [sys.executable, "-m", "tests.runner.hasty", "run", "--model", plan.model, "--base-url", endpoint.url]
    command += ["--protocol", soak.protocol, "--pathway", soak.pathway, "--entry", plan.entry, "--out", str(place.run)]
    command += ["--key", str(place.key_file), "--team", plan.team, "--concurrency", str(soak.concurrency)]
    command += ["--timeout", str(soak.timeout), "--yes", *(word for game in plan.games for word in ("--game", game))]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        arm(process.kill)
        told, _ = process.communicate()
    assert process.returncode in (0, 3) or process.returncode < 0, told
    log.debug("%s", told)
    return process.returncode


def in_this_process(soak: Soak, place: Place, endpoint: Stormy, arm: Callable[[Callable[[], None]], None]) -> int:
    """Play here; a cut cancels everything that is under way, as the second Ctrl-C does."""

    async def sitting() -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None

        def cut() -> None:
            loop.call_soon_threadsafe(task.cancel)

        arm(cut)
        model = OpenAIChat(endpoint.url, soak.plan.model, decoding=soak.plan.decoding, timeout=soak.timeout)
        try:
            asker = Asker(sleep=hurry)
            await play_entry(soak.plan, model, place.run, place.key, Unwatched(), asker, seats=Seats(soak.concurrency))
        finally:
            await model.close()

    try:
        asyncio.run(sitting())
    except PauseRunError:
        return 3
    except asyncio.CancelledError:
        return -1
    return 0


@dataclass
class Story:
    """What happened."""

    seconds: float = 0.0
    sittings: int = 0
    cuts: int = 0
    pauses: int = 0


def figures(story: Story, count: Count) -> str:
    """Return what happened in words."""
    faults = sum(count.weather[each] for each in FAULTS)
    poor = sum(count.weather[each] for each in POOR)
    requests = count.received.total()
    return (
        f"{requests} requests, {faults} faults and {poor} poor replies ({(faults + poor) / requests:.1%}), "
        f"{count.overflows} overflows, {story.cuts} cuts, {story.pauses} pauses, {story.seconds:.0f} s; "
        + ", ".join(f"{weather} {times}" for weather, times in count.weather.most_common())
    )


def fair_day(soak: Soak, folder: Path) -> dict[str, bytes]:
    """Return the episodes and memories of the same entry without HTTP, faults, cuts or concurrency."""
    place = Place(folder)
    model = Limited(soak.model, soak.largest)
    finished = asyncio.run(play_entry(soak.plan, model, place.run, place.key, Unwatched(), Asker()))
    return uncompressed(finished.bundle)


def weather_through(soak: Soak, sitting: Sitting, folder: Path) -> Story:
    """Play an entry on a fair day and through the storm, and check that nothing tells them apart."""
    began = time.monotonic()
    expected = fair_day(soak, folder / "fair")
    steps = len(read_books(folder / "fair" / "run").outcomes)
    log.info("%s %s: %d replies, fair in %.0f s", soak.protocol, soak.pathway, steps, time.monotonic() - began)
    place, cutter, story = Place(folder / "stormy"), Cutter(), Story()
    draws = random.Random(soak.seed)
    began = time.monotonic()
    with Stormy(soak.model, soak.storm, largest=soak.largest, watch=cutter) as endpoint:
        while True:
            planned = story.cuts < soak.kills
            stage, after = draws.choice(STAGES), draws.randint(1, steps // (soak.kills + 1))

            def arm(cut: Callable[[], None], stage: Stage = stage, after: int = after if planned else 0) -> None:
                cutter.arm(stage, after, cut)

            code = sitting(soak, place, endpoint, arm)
            story.sittings += 1
            story.cuts += code < 0
            story.pauses += code == 3
            assert story.pauses <= MOST_PAUSES, "no way through"
            check_ahead(place.run, endpoint.count)
            check_paid(place.run, endpoint.count, story.cuts * soak.concurrency)
            assert (place.run / "bundle").exists() == (code == 0)
            if code == 0:
                break
        count = endpoint.count
    story.seconds = time.monotonic() - began
    assert story.cuts == soak.kills
    assert (count.overflows > 0) == (soak.largest is not None)
    log.info("%s %s: %s", soak.protocol, soak.pathway, figures(story, count))
    bundle = place.run / "bundle"
    assert uncompressed(bundle) == expected
    check_costs(place.run)
    verified = verify(bundle, Registry(place.keys))
    asked = read_books(place.run).asked
    assert verified.manifest.totals.requests == asked.total() - asked[PROBE]
    assert asked.total() >= count.received.total()
    return story
