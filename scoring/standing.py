"""Whether a run is ranked: the protocol's limits, applied to verified records."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from protocol.outcomes import CHANNEL_FAULTS, ReplyKind, reply_kind
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
    failed_explorations = sum(
        episode.record.phase == "explore" and episode.record.status == "failed" for episode in run.episodes
    )
    failed_checkpoints = sum(checkpoint.score is None for checkpoint in checkpoints)
    faults = sum(counts.kinds[kind] for kind in CHANNEL_FAULTS)
    unreliable = faults * 100 > preset.limits.unreliable_percent * counts.steps
    reasons = [
        (not preset.rankable, f"protocol {preset.id} is never ranked"),
        (manifest.endpoint.kind == "builtin" and manifest.endpoint.model == "oracle", "it was shown the true state"),
        (bool(manifest.deviations), f"it departs from the protocol: {'; '.join(manifest.deviations)}"),
        (checkpoints[0].score is None, "the x = 0 checkpoint failed, so there is no baseline"),
        (checkpoints[-1].score is None, f"the last checkpoint (x = {checkpoints[-1].checkpoint}) failed"),
        (failed_checkpoints > preset.limits.failed_checkpoints, f"{failed_checkpoints} failed checkpoints"),
        (failed_explorations > preset.limits.failed_explorations, f"{failed_explorations} failed explorations"),
        (counts.steps == 0, "it holds no step"),
        (unreliable, f"unreliable channel: {faults} of {counts.steps} replies are truncated, empty or filtered"),
    ]
    reason = next((reason for holds, reason in reasons if holds), None)
    return RunResult(
        game=run.game.id,
        rules_version=run.game.rules_version,
        ranked=reason is None,
        reason=reason,
        marks=_marks(manifest, preset, run, counts, failed_checkpoints, failed_explorations),
        steps=counts.steps,
        unreadable=counts.kinds[ReplyKind.UNREADABLE],
        truncated=counts.kinds[ReplyKind.TRUNCATED],
        empty=counts.kinds[ReplyKind.EMPTY],
        filtered=counts.kinds[ReplyKind.FILTERED],
        missing_scores=counts.missing_scores,
        failed_explorations=failed_explorations,
        failed_checkpoints=failed_checkpoints,
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


def _marks(
    manifest: Manifest,
    preset: Preset,
    run: VerifiedRun,
    counts: _Counts,
    failed_checkpoints: int,
    failed_explorations: int,
) -> tuple[str, ...]:
    kept = sum(memory.status == "kept" for memory in run.memories)
    marks = [
        (counts.windowed, "episode window"),
        (counts.overflowed, "cut again after a server overflow"),
        (failed_checkpoints > 0, f"failed checkpoints: {failed_checkpoints}"),
        (failed_explorations > 0, f"failed explorations: {failed_explorations}"),
        (kept > 0, f"summary calls that made no memory: {kept}"),
        (manifest.input_budget < preset.input_tokens, f"input budget {manifest.input_budget}"),
        (manifest.output_budget < preset.output_tokens, f"output budget {manifest.output_budget}"),
        (not manifest.options.system_role, "no system role"),
    ]
    return tuple(mark for holds, mark in marks if holds)
