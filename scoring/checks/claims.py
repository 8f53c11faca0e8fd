"""Step 8: what the manifest claims equals what was derived."""

from __future__ import annotations

from collections.abc import Sequence

from protocol.budgets import budgets
from protocol.bundle import ENVELOPE, file_name
from protocol.checkpoints import checkpoint_records
from protocol.comparable import decoding_deviations
from protocol.errors import BundleError
from protocol.preset import Preset
from protocol.records import CostRecord, EpisodeRecord, FailureCount, Manifest
from protocol.totals import failure_counts, totals
from scoring.checks.contexts import Rebuilt
from scoring.checks.parsing import ParsedRun
from scoring.checks.places import cost_place
from scoring.checks.step import Faults, Step

STEP = Step(8, "claims", "The manifest claims what was derived")
_REMEDY = "Let the runner write the manifest; do not edit claims."


def check(
    manifest: Manifest, runs: Sequence[ParsedRun], rebuilt: Sequence[Rebuilt], preset: Preset, faults: Faults
) -> None:
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
    claims += _totals(manifest, episodes, [cost for run in runs for cost in run.costs], faults)
    for run, prompts in zip(runs, rebuilt, strict=True):
        claims += _estimates(run, prompts, faults)
    _budgets(manifest, preset, faults)
    faults.detail = f"{claims} claims agree with the records"


def _totals(manifest: Manifest, episodes: Sequence[EpisodeRecord], costs: Sequence[CostRecord], faults: Faults) -> int:
    """Check the totals, and return how many there are."""
    derived = totals(episodes, costs)
    for (name, expected), (_, got) in zip(derived, manifest.totals, strict=True):
        if expected != got:
            _add(faults, f"totals.{name}", str(expected), str(got))
    return len(type(derived).model_fields)


def _estimates(run: ParsedRun, rebuilt: Rebuilt, faults: Faults) -> int:
    """Check the costs that say to be our own estimates, and return how many there are.

    Their replies were estimated when they were read, their prompts when they were rebuilt. Nobody can compute again
    what an endpoint reported, but there is no such report without a request or without a prompt. One without a reply
    there may be: endpoints bill for errors too.
    """
    file = file_name("costs", run.game.id)
    for number, cost in enumerate(run.costs, 1):
        if cost.tokens_cached is not None and cost.tokens_cached > cost.tokens_in:
            expected = f"tokens_cached of at most {cost.tokens_in}, those of the prompt"
            _add_cost(faults, file, number, expected, str(cost.tokens_cached))
        if cost.estimated:
            _estimate(cost, run.estimates[cost_place(cost)], rebuilt.estimates[cost_place(cost)], file, number, faults)
        elif not cost.tokens_in or not cost.requests:
            got = "no token of a prompt" if not cost.tokens_in else "no request"
            _add_cost(faults, file, number, "an estimate where an endpoint reported no usage", f"one of {got}")
    return len(run.estimates)


def _estimate(cost: CostRecord, reply: int, prompts: Sequence[int], file: str, number: int, faults: Faults) -> None:
    if cost.tokens_out != reply:
        _add_cost(faults, file, number, f"tokens_out {reply}, as its reply is estimated at", str(cost.tokens_out))
    # A prompt that was cut for the server went out in a further request.
    possible = prompts if cost.requests > 1 else prompts[:1]
    if cost.tokens_in not in possible:
        expected = f"tokens_in {' or '.join(map(str, possible))}, as its prompt is estimated at"
        _add_cost(faults, file, number, expected, str(cost.tokens_in))


def _add_cost(faults: Faults, file: str, number: int, expected: str, got: str) -> None:
    faults.add(BundleError(file, expected, got, _REMEDY, place=f"line {number}"))


def _budgets(manifest: Manifest, preset: Preset, faults: Faults) -> None:
    try:
        room = budgets(preset, manifest.endpoint)
    except ValueError as error:
        _add(faults, "endpoint.context_tokens", "a context that the protocol can be played in", str(error))
    else:
        for name, expected, got in (
            ("input_budget", room.input_tokens, manifest.input_budget),
            ("output_budget", room.output_tokens, manifest.output_budget),
        ):
            if got != expected:
                left = "the protocol's, or what the context of the endpoint leaves"
                _add(faults, name, f"{expected} tokens: {left}", str(got))
    for each in decoding_deviations(preset, manifest.decoding):
        if each not in manifest.deviations:
            _add(faults, "deviations", f"a declared deviation, {each}", "none")


def _add(faults: Faults, place: str, expected: str, got: str) -> None:
    faults.add(BundleError(ENVELOPE, expected, got, _REMEDY, place=place))


def _shown(score: float | None, valid: int) -> str:
    return f"{'no mean' if score is None else repr(score)} from {valid} valid episodes"


def _kinds(counts: Sequence[FailureCount]) -> str:
    return ", ".join(f"{count.episodes} {count.kind}" for count in counts) or "no failed episode"
