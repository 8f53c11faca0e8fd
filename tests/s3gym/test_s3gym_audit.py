"""``s3gym audit`` on tables that can be and tables that cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.s3gym.face import Face, refused

HEADER = "game,model,avg,max,auc_plus\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tmp_path / "table.csv"


def test_a_table_that_can_be_is_accepted_with_its_curves(face: Face, table: Path) -> None:
    table.write_text(HEADER + "Nullify,GPT-4o,0.030,0.333,0.500\n", encoding="utf-8")
    result = face("audit", str(table), "--json")
    assert result.exit_code == 0, result.output
    (row,) = json.loads(result.stdout)
    assert row["verdict"] == "feasible"
    assert len(row["xs"]) == len(row["ys"]) == 11


def test_one_impossible_row_is_named_and_gives_the_refused_code(face: Face, table: Path) -> None:
    table.write_text(HEADER + "Nullify,good,0.030,0.333,0.500\nNullify,bad,0.031,0.333,0.500\n", encoding="utf-8")
    result = face("audit", str(table))
    assert result.exit_code == 1, result.output
    assert "1 feasible, 1 impossible, 0 undecided" in result.output


def test_checkpoints_episodes_and_steps_are_those_that_are_given(face: Face, table: Path) -> None:
    table.write_text(HEADER + "poker,m,1.50,2.00,1.50\n", encoding="utf-8")
    more = ("--checkpoints", "2", "--episodes", "1", "--failures", "0", "--decimals", "-1", "--json")
    result = face("audit", str(table), "--grid", "poker=1", *more)
    assert result.exit_code == 0, result.output
    (row,) = json.loads(result.stdout)
    assert (row["xs"], row["ys"]) == ([0, 3], ["1", "2"])


def test_an_unknown_game_a_missing_file_and_a_broken_table_are_refused_in_words(face: Face, table: Path) -> None:
    refused(face("audit", str(table)), 2, "table.csv")
    table.write_text(HEADER + "poker,m,1.5,2,1.5\n", encoding="utf-8")
    refused(face("audit", str(table)), 2, "--grid poker=STEP")
    table.write_bytes(HEADER.encode() + b"\xff\n")
    refused(face("audit", str(table)), 2)
    table.write_text("x" * 1_000_001, encoding="utf-8")
    refused(face("audit", str(table)), 2, "1,000,000")


def test_names_from_the_table_are_shown_as_they_are(face: Face, table: Path) -> None:
    table.write_text(HEADER + "Nullify,[red]x\x1b[31m,0.030,0.333,0.500\n", encoding="utf-8")
    result = face("audit", str(table))
    assert "[red]x" in result.output
    assert "\x1b[31m" not in result.output
