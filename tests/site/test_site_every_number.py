"""Every number on a page is the one in results.json, in the column that names it (A18, A19)."""

import json
from collections import Counter
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from pathlib import Path
from typing import cast

import pytest

from scoring.results import Rank, Results, Row
from tests.site.html import Element, Number, figures, numbers, read

LABELS = {
    "y0": "y(0)",
    "avg": "Avg",
    "max": "Max",
    "auc_plus": "AUC+",
    "final_delta": "Final Δ",
    "avg_floor": "Avg, floor",
    "auc_plus_floor": "AUC+, floor",
    "rank:avg": "Avg rank",
    "rank:max": "Max rank",
    "rank:auc_plus": "AUC+ rank",
}
RANKED = ("avg", "max", "auc_plus")


def rounded(value: float) -> str:
    """Return the text that the written rule gives, by decimal arithmetic."""
    exact = Decimal(value)
    if exact == 0:
        return "0"
    if abs(exact) < Decimal("0.0005"):
        return f"{exact:.1e}".replace("e-", "e-0").replace("-", "−")
    return str(exact.quantize(Decimal("0.001"), ROUND_HALF_EVEN)).replace("-", "−")


def table_of(rank: Rank) -> tuple[str, str, str, int, str, int | None]:
    return (rank.protocol, rank.pathway, rank.game, rank.rules_version, rank.metric, rank.rank)


class Told:
    """What results.json says, read from the file on the site."""

    def __init__(self, site: Path) -> None:
        data = Results.model_validate_json((site / "data" / "results.json").read_text())
        self.data = data
        self.rows: dict[tuple[str, str, str], Row] = {(row.entry, row.game, row.metric): row for row in data.rows}
        self.ranks: dict[tuple[str, str, str], Rank] = {(r.entry, r.game, r.metric): r for r in data.ranks}
        self.shared = Counter(map(table_of, data.ranks))
        self.curves = {(point.entry, point.game, point.checkpoint): point for point in data.curves}
        self.explored = {(point.entry, point.game, point.index): point for point in data.explorations}
        self.entries = {entry.entry: entry for entry in data.entries}
        self.runs = {(entry.entry, run.game): run for entry in data.entries for run in entry.runs}

    def games(self, entry: str) -> list[str]:
        return [run.game for run in self.entries[entry].runs]

    def improved(self, entry: str) -> int:
        values = [self.rows[entry, game, "auc_plus"].value for game in self.games(entry)]
        return sum(value is not None and value > 0 for value in values)

    def mean_rank(self, entry: str, metric: str) -> float:
        ranks = [rank.rank for (name, _, key), rank in self.ranks.items() if (name, key) == (entry, metric)]
        return float(Fraction(sum(cast("list[int]", ranks)), len(ranks)))


def rank_text(told: Told, entry: str, game: str, metric: str) -> tuple[float | None, str]:
    rank = told.ranks[entry, game, metric]
    if rank.rank is None:
        return None, "—"
    return rank.rank, f"{rank.rank}{'=' if told.shared[table_of(rank)] > 1 else ''}"


def score(value: float | None) -> tuple[float | None, str]:
    return value, "—" if value is None else rounded(value)


def whole(value: int) -> tuple[float | None, str]:
    return value, f"{value:,}".replace(",", "\u202f")


def expected(told: Told, cell: Number) -> tuple[float | None, str]:
    """Return the full value and the text that this cell must hold."""
    entry, game, (metric, *rest) = cell.entry, cell.game, cell.metric.split(":")
    if metric == "rank":
        return rank_text(told, entry, rest[1] if len(rest) == 2 else game, rest[0])
    if metric in ("mean", "explore") and rest:
        place = int(rest[0])
        return score(
            told.curves[entry, game, place].mean if metric == "mean" else told.explored[entry, game, place].score
        )
    if metric in ("mean", "low", "high", "failed", "scores"):
        point = told.curves[entry, game, int(cell.head)]
        if metric == "scores":
            return None, ", ".join(map(rounded, point.scores))
        reads: dict[str, tuple[float | None, str]] = {
            "mean": score(point.mean),
            "low": score(min(point.scores, default=None)),
            "high": score(max(point.scores, default=None)),
            "failed": whole(point.failed),
        }
        return reads[metric]
    counts: dict[str, Callable[[], tuple[float | None, str]]] = {
        "mean_rank": lambda: score(told.mean_rank(entry, rest[0])),
        "improved": lambda: whole(told.improved(entry)),
        "games_ranked": lambda: whole(sum(told.runs[entry, name].ranked for name in told.games(entry))),
        "n": lambda: whole(told.rows[entry, game, "avg"].n),
        "steps": lambda: whole(told.runs[entry, game].steps),
        "unreadable": lambda: whole(told.runs[entry, game].unreadable),
        "truncated": lambda: whole(told.runs[entry, game].truncated),
        "empty": lambda: whole(told.runs[entry, game].empty),
        "filtered": lambda: whole(told.runs[entry, game].filtered),
        "missing_scores": lambda: whole(told.runs[entry, game].missing_scores),
        "failed_explorations": lambda: whole(told.runs[entry, game].failed_explorations),
        "failed_checkpoints": lambda: whole(told.runs[entry, game].failed_checkpoints),
    }
    if metric in counts:
        return counts[metric]()
    return score(told.rows[entry, game, metric].value)


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Element]:
    paths = (site / "index.html", *sorted(site.glob("games/*.html")), *sorted(site.glob("entries/*.html")))
    return {path.relative_to(site).as_posix(): read(path) for path in paths}


@pytest.fixture(scope="module")
def told(site: Path) -> Told:
    return Told(site)


@pytest.fixture(scope="module")
def all_numbers(pages: dict[str, Element]) -> dict[str, list[Number]]:
    return {path: numbers(page) for path, page in pages.items()}


def test_every_number_in_a_table_is_the_one_in_the_results(told: Told, all_numbers: dict[str, list[Number]]) -> None:
    checked = 0
    for path, found in all_numbers.items():
        for cell in found:
            value, text = expected(told, cell)
            assert cell.shown == text, f"{path}: {cell}"
            assert (None if cell.value is None else float(cell.value)) == value, f"{path}: {cell}"
            checked += 1
    assert checked > 10_000


def test_every_row_of_the_results_stands_on_its_entry_and_its_game(
    told: Told, all_numbers: dict[str, list[Number]]
) -> None:
    found = {(path, cell.entry, cell.game, cell.metric) for path, cells in all_numbers.items() for cell in cells}
    for (entry, game, metric), row in told.rows.items():
        assert (f"entries/{entry}.html", entry, game, metric) in found
        if not metric.endswith("_floor"):
            assert (f"games/{game}.html", entry, game, metric) in found, row
    for entry, game, metric in told.ranks:
        assert (f"entries/{entry}.html", entry, game, f"rank:{metric}") in found
        assert (f"games/{game}.html", entry, game, f"rank:{metric}") in found


def test_A18_a_header_names_what_its_column_holds(pages: dict[str, Element]) -> None:
    for path, page in pages.items():
        for header in page.all("th"):
            metric = header.attrs.get("data-metric", "")
            if metric in LABELS:
                assert header.text == LABELS[metric], path


def test_A19_every_metric_of_one_run_differs_so_that_no_column_can_hold_another(told: Told) -> None:
    """The fixture itself: were two metrics equal, a swapped column would go unseen."""
    keys = [key for key in told.rows if key[:2] == ("cedar-history", "snake")]
    assert len({told.rows[key].value for key in keys}) == len(keys) == 7


def test_a_missing_value_is_a_dash_whose_reason_is_in_its_title_and_in_a_note(
    pages: dict[str, Element], all_numbers: dict[str, list[Number]]
) -> None:
    missing = [(path, cell) for path, cells in all_numbers.items() for cell in cells if cell.value is None]
    missing = [(path, cell) for path, cell in missing if cell.metric != "scores"]
    assert len(missing) > 20
    notes = {
        (path, box.attrs["id"]): [
            item.text for found in box.walk() if found.has_class("notes") for item in found.all("li")
        ]
        for path, page in pages.items()
        for box in page.walk()
        if box.has_class("table")
    }
    for path, cell in missing:
        assert cell.shown == "—"
        assert notes[path, cell.table][int(cell.note.removeprefix(", note ")) - 1] == cell.title, f"{path}: {cell}"
    reasons = {cell.title for _, cell in missing}
    assert reasons >= {
        "the checkpoint x = 0 failed: there is no baseline",
        "2 checkpoints failed; at most 1 may",
        "protocol smoke-1 is never ranked",
    }


def test_LB_02_zero_is_shown_as_0_and_ranked(all_numbers: dict[str, list[Number]]) -> None:
    cells = {(cell.entry, cell.metric): cell for cell in all_numbers["games/nullify.html"]}
    assert cells["birch-history", "auc_plus"].shown == "0"
    assert cells["birch-history", "avg"].shown == "0"
    assert cells["birch-history", "rank:auc_plus"].value is not None


def test_costs_are_those_of_the_results(told: Told, pages: dict[str, Element]) -> None:
    for entry, result in told.entries.items():
        facts = {
            element.attrs["data-fact"]: element
            for element in pages[f"entries/{entry}.html"].walk()
            if "data-fact" in element.attrs
        }
        totals = result.totals
        assert set(facts) == {"steps", "requests", "tokens_in", "tokens_out", "seconds"}
        assert {name: float(fact.attrs["data-value"]) for name, fact in facts.items()} == {
            name: getattr(totals, name) for name in facts
        }
        assert facts["tokens_in"].text == "81\u202f234\u202f567"
        assert facts["seconds"].text == "11\u202fh 10\u202fmin"


def test_every_chart_draws_the_numbers_of_the_results(told: Told, pages: dict[str, Element]) -> None:
    seen = 0
    for path, page in pages.items():
        for name, figure in figures(page).items():
            traces = {str(trace["name"]): trace for trace in figure["data"]}
            kind, _, rest = name.partition("-")
            if kind == "curve":
                entry, _, game = rest.rpartition("-")
                points = [point for key, point in sorted(told.curves.items()) if key[:2] == (entry, game)]
                assert traces["mean"]["x"] == [point.checkpoint for point in points], path
                assert traces["mean"]["y"] == [point.mean for point in points], path
                assert traces["episode"]["y"] == [score for point in points for score in point.scores], path
                spread = [max(point.scores) for point in points if point.scores]
                assert traces["spread"]["y"][: len(spread)] == spread, path
                lowest = [min(point.scores) for point in points if point.scores]
                assert traces["spread"]["y"][len(spread) :] == lowest[::-1], path
                base = told.rows[entry, game, "y0"].value
                assert ("baseline y(0)" in traces) == (base is not None), path
                if base is not None:
                    assert traces["baseline y(0)"]["y"] == [base, base], path
            elif kind == "explore":
                entry, _, game = rest.rpartition("-")
                scores = [point for key, point in sorted(told.explored.items()) if key[:2] == (entry, game)]
                valid = [point for point in scores if point.score is not None]
                assert traces["exploration"]["y"] == [point.score for point in valid], path
                assert traces["exploration"]["x"] == [point.index + 1 for point in valid], path
            else:
                for label, trace in traces.items():
                    entry = label.partition(" · ")[0]
                    game = path.removeprefix("games/").removesuffix(".html")
                    points = [point for key, point in sorted(told.curves.items()) if key[:2] == (entry, game)]
                    assert trace["y"] == [point.mean for point in points], path
            seen += 1
    assert seen > 150


def test_standings_json_is_what_the_results_give(told: Told, site: Path) -> None:
    standings = json.loads((site / "data" / "standings.json").read_text())
    seen = 0
    for table in standings["tables"]:
        for line in table["entries"]:
            entry, metric = line["entry"], table["metric"]
            assert line["ranks"] == [told.ranks[entry, game, metric].rank for game in table["games"]]
            assert line["mean_rank"] == told.mean_rank(entry, metric)
            assert line["games_improved_naive"] == told.improved(entry)
            assert table["games"] == sorted(table["games"], key=table["games"].index)
            seen += 1
    assert seen == 3 * sum(entry.outside_main_table is None for entry in told.entries.values())
