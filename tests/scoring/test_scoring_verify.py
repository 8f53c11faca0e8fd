"""Every verification step refuses what only it can refuse, and names the place; honest bundles pass."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from protocol.bundle import ENVELOPE, list_files
from protocol.context import Pathway
from scoring import verify as verifying
from scoring.checks import claims, limits
from scoring.checks.step import MAX_FAULTS
from scoring.registry import Registry
from scoring.report import Report
from scoring.verified import VerifiedBundle
from scoring.verify import STEPS, RefusedError, verify
from tests.bundles import KEY, Board
from tests.scoring.forge import Fields, Parts, forge


def refused(folder: Path, board: Board) -> Report:
    with pytest.raises(RefusedError) as error:
        verify(folder, Registry(board.keys))
    return error.value.report


def failed_step(report: Report) -> str:
    """Return the one step that failed; those before it passed and those after it did not run."""
    statuses = [check.status for check in report.checks]
    place = statuses.index("failed")
    assert statuses == ["passed"] * place + ["failed"] + ["not run"] * (len(STEPS) - place - 1)
    assert [check.code for check in report.checks] == [step.code for step in STEPS]
    assert report.verdict == "refused"
    return report.checks[place].code


@pytest.mark.parametrize("pathway", ["history", "summary"])
def test_an_honest_bundle_is_accepted_and_every_step_ran(board: Board, pathway: Pathway) -> None:
    verified = verify(board.bundle(pathway), Registry(board.keys))
    assert verified.report.verdict == "accepted"
    assert [(check.number, check.status) for check in verified.report.checks] == [(n, "passed") for n in range(9)]
    assert all(check.detail for check in verified.report.checks)


def test_only_verify_makes_a_verified_bundle(board: Board) -> None:
    good = verify(board.bundle("history"), Registry(board.keys))
    with pytest.raises(AssertionError, match=r"made by scoring\.verify"):
        VerifiedBundle(good.manifest, good.preset, good.runs, good.report, good.digest, good.keyid, object())


def test_an_untouched_forgery_is_accepted(board: Board, tmp_path: Path) -> None:
    """The tool that makes bad bundles changes nothing by itself."""
    folder = forge(board.bundle("summary"), tmp_path / "b", KEY, lambda parts: None)
    assert verify(folder, Registry(board.keys)).report.verdict == "accepted"


def listed(value: object) -> list[Fields]:
    assert isinstance(value, list)
    return value


def test_steps_are_numbered_in_order_with_codes_of_their_own() -> None:
    assert [step.number for step in STEPS] == list(range(9))
    assert len({step.code for step in STEPS}) == 9


@pytest.mark.parametrize("code", [step.code for step in STEPS])
def test_A01_a_step_that_is_left_out_is_never_accepted(
    board: Board, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    """With one more step in the written list than is run, nothing is accepted."""
    steps = list(STEPS)
    place = [step.code for step in steps].index(code)
    steps.insert(place, limits.STEP if code != "limits" else claims.STEP)
    monkeypatch.setattr(verifying, "STEPS", tuple(steps))
    with pytest.raises((RefusedError, AssertionError)):
        verify(board.bundle("history"), Registry(board.keys))


def test_A03_one_flipped_byte_in_any_file_is_refused_and_the_file_named(board: Board, tmp_path: Path) -> None:
    good = board.bundle("summary")
    for name, size in list_files(good).items():
        folder = tmp_path / name.replace("/", "-")
        shutil.copytree(good, folder)
        data = bytearray((folder / name).read_bytes())
        data[size // 2] ^= 1
        (folder / name).write_bytes(data)
        report = refused(folder, board)
        assert failed_step(report) == ("signature" if name == ENVELOPE else "files")
        assert name in {fault.file for fault in report.faults}
        text = report.to_json()
        assert '"verdict": "refused"' in text
        assert "accepted" not in text


def test_a_readme_may_come_along(board: Board, tmp_path: Path) -> None:
    folder = forge(board.bundle("history"), tmp_path / "b", KEY, lambda p: p.extra.update({"README.md": b"hello"}))
    assert verify(folder, Registry(board.keys)).report.verdict == "accepted"


def test_A02_an_empty_folder_is_refused(board: Board, tmp_path: Path) -> None:
    report = refused(tmp_path, board)
    assert failed_step(report) == "limits"
    assert report.faults[0].file == ENVELOPE


def test_A02_a_folder_that_is_not_there_could_not_be_checked(board: Board, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected a folder"):
        verify(tmp_path / "nowhere", Registry(board.keys))


def test_A02_an_unknown_team_is_refused(board: Board, tmp_path: Path) -> None:
    empty = tmp_path / "keys"
    empty.mkdir()
    with pytest.raises(RefusedError, match="no such team"):
        verify(board.bundle("history"), Registry(empty))


def test_at_most_ten_faults_are_named_within_a_step(board: Board, tmp_path: Path) -> None:
    def change(parts: Parts) -> None:
        for episode in parts.episodes():
            for step in listed(episode["steps"]):
                step["reward"] = 5.0

    report = refused(forge(board.bundle("history"), tmp_path / "b", KEY, change), board)
    assert failed_step(report) == "replay"
    assert len(report.faults) == MAX_FAULTS


def test_A09_the_first_mismatch_names_file_episode_step_expected_and_got(board: Board, tmp_path: Path) -> None:
    folder = forge(
        board.bundle("history"), tmp_path / "b", KEY, lambda p: p.step(1, phase="explore").update(reward=3.0)
    )
    fault = refused(folder, board).faults[0]
    assert (fault.file, fault.place, fault.step) == ("episodes/snake.jsonl.gz", "explore 0", 1)
    assert "reward" in fault.expected
    assert fault.got == "3.0"
