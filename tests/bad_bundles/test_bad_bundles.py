"""Every bad bundle is refused by its step and by no other, and its message says what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import get_args

import pytest

from scoring.checks.step import Faults
from scoring.report import Fault, Report
from scoring.verify import STEPS, RefusedError, verify
from tests.bad_bundles.bad import Bad, registered
from tests.bad_bundles.catalogue import CATALOGUE
from tests.bad_bundles.good import Good, Kind, preset_of
from tests.bad_bundles.sites import Sites

every_fault = pytest.mark.parametrize("bad", CATALOGUE, ids=[bad.name for bad in CATALOGUE])


@pytest.fixture(scope="session")
def good(tmp_path_factory: pytest.TempPathFactory) -> Good:
    return Good(tmp_path_factory.mktemp("good"))


@contextmanager
def patched(bad: Bad) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in bad.patches.items():
            patch.setattr(name, value)
        yield


def judged(bad: Bad, good: Good, folder: Path, *, whole_replies: bool = True) -> Report:
    """Return what verification says of a bad bundle."""
    folder.mkdir(exist_ok=True)
    with patched(bad):
        bundle = bad.make(good, folder / bad.name)
        try:
            return verify(
                bundle, bad.keys(good, folder / "registry"), bad.preset_of, whole_replies=whole_replies
            ).report
        except RefusedError as refusal:
            return refusal.report


@every_fault
def test_a_bad_bundle_is_refused_by_its_step_alone_and_in_clear_words(bad: Bad, good: Good, tmp_path: Path) -> None:
    report = judged(bad, good, tmp_path)
    place = [step.code for step in STEPS].index(bad.step)
    assert [check.code for check in report.checks] == [step.code for step in STEPS]
    assert [check.status for check in report.checks] == (
        ["passed"] * place + ["failed"] + ["not run"] * (len(STEPS) - place - 1)
    ), report.faults
    assert report.verdict == "refused"
    line = report.faults[0].line()
    assert [part for part in bad.says if part not in line] == [], line
    for fault in report.faults:
        assert fault.code == bad.step
        assert all((fault.file, fault.expected, fault.got, fault.remedy))
        assert len(fault.line()) < 2_000
        assert fault.line().isprintable()
    assert Report.model_validate_json(report.to_json()) == report
    json.loads(report.to_json())


@every_fault
def test_the_same_is_refused_without_whole_replies(bad: Bad, good: Good, tmp_path: Path) -> None:
    """Of one bundle that is made anew each time the sizes differ, so what was counted is left out."""
    told = [
        [
            (check.code, check.status, check.faults)
            for check in judged(bad, good, tmp_path / name, whole_replies=whole).checks
        ]
        for name, whole in (("whole", True), ("short", False))
    ]
    assert told[0] == told[1]


@pytest.mark.parametrize("kind", sorted(set(get_args(Kind)) - {"one-step"}))
def test_the_bundles_that_bad_ones_are_made_from_are_good(kind: Kind, good: Good) -> None:
    assert verify(good.bundle(kind), registered(good, good.folder), preset_of).report.verdict == "accepted"


@pytest.mark.parametrize("bad", [bad for bad in CATALOGUE if bad.patches and bad.good_passes], ids=lambda bad: bad.name)
def test_a_good_bundle_passes_the_limits_that_are_scaled_down(bad: Bad, good: Good) -> None:
    with patched(bad):
        bundle = good.bundle("history")
        assert verify(bundle, registered(good, good.folder)).report.verdict == "accepted"


def test_names_are_unique_and_fit_a_folder() -> None:
    names = [bad.name for bad in CATALOGUE]
    assert len(set(names)) == len(names)
    assert all(name.replace("-", "").isalnum() and name == name.lower() for name in names)
    assert all(bad.changed and bad.says for bad in CATALOGUE)


def test_every_place_that_can_name_a_fault_is_reached(good: Good, tmp_path: Path) -> None:
    """A check without a bad bundle is found here, by the line that would name its fault."""
    sites = Sites()
    with sites.watching():
        for bad in CATALOGUE:
            judged(bad, good, tmp_path / bad.name)
    assert sites.missed() == []


@pytest.mark.parametrize("step", [step.code for step in STEPS if step.code != "signature"])
def test_A01_without_a_step_some_bad_bundle_is_accepted(
    step: str, good: Good, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No step stands for another: where one finds nothing, what only it finds comes through."""
    take = Faults.take

    def mute(faults: Faults, found: list[Fault]) -> None:
        if faults.step.code != step:
            take(faults, found)

    monkeypatch.setattr(Faults, "take", mute)
    came_through = []
    for bad in CATALOGUE:
        if bad.step != step:
            continue
        try:
            report = judged(bad, good, tmp_path / bad.name)
        except (UnboundLocalError, IndexError):
            continue
        failed = [check.code for check in report.checks if check.status == "failed"]
        assert step not in failed
        if not failed:
            came_through.append(bad.name)
    assert came_through


def test_A01_without_the_check_of_the_signature_a_strangers_bundle_is_accepted(
    good: Good, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoring.checks.signature.verify", lambda signed, key, file: None)
    wanted = {"signed-by-a-stranger", "signature-at-random", "signature-of-zeros", "signature-of-another-bundle"}
    reports = {bad.name: judged(bad, good, tmp_path / bad.name) for bad in CATALOGUE if bad.name in wanted}
    assert {name: report.verdict for name, report in reports.items()} == dict.fromkeys(wanted, "accepted")
