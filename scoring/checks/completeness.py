"""Step 4: exactly the protocol's episodes, seeds, counts and checkpoints; nothing twice, nothing left out."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from games.registry import AnyGame
from protocol.bundle import file_name
from protocol.errors import BundleError
from protocol.memory import memory_failure
from protocol.preset import Preset
from protocol.records import EpisodeRecord, Manifest, MemoryFailure, MemoryRecord
from protocol.schedule import Place, Slot, episode_name, memory_indexes, schedule
from scoring.checks.parsing import ParsedRun
from scoring.checks.places import CostPlace, cost_place, summary_place
from scoring.checks.step import Faults, Step

STEP = Step(4, "completeness", "Exactly the protocol's episodes, seeds and checkpoints")
_PLACE = attrgetter("phase", "checkpoint", "index", "replicate")
_REMEDY = "Let the runner finish the run; it writes every episode of the protocol in order."


def check(manifest: Manifest, runs: Sequence[ParsedRun], preset: Preset, faults: Faults) -> None:
    """Compare every record's place with the protocol's schedule."""
    total = 0
    for run in runs:
        check_episodes(run.game, run.episodes, schedule(preset, run.game.id), preset, faults)
        _memories(run, manifest, preset, faults)
        _costs(run, faults)
        total += len(run.episodes)
    faults.detail = f"{total} episodes of {len(runs)} games, as protocol {preset.id} asks for"


def check_episodes(
    game: AnyGame, records: Sequence[EpisodeRecord], slots: Sequence[Slot], preset: Preset, faults: Faults
) -> None:
    """Compare a game's episodes with the places that they must fill, in order."""
    file = file_name("episodes", game.id)
    if len(records) != len(slots):
        faults.add(BundleError(file, f"{len(slots)} episodes", str(len(records)), _REMEDY))
    for number, (slot, record) in enumerate(zip(slots, records, strict=False), 1):
        if (record.game, record.seed, *_PLACE(record)) != (game.id, str(slot.seed), *_PLACE(slot)):
            expected = _described(game.id, slot, str(slot.seed))
            got = _described(record.game, record, record.seed)
            faults.add(BundleError(file, expected, got, _REMEDY, place=f"line {number}"))
        _consistent(record, file, preset.config(game, slot.phase).max_steps, faults)


def _described(game: str, place: Place, seed: str) -> str:
    """Return all that places an episode, in words."""
    checkpoint = "no checkpoint" if place.checkpoint is None else f"checkpoint {place.checkpoint}"
    return f"{place.phase} {place.index} of {game}, {checkpoint}, repeat {place.replicate}, seed {seed}"


def _consistent(record: EpisodeRecord, file: str, max_steps: int, faults: Faults) -> None:
    failed = record.status == "failed"
    if failed != (record.failure is not None) or failed != (record.score is None) or failed != (record.end is None):
        got = f"status {record.status}, failure {record.failure}, end {record.end}, score {record.score}"
        expected = "a valid episode with end and score, or a failed one with its kind and neither"
        faults.add(BundleError(file, expected, got, _REMEDY, place=episode_name(record)))
    low = 0 if failed else 1
    if not low <= len(record.steps) <= max_steps:
        got = str(len(record.steps))
        faults.add(BundleError(file, f"{low} to {max_steps} steps", got, _REMEDY, place=episode_name(record)))


def _memories(run: ParsedRun, manifest: Manifest, preset: Preset, faults: Faults) -> None:
    file = file_name("memory", run.game.id)
    wanted = memory_indexes(preset) if manifest.options.pathway == "summary" else ()
    got = tuple(memory.index for memory in run.memories)
    if got != wanted:
        faults.add(BundleError(file, f"memories {_span(wanted)}", _span(got), _REMEDY))
    for memory in run.memories:
        _consistent_memory(memory, run.game.id, manifest, file, faults)


def _consistent_memory(memory: MemoryRecord, game: str, manifest: Manifest, file: str, faults: Faults) -> None:
    place = f"memory {memory.index}"
    if memory.game != game or memory.mode != manifest.options.summary_mode:
        got = f"{memory.game}, {memory.mode}"
        faults.add(BundleError(file, f"{game}, {manifest.options.summary_mode}", got, _REMEDY, place=place))
    if (memory.reply is None) != (memory.finish is None):
        faults.add(BundleError(file, "a reply and its finish reason together", "one alone", _REMEDY, place=place))
    possible = _failures(memory)
    made = memory.status == "made"
    if made != (memory.failure is None) or (made and (memory.reply is None or not memory.memory)):
        expected = "a made memory with its reply and text, or a kept one with the kind of failure"
        faults.add(BundleError(file, expected, f"{memory.status}, {memory.failure}", _REMEDY, place=place))
    elif memory.failure not in possible:
        kinds = " or ".join(each for each in possible if each)
        expected = f"failure {kinds}" if kinds else "a memory that was made"
        expected += ", as its reply and finish reason say"
        faults.add(BundleError(file, expected, str(memory.failure or "none"), _REMEDY, place=place))


def _failures(memory: MemoryRecord) -> tuple[MemoryFailure | None, ...]:
    """Return what a summary call can have failed with; None stands for a memory that was made."""
    if memory.reply is None or memory.finish is None:
        return ("transport", "timeout", "context_overflow")
    return (memory_failure(memory.reply, memory.finish),)


def _costs(run: ParsedRun, faults: Faults) -> None:
    file = file_name("costs", run.game.id)
    asked: set[CostPlace] = set()
    refused: set[CostPlace] = set()
    for episode in run.episodes:
        place = (episode.phase, episode.checkpoint, episode.index, episode.replicate)
        asked |= {(*place, step) for step in range(len(episode.steps))}
        if episode.status == "failed":
            (asked if episode.failure == "transport" else refused).add((*place, len(episode.steps)))
    for memory in run.memories:
        (refused if memory.failure == "context_overflow" else asked).add(summary_place(memory.index))
    wanted = asked | refused
    got = [cost_place(cost) for cost in run.costs]
    if len(set(got)) != len(got) or set(got) != wanted or any(cost.game != run.game.id for cost in run.costs):
        expected = f"one cost record for each of {len(wanted)} asked steps and summary calls"
        faults.add(BundleError(file, expected, f"{len(got)} records, {len(set(got) & wanted)} of them right", _REMEDY))
    for number, (cost, where) in enumerate(zip(run.costs, got, strict=True), 1):
        # Only a prompt that cannot fit is never sent.
        if cost.requests == 0 and where in asked:
            expected = "a request for every reply and every fault of the transport"
            faults.add(BundleError(file, expected, "none", _REMEDY, place=f"line {number}"))


def _span(indexes: Sequence[int]) -> str:
    return f"{indexes[0]}..{indexes[-1]} ({len(indexes)})" if indexes else "none"
