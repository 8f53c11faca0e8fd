"""``s3gym score``: tables whose every number is the results', in any terminal, with words for what is not there."""

from __future__ import annotations

import csv
import io
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard import numbers as site_numbers
from s3gym.commands.score import complete_metric
from s3gym.numbers import number, percent, span
from s3gym.score_tables import SHOWN, View, show_results
from s3gym.sheets import Sheet, sheets
from s3gym.wording import gain
from scoring.flat import flat_rows
from scoring.metric_terms import RunMetric
from scoring.results import Results, Row, RunResult
from tests.bundles import KEY, Board
from tests.s3gym.face import Face, refused
from tests.s3gym.shown import Seen, golden, screen, tables, words
from tests.s3gym.terminal import sit
from tests.scoring.forge import forge
from tests.site.factory import Spec, make_results, realistic
from tests.site.test_site_hostile import CORPUS

ROOT = Path(__file__).resolve().parents[2]
WIDTHS = (60, 72, 80, 100, 120, 200)
COLOUR = re.compile(r"\x1b\[(?:[0-9;]*;)?(?:3[0-7]|9[0-7]|38;[0-9;]+)m")


def shown(results: Results, width: int = 120, view: View | None = None) -> str:
    return screen(lambda console: show_results(console, sheets(results), view or View()), width)


def sections(results: Results, width: int) -> Iterator[tuple[Sheet, str]]:
    """Yield every entry with what is shown of it alone."""
    for sheet in sheets(results):
        yield sheet, screen(lambda console, one=sheet: show_results(console, [one], View()), width)  # type: ignore[misc]


def is_number(cell: str, value: float | None) -> bool:
    """Tell whether a cell shows a value: a dash for none, else the value to the digits shown."""
    if value is None or cell == "-":
        return value is None and cell == "-"
    return float(cell) == pytest.approx(value, abs=0.00051, rel=0.05 if "e" in cell else 0)


def is_span(cell: str, low: float | None, high: float | None) -> bool:
    one, _, other = cell.partition(" to ")
    return is_number(one, low) and is_number(other or "-", high)


@pytest.mark.parametrize("width", WIDTHS)
def test_every_number_of_a_table_is_that_of_the_results(width: int) -> None:
    checked = 0
    for sheet, text in sections(golden(), width):
        seen = tables(text)
        assert set(seen.rows) == {run.game for run in sheet.entry.runs}
        for run in sheet.entry.runs:
            checked += check_row(sheet, run, seen)
    assert checked == 40


def check_row(sheet: Sheet, run: RunResult, seen: Seen) -> int:
    cells = iter(zip(seen.headings, seen.rows[run.game], strict=True))

    def row(metric: RunMetric) -> Row:
        return sheet.rows[run.game, metric]

    def value(heading: str, metric: RunMetric) -> None:
        above, cell = next(cells)
        assert above == heading
        assert is_number(cell, row(metric).value), (run.game, metric, cell)

    def bounds(metric: RunMetric) -> None:
        above, cell = next(cells)
        assert above == "95%"
        assert is_span(cell, row(metric).low, row(metric).high), (run.game, metric, cell)

    value("y(0)", "y0")
    if any(sheet.rows[each.game, "y0"].low is not None for each in sheet.entry.runs):
        bounds("y0")
    value("Avg", "avg")
    bounds("avg")
    value("Max", "max")
    value("final delta", "final_delta")
    bounds("final_delta")
    value("AUC+", "auc_plus")
    above, luck = next(cells)
    assert above == "by luck: median, 95%"
    median, _, high = luck.partition(", ")
    assert is_number(median, row("auc_plus_luck_median").value)
    assert is_number(high or "-", row("auc_plus_luck_high").value)
    value("NABA", "naba")
    value("adjusted p", "trend_p_adjusted")
    assert next(cells) == ("gain", gain(run))
    rank = sheet.ranks[run.game, "auc_plus"]
    above, told = next(cells)
    assert above == "rank"
    assert told.removesuffix(" =") == ("-" if rank.rank is None else f"{rank.rank} of {rank.n}")
    for heading, metric in (("A", "agreement"), ("base rate", "base_rate"), ("over", "over_confidence")):
        value(heading, metric)  # type: ignore[arg-type]
        if metric == "agreement":
            bounds("agreement")
    value("under", "under_confidence")
    value("NMAE", "nmae")
    value("bias", "bias")
    value("missing", "missing_scores")
    assert next(cells, None) is None
    return 1


@pytest.mark.parametrize(
    ("made", "widths"),
    [
        pytest.param(golden, (60, 61, 66, 73, 79, 80, 81, 97, 113, 120, 150, 200), id="golden"),
        pytest.param(lambda: make_results(realistic()), (60, 80, 120), id="realistic"),
    ],
)
def test_no_line_is_wider_than_the_terminal_and_nothing_is_cut(
    made: Callable[[], Results], widths: tuple[int, ...]
) -> None:
    results = made()
    whole = tables(shown(results, 1000)).rows
    for width in widths:
        text = shown(results, width)
        assert max(map(len, text.split("\n"))) <= width
        assert "…" not in text
        assert tables(text).rows == whole


def test_without_self_judging_nothing_of_it_is_shown() -> None:
    text = shown(golden(), 120, View(judging=False))
    assert {"A", "base rate", "over", "under", "NMAE", "bias", "missing"} & set(tables(text).headings) == set()
    assert "rank" in tables(text).headings
    assert "self-score" not in text


def test_tables_by_game_hold_what_tables_by_entry_hold() -> None:
    results = golden()
    for sheet, text in sections(results, 100):
        mine = tables(text)
        for run in sheet.entry.runs:
            theirs = tables(shown(results, 100, View(games=(run.game,), by_game=True)))
            # With repeats of x = 0 of one entry the column is there for all.
            kept = [cell for cell in theirs.rows[sheet.entry.entry] if cell != "-"]
            assert kept == [cell for cell in mine.rows[run.game] if cell != "-"]


def test_what_is_missing_has_its_reason_below() -> None:
    """Also an interval that is missing; and no reason stands there for what is not missing."""
    looked = 0
    for sheet, text in sections(golden(), 80):
        for run in sheet.entry.runs:
            for metric in SHOWN:
                row = sheet.rows[run.game, metric]
                reason = row.reason if row.value is None else row.no_bounds if metric != "y0" else None
                if reason is not None:
                    looked += 1
                    assert reason in words(text)
    assert looked > 10


def test_an_entry_without_remarks_has_none() -> None:
    text = shown(make_results([Spec("plain", curves={}, seed=3)]))
    assert "no interval" not in text
    assert "not ranked" not in text


def test_a_tie_with_the_first_is_marked_at_both_and_only_there() -> None:
    """Two entries that hardly differ, and one far below: the rules of the mark, not of the interval."""
    ys = (1.0, 4.0, 2.0, 5.0, 3.0, 6.0, 4.0, 7.0, 5.0, 8.0, 6.0)
    far = tuple((0.5, 0.5, 0.5) for _ in ys)
    specs = [
        Spec("a", games=("snake",), curves={"snake": tuple((y, y, y) for y in ys)}),
        Spec("b", games=("snake",), curves={"snake": tuple((y, y, y + 0.3 * (k % 3 - 1)) for k, y in enumerate(ys))}),
        Spec("c", games=("snake",), curves={"snake": far}),
    ]
    results = make_results(specs)
    told = {rank.entry: rank.separable for rank in results.ranks if rank.metric == "auc_plus"}
    assert told["c"] is True
    assert sorted(map(str, told.values())) == ["False", "False", "True"]
    seen = tables(shown(results, 120, View(by_game=True)))
    ranks = {entry: cells[seen.headings.index("rank")] for entry, cells in seen.rows.items()}
    assert {entry for entry, cell in ranks.items() if cell.endswith(" =")} == {"a", "b"}
    assert ranks["c"] == "3 of 3"


def test_a_first_that_stands_alone_has_no_mark() -> None:
    seen = tables(shown(make_results([Spec("alone", games=("snake",))])))
    assert "1 of 1" in seen.rows["snake"]


def test_few_strict_episodes_are_told_of_once_a_protocol() -> None:
    text = words(shown(make_results([Spec("a"), Spec("b", seed=1)])))
    assert text.count("no gain beyond noise does not mean no gain. (docs/explanation/how-sure-is-it.md)") == 1
    assert (ROOT / "docs/explanation/how-sure-is-it.md").is_file()
    many = words(shown(make_results([Spec("a", protocol="rigorous-1")])))
    assert "does not mean" not in many
    one = words(shown(make_results([Spec("a", protocol="smoke-1")])))
    assert "1 strict episode a checkpoint is too few to claim anything" in one


def test_what_so_few_checkpoints_cannot_show_is_not_called_noise() -> None:
    """Two checkpoints stand in two orders, so p is 1/2 at least; five in 120, so 7/120 after the adjustment over 7."""
    trial = make_results([Spec("a", protocol="smoke-1")])
    assert "within noise" not in "".join(" ".join(cells) for cells in tables(shown(trial)).rows.values())
    assert "2 checkpoints give no p below 0.500" in words(shown(trial))
    pocket = words(shown(make_results([Spec("a", protocol="pocket-1")])))
    assert "over 7 games the least adjusted p of a single one is 0.058" in pocket
    assert "least adjusted p" not in words(shown(make_results([Spec("a")])))


def test_rows_are_sorted_best_first_and_those_without_a_value_come_last() -> None:
    results = golden()
    for metric, lower in (("avg", False), ("trend_p_adjusted", True), ("auc_plus", False)):
        for sheet in sheets(results):
            view = View(sort=metric)  # type: ignore[arg-type]
            text = screen(lambda console, one=sheet, how=view: show_results(console, [one], how), 120)  # type: ignore[misc]
            values = [sheet.rows[game, metric].value for game in tables(text).rows]  # type: ignore[index]
            known = [value for value in values if value is not None]
            assert values == sorted(known, reverse=not lower) + [None] * (len(values) - len(known))


@pytest.mark.parametrize("text", CORPUS)
def test_A17_A26_hostile_names_are_shown_whole_and_drive_nothing(text: str) -> None:
    results = make_results([Spec("evil", model=f"{text}[bold]model[/]", team=text, deviations=(text,))])
    for width in (60, 120):
        out = shown(results, width)
        assert all(char == "\n" or char.isprintable() for char in out)
        visible = "".join(
            char if char.isprintable() else char.encode("unicode_escape").decode() for char in f"{text}[bold]model[/]"
        )
        assert "".join(visible.split()) in "".join(out.split())


@given(st.floats(-9e6, 9e6))
def test_numbers_are_rounded_as_on_the_pages_of_a_site(value: float) -> None:
    assert number(value) == site_numbers.shown(value).replace(site_numbers.MINUS, "-")


@given(st.floats(-1e300, 1e300))
def test_a_number_is_short_and_none_but_zero_is_written_as_zero(value: float) -> None:
    assert len(number(value)) <= 12
    assert (number(value) == "0") == (value == 0)
    assert float(number(value)) == pytest.approx(value, abs=0.00051, rel=0.06)


def test_numbers_that_are_not_there() -> None:
    assert number(None) == percent(None) == span(None, None) == "-"


def test_a_share_is_none_or_all_only_if_it_is() -> None:
    shares = {0.0: "0%", 1e-9: "<0.1%", 0.4567: "45.7%", 1 - 1e-9: ">99.9%", 1.0: "100%"}
    assert {share: percent(share) for share in shares} == shares


def test_json_and_csv_hold_the_results(face: Face, board: Board) -> None:
    call = ("score", str(board.bundle("history")), "--keys", str(board.keys))
    text = face(*call, "--json").stdout
    results = Results.model_validate_json(text)
    assert results.to_json() == text
    table = list(csv.DictReader(io.StringIO(face(*call, "--csv").stdout)))
    flat = list(flat_rows(results))
    assert [row["metric"] for row in table] == [row.metric for row in flat]
    assert [row["value"] for row in table] == ["" if row.value is None else str(row.value) for row in flat]
    refused(face(*call, "--csv", "--json"), 2, "expected --json or --csv")


def test_parquet_holds_the_results_beside_what_is_printed(face: Face, board: Board, tmp_path: Path) -> None:
    call = ("score", str(board.bundle("history")), "--keys", str(board.keys), "--json")
    done = face(*call, "--parquet", "rows.parquet")
    assert done.exit_code == 0, done.output
    flat = list(flat_rows(Results.model_validate_json(done.stdout)))
    frame = pd.read_parquet(tmp_path / "rows.parquet")
    assert list(frame.columns) == list(flat[0]._fields)
    read = [tuple(None if pd.isna(cell) else cell for cell in row) for row in frame.itertuples(index=False)]
    assert read == [tuple(row) for row in flat]


def test_without_pyarrow_it_says_so_before_anything_is_verified(
    face: Face, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    done = face("score", "nowhere", "--keys", str(board.keys), "--parquet", "rows.parquet")
    refused(done, 2, "pyarrow", "s3gym[parquet]")
    assert not Path("rows.parquet").exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--sort", "luck"), ("sort", "auc_plus", "agreement", "'luck'")),
        (("--game", "snak"), ("snake",)),
        (("--by", "team"), ("entry", "game")),
        (("--parquet", "nowhere/rows.parquet"), ("nowhere/rows.parquet",)),
        (("--parquet", "."), ("expected a file",)),
    ],
)
def test_a_wrong_option_is_refused_before_anything_is_verified(
    face: Face, board: Board, more: tuple[str, ...], said: tuple[str, ...]
) -> None:
    refused(face("score", "nowhere", "--keys", str(board.keys), *more), 2, *said)


def test_a_refused_bundle_is_told_of_and_nothing_is_scored(face: Face, board: Board, tmp_path: Path) -> None:
    bad = forge(board.bundle("history"), tmp_path / "bad", KEY, lambda parts: parts.step().update(reward=9.0))
    done = face("score", str(bad), "--keys", str(board.keys), "--parquet", "rows.parquet")
    refused(done, 1, "replay")
    assert "AUC+" not in done.output
    assert not Path("rows.parquet").exists()


def test_colour_is_never_alone_and_goes_with_NO_COLOR(board: Board) -> None:
    call = ("score", str(board.bundle("history")), "--keys", str(board.keys), "--no-cache")
    bright = sit(call, (), prompt="\0", columns=80)
    quiet = sit(call, (), prompt="\0", columns=80, NO_COLOR="1")
    assert bright.code == quiet.code == 0
    assert COLOUR.search(bright.screen)
    assert not COLOUR.search(quiet.screen)
    assert "cannot be told" in quiet.screen


def test_a_terminal_that_knows_ascii_alone_gets_ascii(board: Board) -> None:
    narrow = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-m", "s3gym", "score", str(board.bundle("history")), "--keys", str(board.keys)],
        env={**os.environ, **narrow, "COLUMNS": "80", "PYTHONPATH": f"{ROOT}:{ROOT / 'site'}"},
        capture_output=True,
        check=True,
    )
    text = done.stdout.decode("ascii")
    assert "\\u" not in text
    assert "snake" in text
    assert max(map(len, text.split("\n"))) <= 80


def test_a_shell_completes_metrics_with_what_they_are() -> None:
    offered = dict(complete_metric("auc_plus"))
    assert set(offered) == {"auc_plus", "auc_plus_luck_median", "auc_plus_luck_high"}
    assert offered["auc_plus"].startswith("area between the curve and y(0)")
