"""Step 8: what the manifest claims equals what was derived."""

from __future__ import annotations

from collections.abc import Sequence

from protocol.bundle import ENVELOPE
from protocol.checkpoints import checkpoint_records
from protocol.errors import BundleError
from protocol.preset import Preset
from protocol.records import FailureCount, Manifest
from protocol.totals import failure_counts, totals
from scoring.checks.parsing import ParsedRun
from scoring.checks.step import Faults, Step

STEP = Step(8, "claims", "The manifest claims what was derived")
_REMEDY = "Let the runner write the manifest; do not edit claims."


def check(manifest: Manifest, runs: Sequence[ParsedRun], preset: Preset, faults: Faults) -> None:
    """Compare totals, failures and checkpoint means with the records."""
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
    _budgets(manifest, preset, faults)
    faults.detail = f"{claims} claims agree with the records"


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
