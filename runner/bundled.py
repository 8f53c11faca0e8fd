"""The outcomes that a bundle's records stand for, as a journal would hold them; nothing is verified here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from protocol.bundle import ENVELOPE, MAX_ENVELOPE, MAX_FILE, Statement, content_lines, file_name, read_file
from protocol.records import CostRecord, CutReason, EpisodeRecord, Finish, Manifest, MemoryRecord
from protocol.schedule import Slot, episode_name
from protocol.signing import read_envelope
from protocol.strictjson import RecordT, read_record
from runner.desk import CONTEXT_OVERFLOW
from runner.journal import Outcome

_NO_CONTEXT = "0" * 64


class Bundled(NamedTuple):
    """What a bundle holds."""

    manifest: Manifest
    outcomes: Mapping[str, Outcome]
    """By key."""


class _Sent(NamedTuple):
    """What is recorded of one prompt and its reply."""

    context: str | None
    dropped_episodes: int
    dropped_steps: int
    window: int
    cut: CutReason
    reply: str | None
    finish: Finish | None
    fault: str | None


def read_bundled(folder: Path) -> Bundled:
    """Return what a bundle holds.

    Raises:
        BundleError: If a file is missing or damaged.
    """
    payload = read_envelope(read_file(folder, ENVELOPE, MAX_ENVELOPE), ENVELOPE).payload
    manifest = read_record(Statement, payload, ENVELOPE, "payload").predicate
    outcomes: dict[str, Outcome] = {}
    for rules in manifest.games:
        costs = {_cost_key(cost): cost for cost in _records(CostRecord, folder, "costs", rules.game)}
        for episode in _records(EpisodeRecord, folder, "episodes", rules.game):
            for key, sent in _steps(episode):
                outcomes[key] = _outcome(key, sent, costs.get(key))
        if manifest.options.pathway == "summary":
            for memory in _records(MemoryRecord, folder, "memory", rules.game):
                key = f"{memory.game} summary {memory.index}"
                outcomes[key] = _outcome(key, _summary(memory), costs.get(key))
    return Bundled(manifest, outcomes)


def _records(kind: type[RecordT], folder: Path, name: str, game: str) -> list[RecordT]:
    file = file_name(name, game)
    lines = content_lines(read_file(folder, file, MAX_FILE), file)
    return [read_record(kind, line, file, f"line {n}") for n, line in enumerate(lines, 1)]


def _cost_key(cost: CostRecord) -> str:
    if cost.phase == "summary":
        return f"{cost.game} summary {cost.index}"
    slot = Slot(cost.phase, cost.checkpoint, cost.index, cost.replicate, seed=0)
    return f"{cost.game} {slot.name} step {cost.step}"


def _steps(episode: EpisodeRecord) -> Iterator[tuple[str, _Sent]]:
    name = f"{episode.game} {episode_name(episode)} step"
    for number, step in enumerate(episode.steps):
        sent = _Sent(
            step.context,
            step.dropped_episodes,
            step.dropped_steps,
            step.window,
            step.cut,
            step.reply,
            step.finish,
            None,
        )
        yield f"{name} {number}", sent
    if episode.failure is not None:
        fault = CONTEXT_OVERFLOW if episode.failure == "context_overflow" else episode.failure
        yield f"{name} {len(episode.steps)}", _Sent(None, 0, 0, 0, "rule", None, None, fault)


def _summary(memory: MemoryRecord) -> _Sent:
    fault = memory.failure if memory.failure in ("transport", "timeout", CONTEXT_OVERFLOW) else None
    reply, finish = (None, None) if fault else (memory.reply, memory.finish)
    dropped = (memory.dropped_episodes, memory.dropped_steps)
    return _Sent(memory.context, *dropped, 0, memory.cut, reply, finish, fault)


def _outcome(key: str, sent: _Sent, cost: CostRecord | None) -> Outcome:
    reported = None if cost is None or cost.estimated else cost
    return Outcome(
        key=key,
        context=sent.context or _NO_CONTEXT,
        dropped_episodes=sent.dropped_episodes,
        dropped_steps=sent.dropped_steps,
        window=sent.window,
        cut=sent.cut,
        prompt_tokens=0,
        reply=sent.reply,
        finish=sent.finish,
        fault=sent.fault,
        seconds=0.0 if cost is None else cost.seconds,
        tokens_in=None if reported is None else reported.tokens_in,
        tokens_out=None if reported is None else reported.tokens_out,
        tokens_cached=None if cost is None else cost.tokens_cached,
        model=None if cost is None else cost.model,
        request_id=None if cost is None else cost.request_id,
        fingerprint=None if cost is None else cost.fingerprint,
        adaptations=(),
    )
