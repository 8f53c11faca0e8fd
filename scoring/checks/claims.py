"""Step 8: what the manifest claims equals what was derived."""

from __future__ import annotations

from collections.abc import Sequence

from protocol.bundle import ENVELOPE, file_name
from protocol.checkpoints import checkpoint_records
from protocol.errors import BundleError
from protocol.preset import Preset
from protocol.records import FailureCount, Manifest
from protocol.tokens import estimate
from protocol.totals import failure_counts, totals
from scoring.checks.completeness import CostPlace, cost_place
from scoring.checks.parsing import ParsedRun
from scoring.checks.step import Faults, Step

STEP = Step(8, "claims", "The manifest claims what was derived")
_REMEDY = "Let the runner write the manifest; do not edit claims."


def check(manifest: Manifest, runs: Sequence[ParsedRun], preset: Preset, faults: Faults) -> None:
    """Compare totals, failures, checkpoint means and estimated costs with the records."""
    claims = 0
    derived = [record for run in runs for record in checkpoint_records(preset, run.game.id, run.episodes)]
    if len(manifest.checkpoints) != len(derived):
        _add(faults, "checkpoints", f"{len(derived)} checkpoints", str(len(manifest.checkpoints)))
    for claimed, record in zip(manifest.checkpoints, derived, strict=False):
        claims += 1
        if claimed != record:
            _add(
                faults,
                f"checkpoints, {record.game} x={record.checkpoint}",
                _shown(record.score, record.valid),
                _shown(claimed.score, claimed.valid),
            )
    episodes = [episode for run in runs for episode in run.episodes]
    failures = failure_counts(episodes)
    if manifest.failures != failures:
        _add(faults, "failures", _kinds(failures), _kinds(manifest.failures))
    derived_totals = totals(episodes, [cost for run in runs for cost in run.costs])
    for (name, expected), (_, got) in zip(derived_totals, manifest.totals, strict=True):
        claims += 1
        if expected != got:
            _add(faults, f"totals.{name}", str(expected), str(got))
    for run in runs:
        claims += _estimates(run, manifest.input_budget, faults)
    _budgets(manifest, preset, faults)
    faults.detail = f"{claims} claims agree with the records"


def _estimates(run: ParsedRun, input_budget: int, faults: Faults) -> int:
    """Check the costs that say to be our own estimates, and return how many there are.

    What a reply took is estimated from its text, so it is estimated again. A prompt's text is not recorded; that the
    estimate of a step's prompt is within the budget is what the rule of cutting promises. What an endpoint reported
    nobody can compute again, but there is no such report without a reply or without a prompt.
    """
    file = file_name("costs", run.game.id)
    replies = _replies(run)
    estimated = 0
    for number, cost in enumerate(run.costs, 1):
        reply = replies.get(cost_place(cost))
        if not cost.estimated:
            if reply is None or not cost.tokens_in:
                got = "no reply" if reply is None else "no token of a prompt"
                _add_cost(faults, file, number, "an estimate where an endpoint reported no usage", f"one of {got}")
            continue
        estimated += 1
        tokens = 0 if reply is None else estimate(reply)
        if cost.tokens_out != tokens:
            _add_cost(faults, file, number, f"tokens_out {tokens}, as its reply is estimated at", str(cost.tokens_out))
        if cost.phase != "summary" and reply is not None and not 1 <= cost.tokens_in <= input_budget:
            _add_cost(faults, file, number, f"tokens_in of 1 to {input_budget}, the input budget", str(cost.tokens_in))
    return estimated


def _replies(run: ParsedRun) -> dict[CostPlace, str]:
    """Return every reply by where its cost stands."""
    found: dict[CostPlace, str] = {}
    for episode in run.episodes:
        for number, step in enumerate(episode.steps):
            found[episode.phase, episode.checkpoint, episode.index, episode.replicate, number] = step.reply
    for memory in run.memories:
        if memory.reply is not None:
            found["summary", None, memory.index, 0, 0] = memory.reply
    return found


def _add_cost(faults: Faults, file: str, number: int, expected: str, got: str) -> None:
    faults.add(BundleError(file, expected, got, _REMEDY, place=f"line {number}"))


def _budgets(manifest: Manifest, preset: Preset, faults: Faults) -> None:
    for name, limit, got in (
        ("input_budget", preset.input_tokens, manifest.input_budget),
        ("output_budget", preset.output_tokens, manifest.output_budget),
    ):
        if not 1 <= got <= limit:
            _add(faults, name, f"1 to {limit} tokens", str(got))
    fixed = preset.temperature
    declared = any(deviation.startswith("temperature") for deviation in manifest.deviations)
    if fixed is not None and manifest.decoding.temperature != fixed and not declared:
        _add(faults, "deviations", f"a declared deviation from temperature {fixed:g}", "none")


def _add(faults: Faults, place: str, expected: str, got: str) -> None:
    faults.add(BundleError(ENVELOPE, expected, got, _REMEDY, place=place))


def _shown(score: float | None, valid: int) -> str:
    return f"{'no mean' if score is None else repr(score)} from {valid} valid episodes"


def _kinds(counts: Sequence[FailureCount]) -> str:
    return ", ".join(f"{count.episodes} {count.kind}" for count in counts) or "no failed episode"
