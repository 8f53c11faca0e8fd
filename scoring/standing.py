"""How a run went, counted in verified records; whether it is ranked, `protocol.comparable` decides."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from protocol.comparable import Played, comparability, declared
from protocol.outcomes import ReplyKind, reply_kind
from protocol.preset import Preset
from protocol.records import CheckpointRecord, Manifest
from protocol.totals import totals
from scoring.results import RunResult
from scoring.verified import VerifiedRun


class _Counts(NamedTuple):
    steps: int
    kinds: Counter[ReplyKind]
    missing_scores: int
    windowed: bool
    overflowed: bool


class Gain(NamedTuple):
    """What may be said of a run's gain; None where that cannot be told."""

    improved: bool | None
    """AUC+ > 0."""
    beyond_noise: bool | None
    never_recovered: bool | None


def run_result(
    manifest: Manifest, preset: Preset, run: VerifiedRun, checkpoints: tuple[CheckpointRecord, ...], gain: Gain
) -> RunResult:
    """Return how a run went and whether it is ranked, with the first reason why not."""
    counts = _count(run)
    played = Played(
        steps=counts.steps,
        kinds=counts.kinds,
        checkpoints=checkpoints,
        failed_explorations=sum(
            episode.record.phase == "explore" and episode.record.status == "failed" for episode in run.episodes
        ),
        windowed=counts.windowed,
        overflowed=counts.overflowed,
        kept_memories=sum(memory.status == "kept" for memory in run.memories),
    )
    found = comparability(preset, declared(manifest), played)
    return RunResult(
        game=run.game.id,
        rules_version=run.game.rules_version,
        ranked=found.reason is None,
        reason=found.reason,
        marks=found.marks,
        steps=counts.steps,
        unreadable=counts.kinds[ReplyKind.UNREADABLE],
        truncated=counts.kinds[ReplyKind.TRUNCATED],
        empty=counts.kinds[ReplyKind.EMPTY],
        filtered=counts.kinds[ReplyKind.FILTERED],
        missing_scores=counts.missing_scores,
        failed_explorations=played.failed_explorations,
        failed_checkpoints=played.failed_checkpoints,
        improved=gain.improved,
        beyond_noise=gain.beyond_noise,
        never_recovered=gain.never_recovered,
        totals=totals([episode.record for episode in run.episodes], run.costs),
    )


def _count(run: VerifiedRun) -> _Counts:
    kinds: Counter[ReplyKind] = Counter()
    missing = steps = answered = 0
    windowed = overflowed = False
    for episode in run.episodes:
        for step, reply in zip(episode.record.steps, episode.replayed.replies, strict=True):
            kind = reply_kind(step.reply, step.finish, reply)
            # Nearly all are of this kind, and to find a kind in a counter takes longer than all else here.
            if kind is ReplyKind.ANSWERED:
                answered += 1
            else:
                kinds[kind] += 1
            missing += reply.score is None
            steps += 1
            windowed = windowed or step.window > 0
            overflowed = overflowed or step.cut == "server_overflow"
    kinds[ReplyKind.ANSWERED] = answered
    return _Counts(steps, kinds, missing, windowed, overflowed)
