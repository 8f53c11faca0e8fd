"""How a run went, counted in verified records; whether it is ranked, `protocol.comparable` decides."""

from __future__ import annotations

from typing import NamedTuple

from protocol.comparable import Played, comparability, declared
from protocol.outcomes import ReplyKind, count_replies
from protocol.preset import Preset
from protocol.records import CheckpointRecord, Manifest
from protocol.totals import totals
from scoring.results import RunResult
from scoring.verified import VerifiedRun


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
    steps = [step for episode in run.episodes for step in episode.record.steps]
    replies = [reply for episode in run.episodes for reply in episode.replayed.replies]
    counts = count_replies((step.reply, step.finish, reply) for step, reply in zip(steps, replies, strict=True))
    played = Played(
        steps=counts.steps,
        kinds=counts.kinds,
        checkpoints=checkpoints,
        failed_explorations=sum(
            episode.record.phase == "explore" and episode.record.status == "failed" for episode in run.episodes
        ),
        windowed=any(step.window > 0 for step in steps),
        overflowed=any(step.cut == "server_overflow" for step in steps),
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
        cut_off=counts.cut_off,
        second_answers=counts.second_answers,
        missing_scores=counts.missing_scores,
        failed_explorations=played.failed_explorations,
        failed_checkpoints=played.failed_checkpoints,
        improved=gain.improved,
        beyond_noise=gain.beyond_noise,
        never_recovered=gain.never_recovered,
        totals=totals([episode.record for episode in run.episodes], run.costs),
    )
