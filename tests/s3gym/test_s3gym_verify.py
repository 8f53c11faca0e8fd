"""``s3gym verify``: the same report in any process, whoever works; no verdict where time ran out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from protocol.own import protocols
from protocol.preset import preset_named
from protocol.rounds import preset_toml
from scoring.report import Report
from tests.bundles import KEY, Board
from tests.s3gym.face import Face, refused
from tests.scoring.forge import Parts, forge

ROOT = Path(__file__).resolve().parents[2]


def wrong(parts: Parts) -> None:
    for index in range(4):
        parts.step(index, phase="explore").update(reward=7.0)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_json_is_the_report_and_nothing_else(face: Face, board: Board, tmp_path: Path, workers: str) -> None:
    arguments = ["verify", str(board.bundle("history")), "--keys", str(board.keys), "--json", "--workers", workers]
    result = face(*arguments, "--report", str(tmp_path / "report.json"))
    assert result.exit_code == 0
    assert (tmp_path / "report.json").read_text() == result.stdout
    report = Report.model_validate_json(result.stdout)
    assert [check.status for check in report.checks] == ["passed"] * 9
    assert json.loads(result.stdout)["schema_id"] == "s3gym-report-1"


def test_a_report_of_a_refusal_names_the_steps_that_did_not_run(face: Face, board: Board, tmp_path: Path) -> None:
    folder = forge(board.bundle("history"), tmp_path / "b", KEY, wrong)
    result = face("verify", str(folder), "--keys", str(board.keys), "--json")
    assert result.exit_code == 1
    statuses = [check.status for check in Report.model_validate_json(result.stdout).checks]
    assert statuses == ["passed"] * 6 + ["failed", "not run", "not run"]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_no_time_is_no_verdict(face: Face, board: Board, tmp_path: Path, workers: str) -> None:
    """Neither a good bundle nor a bad one is judged, and no report is written."""
    bad = forge(board.bundle("history"), tmp_path / "b", KEY, wrong)
    for folder in (board.bundle("history"), bad):
        arguments = ["verify", str(folder), "--keys", str(board.keys), "--workers", workers, "--time-limit", "0"]
        result = face(*arguments, "--json", "--report", str(tmp_path / "report.json"))
        refused(result, 2, "not checked to the end within 0 seconds")
        assert "refused" not in result.output
        assert not (tmp_path / "report.json").exists()


def test_enough_time_changes_nothing(face: Face, board: Board) -> None:
    arguments = ["verify", str(board.bundle("history")), "--keys", str(board.keys), "--json"]
    assert face(*arguments, "--time-limit", "3600").stdout == face(*arguments).stdout


@pytest.mark.parametrize("number", ["0", "-1", "65", "two"])
def test_a_number_of_workers_that_is_none_is_refused(face: Face, board: Board, number: str) -> None:
    result = face("verify", str(board.bundle("history")), "--keys", str(board.keys), "--workers", number)
    assert result.exit_code == 2
    assert "workers" in result.output


def test_RP_02_A10_A11_a_report_is_the_same_in_any_process(board: Board, tmp_path: Path) -> None:
    """Other hash seeds, time zones, locales, folders and users' homes give the same bytes."""
    bad = forge(board.bundle("history"), tmp_path / "b", KEY, wrong)
    reports = set()
    for number, (hash_seed, zone, locale) in enumerate(
        [("0", "UTC", "C"), ("1", "Pacific/Kiritimati", "C.UTF-8"), ("random", "America/St_Johns", "POSIX")]
    ):
        place = tmp_path / str(number)
        place.mkdir()
        odd = {"PYTHONHASHSEED": hash_seed, "TZ": zone, "LC_ALL": locale, "HOME": str(place), "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "s3gym", "verify", str(bad), "--keys", str(board.keys), "--json"]
        done = subprocess.run(command, env={**os.environ, **odd}, cwd=place, capture_output=True, check=False)
        assert done.returncode == 1, done.stderr
        reports.add(done.stdout)
    assert len(reports) == 1


def test_a_file_cannot_put_another_protocol_under_the_id_of_a_released_one(tmp_path: Path) -> None:
    released = preset_named("smoke-1")
    file = tmp_path / "own.toml"
    file.write_text(preset_toml(released), encoding="utf-8")
    assert protocols([file])("smoke-1") == released
    file.write_text(preset_toml(released.model_copy(update={"max_steps": 9})), encoding="utf-8")
    with pytest.raises(ValueError, match="a released preset never changes"):
        protocols([file])
