"""Step 6: every reply is parsed again and played; action, self-score, reward, end and score must agree."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from operator import attrgetter
from typing import NamedTuple

from games.base import End, number
from games.play import Turn
from games.registry import game_named
from protocol.bundle import file_name
from protocol.errors import BundleError
from protocol.preset import Preset
from protocol.records import EpisodeRecord, Manifest, MemoryRecord
from protocol.schedule import episode_name
from protocol.strictjson import shown
from scoring.checks.contexts import Rebuild, Rebuilt
from scoring.checks.parsing import ParsedRun
from scoring.checks.places import CostPlace
from scoring.checks.step import EnoughError, Faults, Step
from scoring.crew import Crew, Tick
from scoring.replay import Replayed, replay
from scoring.report import Fault

STEP = Step(6, "replay", "Every episode replays to the recorded actions, rewards, end and score")
_REMEDY = "Records must hold what the rules give; play the episode again with this project's runner."


_CLAIMED = attrgetter("action", "score", "reward")


class Job(NamedTuple):
    """One run to replay: a bundle's, or the exploration of one with a re-run's episodes after it."""

    game: str
    manifest: Manifest
    preset: Preset
    episodes: tuple[EpisodeRecord, ...]
    memories: tuple[MemoryRecord, ...]
    estimated: frozenset[CostPlace] = frozenset()
    """The costs whose prompts are to be estimated."""


class PlayedRun(NamedTuple):
    """One run, replayed as far as the tenth fault, and its prompts."""

    replayed: tuple[Replayed, ...]
    found: tuple[Fault, ...]
    rebuilt: Rebuilt
    """Only worth something if nothing was found in the replay of any run."""


def check(
    manifest: Manifest, runs: Sequence[ParsedRun], preset: Preset, faults: Faults, crew: Crew
) -> tuple[PlayedRun, ...]:
    """Return the replay of every episode, run by run, and what the next step needs of it."""
    jobs = [Job(run.game.id, manifest, preset, run.episodes, run.memories, frozenset(run.estimates)) for run in runs]
    played = []
    for done in crew.results(replay_run, jobs, faults.tick):
        faults.take(done.found)
        played.append(done)
    faults.detail = f"{sum(len(record.steps) for run in runs for record in run.episodes)} steps replayed"
    return tuple(played)


def replay_run(job: Job, tick: Tick) -> PlayedRun:
    """Return the replay of a run's episodes in order, and its prompts, with what does not agree with the records."""
    faults = Faults(STEP)
    game = game_named(job.game)
    rebuild = Rebuild(game, job.manifest, job.preset, job.memories, job.estimated, tick)
    replayed = []
    with suppress(EnoughError):
        for record in job.episodes:
            tick()
            turns: list[Turn] = []
            again = replay(game, job.preset.config(game, record.phase), record, turns.append)
            _compare(record, again, file_name("episodes", game.id), faults)
            replayed.append(again)
            if not faults.found:
                rebuild.follow(record, again, turns)
    return PlayedRun(tuple(replayed), tuple(faults.found), rebuild.done())


def _compare(record: EpisodeRecord, again: Replayed, file: str, faults: Faults) -> None:
    place = episode_name(record)

    def differs(what: str, expected: object, got: object, step: int | None = None) -> bool:
        if expected == got:
            return False
        faults.add(BundleError(file, f"{what} {shown(expected)}", shown(got), _REMEDY, place=place, step=step))
        return True

    if differs("as many steps as the rules play:", len(again.episode.steps), len(record.steps)):
        return
    claimed = list(map(_CLAIMED, record.steps))
    derived = [
        (reply.action, reply.score, float(number(played.reward)))
        for reply, played in zip(again.replies, again.episode.steps, strict=True)
    ]
    # All of an episode at once: almost always it agrees, and else each fault is named.
    if claimed != derived:
        for index, (got, expected) in enumerate(zip(claimed, derived, strict=True)):
            for what, one, other in zip(("action", "self-score", "reward"), expected, got, strict=True):
                differs(what, one, other, index)
    if record.status == "valid":
        differs("end", _end(again.episode.end), _end(record.end))
        differs("score", float(number(again.episode.score)), record.score)
    elif again.episode.end is not None:
        differs("a failed episode to stop before its end, not", None, _end(again.episode.end))


def _end(end: End | None) -> str | None:
    return None if end is None else str(end)
