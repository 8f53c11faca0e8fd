"""``s3gym audit`` on tables that can be and tables that cannot."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.s3gym.face import Face, refused

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "audit-a-table.md"
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


ROW = "Nullify,{model},0.576,1.000,{area}\n"
CURVE = ".3333 .3333 1 .6667 .6667 0 1 .6667 .3333 .3333 1"


def test_a_row_with_its_curve_is_reproduced_or_told_what_would_be_printed(face: Face, table: Path) -> None:
    """The paper's row and curve, and the same with one digit changed."""
    table.write_text(
        HEADER + ROW.format(model="a", area="7.418") + ROW.format(model="b", area="7.428"), encoding="utf-8"
    )
    curves = table.with_name("curves.csv")
    curves.write_text(f"game,model,ys\nNullify,a,{CURVE}\nNullify,b,{CURVE}\n", encoding="utf-8")
    result = face("audit", str(table), "--curves", str(curves), "--json")
    assert result.exit_code == 1, result.output
    one, other = json.loads(result.stdout)
    assert (one["verdict"], one["again"]) == ("reproduced", ["0.576", "1.000", "7.418"])
    assert (other["verdict"], other["again"]) == ("not reproduced", ["0.576", "1.000", "7.418"])
    assert "AUC+ would be printed as 7.418, not 7.428" in other["reason"]
    shown = face("audit", str(table), "--curves", str(curves))
    assert "1 reproduced, 1 not reproduced, 0 feasible, 0 impossible, 0 undecided" in shown.output


def test_the_papers_main_table_is_reproduced_by_the_stored_curves(face: Face) -> None:
    """Two pathways in one table: rows and curves are told apart by it, by its published and by our name."""
    root = PAGE.parents[2]
    table = root / "scoring" / "published" / "s3gym-main-table.csv"
    result = face("audit", str(table), "--curves", str(root / "docs" / "reference" / "published-curves.csv"))
    assert result.exit_code == 0, result.output
    assert "98 reproduced, 0 feasible, 0 impossible, 0 undecided" in result.output


def test_a_row_without_a_curve_is_audited_from_its_digits_and_a_game_without_steps_needs_a_curve(
    face: Face, table: Path
) -> None:
    table.write_text(
        "game,model,avg,max,auc_plus,ys\npoker,m,1.50,2.00,1.50,1 2\nNullify,n,0.50,1.00,1.50,\n", encoding="utf-8"
    )
    more = ("--checkpoints", "2", "--failures", "0", "--episodes", "1")
    result = face("audit", str(table), *more, "--json")
    assert result.exit_code == 0, result.output
    assert [row["verdict"] for row in json.loads(result.stdout)] == ["reproduced", "feasible"]


def test_curves_that_cannot_be_read_or_belong_to_no_row_are_refused_in_words(face: Face, table: Path) -> None:
    table.write_text(HEADER + ROW.format(model="a", area="7.418"), encoding="utf-8")
    curves = table.with_name("curves.csv")
    refused(face("audit", str(table), "--curves", str(curves)), 2, "curves.csv")
    curves.write_text(f"game,model,ys\nNullify,b,{CURVE}\n", encoding="utf-8")
    refused(face("audit", str(table), "--curves", str(curves)), 2, "curves.csv, line 2", "spell game")
    curves.write_text("game,model,x,score\nNullify,a,1,0\n", encoding="utf-8")
    refused(face("audit", str(table), "--curves", str(curves)), 2, "curves.csv, line 2, x", "--checkpoints")


def test_the_files_of_the_how_to_give_the_verdicts_that_it_tells(face: Face, table: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    printed, *forms = re.findall(r"```csv\n(.*?)```", text, re.DOTALL)
    assert len(forms) == 3
    table.write_text(printed, encoding="utf-8")
    told = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([\w ]+) \|$", text, re.MULTILINE)
    assert len(told) == 3
    curves = table.with_name("curves.csv")
    for form in forms:
        curves.write_text(form, encoding="utf-8")
        more = ("--checkpoints", "3", "--episodes", "2", "--json")
        rows = json.loads(face("audit", str(table), "--curves", str(curves), *more).stdout)
        assert [(row["model"], row["verdict"]) for row in rows] == told


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
