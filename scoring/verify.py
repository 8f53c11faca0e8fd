"""Verification: numbered steps in one written order; a step that did not run is a refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

from protocol.errors import BundleError
from protocol.preset import Preset, preset_named
from scoring.checks import (
    claims,
    completeness,
    contexts,
    files,
    limits,
    parsing,
    replaying,
    separation,
    signature,
)
from scoring.checks.step import EnoughError, Faults, Step
from scoring.crew import Alone, Crew, Tick, never
from scoring.report import CheckReport, Report
from scoring.verified import VerifiedBundle, VerifiedEpisode, VerifiedRun, seal

STEPS: tuple[Step, ...] = (
    limits.STEP,
    signature.STEP,
    files.STEP,
    parsing.STEP,
    completeness.STEP,
    separation.STEP,
    replaying.STEP,
    contexts.STEP,
    claims.STEP,
)

PresetOf = Callable[[str], Preset]


class RefusedError(Exception):
    """A bundle was refused; the report says by which step and why."""

    def __init__(self, report: Report) -> None:
        super().__init__("; ".join(fault.line() for fault in report.faults))
        self.report = report


class _Verification:
    """Runs the steps in order and keeps the report."""

    def __init__(self, tick: Tick) -> None:
        self._tick = tick
        self._checks: list[CheckReport] = []
        self.digest: str | None = None
        self.entry: str | None = None
        self.team: str | None = None

    @contextmanager
    def step(self, step: Step) -> Iterator[Faults]:
        """Run one step; any fault in it ends the verification."""
        if step is not STEPS[len(self._checks)]:
            raise AssertionError(f"verification step {step.number} runs out of order")
        faults = Faults(step, tick=self._tick)
        faults.tick()
        try:
            with faults.catching():
                yield faults
        except EnoughError:
            faults.detail = f"stopped after {len(faults.found)} faults"
        self._checks.append(
            CheckReport(
                number=step.number,
                code=step.code,
                title=step.title,
                status="failed" if faults.found else "passed",
                detail=faults.detail,
                faults=tuple(faults.found),
            )
        )
        if faults.found:
            raise RefusedError(self.report())

    def report(self) -> Report:
        """Return the report so far; steps that did not run say so."""
        done = len(self._checks)
        rest = [
            CheckReport(number=s.number, code=s.code, title=s.title, status="not run", detail="", faults=())
            for s in STEPS[done:]
        ]
        accepted = not rest and all(check.status == "passed" for check in self._checks)
        return Report(
            verdict="accepted" if accepted else "refused",
            scorer=scorer_version(),
            bundle_digest=self.digest,
            entry=self.entry,
            team=self.team,
            checks=(*self._checks, *rest),
        )


def scorer_version() -> str:
    """Return the version of this scorer."""
    return metadata.version("s3gym")


def verify(
    folder: Path,
    key_of: signature.KeyOf,
    preset_of: PresetOf = preset_named,
    *,
    crew: Crew | None = None,
    tick: Tick = never,
    whole_replies: bool = True,
) -> VerifiedBundle:
    """Verify a bundle: signature, files, records, completeness, separation, replay, contexts, claims.

    Args:
        folder: The bundle.
        key_of: The registry of team keys.
        preset_of: Where protocols are looked up.
        crew: Who replays and rebuilds; by default this process alone. What comes of it is the same.
        tick: Called often while work goes on; what it raises breaks the verification off, which refuses nothing.
        whole_replies: Whether the text of each reply is kept. If not, a short one that is read the same stands for it,
            and memory does not grow with the length of replies.

    Raises:
        RefusedError: If any step finds a fault; its report names it.
        ValueError: If the folder is no folder: then nothing could be checked.
    """
    if not folder.is_dir():
        raise ValueError(f"bundle: expected a folder, found none at {folder}")
    run = _Verification(tick)
    crew = crew or Alone()
    with run.step(limits.STEP) as faults:
        sizes = limits.check(folder, faults)
    with run.step(signature.STEP) as faults:
        signed = signature.check(folder, key_of, faults)
        manifest = signed.statement.predicate
        run.digest, run.entry, run.team = signed.digest, manifest.entry, manifest.team
    with run.step(files.STEP) as faults:
        reading = parsing.Reading(faults.tick, _known(manifest.protocol, preset_of), whole_replies=whole_replies)
        files.check(folder, sizes, signed.statement, faults, reading)
    with run.step(parsing.STEP) as faults:
        preset = _preset(manifest.protocol, preset_of)
        runs = parsing.check(manifest, reading, preset, faults)
    with run.step(completeness.STEP) as faults:
        completeness.check(manifest, runs, preset, faults)
    with run.step(separation.STEP) as faults:
        separation.check(runs, preset, faults)
    with run.step(replaying.STEP) as faults:
        played = replaying.check(manifest, runs, preset, faults, crew)
    with run.step(contexts.STEP) as faults:
        contexts.check([run.rebuilt for run in played], faults)
    with run.step(claims.STEP) as faults:
        claims.check(manifest, runs, [run.rebuilt for run in played], preset, faults)
    report = run.report()
    if report.verdict != "accepted":
        raise RefusedError(report)
    verified = tuple(
        VerifiedRun(
            parsed.game,
            tuple(map(VerifiedEpisode, parsed.episodes, done.replayed)),
            parsed.memories,
            parsed.costs,
        )
        for parsed, done in zip(runs, played, strict=True)
    )
    return VerifiedBundle(manifest, preset, verified, report, signed.digest, signed.key.keyid, seal())


def _known(name: str, preset_of: PresetOf) -> Preset | None:
    """Return a protocol; None if it is unknown, which is the next step's to refuse."""
    try:
        return preset_of(name)
    except ValueError:
        return None


def _preset(name: str, preset_of: PresetOf) -> Preset:
    try:
        return preset_of(name)
    except ValueError as error:
        raise BundleError(
            "bundle.dsse.json",
            "a protocol that this scorer knows",
            str(error),
            "Give the file of a protocol that is not released (--protocol FILE), or use a release that ships it.",
            place="protocol",
        ) from error
