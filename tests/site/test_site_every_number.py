"""Every number on a page is the one in results.json, in the column that names it (A18, A19)."""

import json
from collections import Counter
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import cast

import pytest

from protocol.records import Totals
from scoring.metric_terms import ENTRY_METRICS, PAIR_METRICS, POOL_METRICS, RUN_METRICS
from scoring.results import EntryRow, PairRow, PoolRow, Rank, Results, Row
from tests.site.factory import GAMES
from tests.site.html import Element, Number, figures, numbers, read, shown_text, texts

LABELS = {str(metric): term.title for metric, term in RUN_METRICS.items()} | {
    "rank:avg": "Avg rank",
    "rank:max": "Max rank",
    "rank:auc_plus": "AUC+ rank",
    "entry:games_improved": "games with AUC+ > 0",
    "entry:games_beyond_noise": "games improved beyond noise",
}
ON_GAMES = (
    *("avg", "max", "auc_plus", "auc_minus", "final_delta", "naba", "naba_eps", "y0"),
    *("trend_p_adjusted", "auc_plus_luck_median", "auc_plus_luck_high"),
)
"""What a game's page shows of each run."""
COUNTS = ("games_improved", "games_beyond_noise")
RANKED = ("avg", "max", "auc_plus")


def rounded(value: float) -> str:
    """Return the text that the written rule gives, by decimal arithmetic."""
    exact = Decimal(value)
    if exact == 0:
        return "0"
    if abs(exact) < Decimal("0.0005"):
        digits, _, power = f"{exact:.1e}".partition("e-")
        return f"{digits}e-{int(power):02}".replace("-", "−")
    return str(exact.quantize(Decimal("0.001"), ROUND_HALF_EVEN)).replace("-", "−")


def table_of(rank: Rank) -> tuple[str, str, str, int, str, int | None]:
    return (rank.protocol, rank.pathway, rank.game, rank.rules_version, rank.metric, rank.rank)


class Told:
    """What results.json says, read from the file on the site."""

    def __init__(self, site: Path) -> None:
        data = Results.model_validate_json((site / "data" / "results.json").read_text())
        self.data = data
        self.rows: dict[tuple[str, str, str], Row] = {(row.entry, row.game, row.metric): row for row in data.rows}
        self.entry_rows: dict[tuple[str, str], EntryRow] = {(row.entry, row.metric): row for row in data.entry_rows}
        self.pair_rows = {(row.summary, row.history, row.game, str(row.metric)): row for row in data.pair_rows}
        self.pool_rows: dict[tuple[str, str | None, str | None, str], PoolRow] = {
            (row.protocol, row.pathway, row.game, str(row.metric)): row for row in data.pool_rows
        }
        self.bins = {(each.entry, each.game, each.place): each for each in data.calibration}
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
    tied = told.shared[table_of(rank)] > 1
    close = ("\u202f≈" if tied else "≈") if rank.separable is False and rank.rank > 1 else ""
    return rank.rank, f"{rank.rank}{'=' if tied else ''}{close}"


def score(value: float | None) -> tuple[float | None, str]:
    return value, "—" if value is None else rounded(value)


def whole(value: int) -> tuple[float | None, str]:
    return value, f"{value:,}".replace(",", "\u202f")


Measured = Row | EntryRow | PairRow | PoolRow


def row_of(told: Told, cell: Number, name: str) -> tuple[Measured | None, str]:
    """Return the row of the results that a cell shows, and the unit of its metric."""
    scope, _, metric = name.partition(":")
    metric, _, game = metric.partition(":")
    game = game or cell.game
    if scope == "entry":
        entry_row = told.entry_rows[cell.entry, metric]
        return entry_row, ENTRY_METRICS[entry_row.metric].unit
    if scope == "pair":
        return told.pair_rows.get((cell.entry, cell.other, game, metric)), ""
    if scope == "pool":
        pool_row = told.pool_rows.get((cell.protocol, cell.pathway or None, game or None, metric))
        return pool_row, "" if pool_row is None else POOL_METRICS[pool_row.metric].unit
    row = told.rows.get((cell.entry, game, metric if scope == "run" else name))
    return row, "" if row is None else RUN_METRICS[row.metric].unit


def row_text(row: Measured | None, unit: str, part: str) -> tuple[float | None, str]:
    if row is None:
        return score(None)
    value = {"value": row.value, "low": row.low, "high": row.high, "n": row.n}[part]
    return score(value) if value is None or (unit not in ("games", "pairs") and part != "n") else whole(int(value))


def expected(told: Told, cell: Number) -> tuple[float | None, str]:
    """Return the full value and the text that this cell must hold."""
    name, _, part = cell.metric.partition("/")
    entry, game, (metric, *rest) = cell.entry, cell.game, name.split(":")
    if metric in ("entry", "run", "pair", "pool") or name in RUN_METRICS:
        return row_text(*row_of(told, cell, name), part or "value")
    if metric == "n" and rest:
        row, _ = row_of(told, cell, ":".join(rest))
        assert row is not None
        return whole(row.n)
    if metric == "calibration":
        found = told.bins.get((entry, game, int(rest[0])))
        if found is None:
            return score(None)
        return whole(found.steps) if part == "n" else score(found.self_score if part == "said" else found.reward)
    if metric == "cost":
        return cost(told.runs[entry, game].totals, rest[0])
    if metric == "rank":
        return rank_text(told, entry, rest[1] if len(rest) == 2 else game, rest[0])
    if metric in ("mean", "explore") and rest:
        place = int(rest[0])
        return score(
            told.curves[entry, game, place].mean if metric == "mean" else told.explored[entry, game, place].score
        )
    if metric == "behind":
        rank = told.ranks[entry, game, rest[0]]
        return score({"": rank.behind, "low": rank.behind_low, "high": rank.behind_high}[part])
    if metric in ("mean", "low", "high", "failed", "scores", "delta"):
        point = told.curves[entry, game, int(cell.head)]
        if metric == "scores":
            return None, ", ".join(map(rounded, point.scores))
        reads: dict[str, tuple[float | None, str]] = {
            "mean": score(point.mean),
            "delta": score({"": point.delta, "low": point.low, "high": point.high}[part]),
            "low": score(min(point.scores, default=None)),
            "high": score(max(point.scores, default=None)),
            "failed": whole(point.failed),
        }
        return reads[metric]
    counts: dict[str, Callable[[], tuple[float | None, str]]] = {
        "games_ranked": lambda: whole(sum(told.runs[entry, name].ranked for name in told.games(entry))),
        "n": lambda: whole(told.rows[entry, game, "avg"].n),
        "steps": lambda: whole(told.runs[entry, game].steps),
        "unreadable": lambda: whole(told.runs[entry, game].unreadable),
        "truncated": lambda: whole(told.runs[entry, game].truncated),
        "cut_off": lambda: whole(told.runs[entry, game].cut_off),
        "second_answers": lambda: whole(told.runs[entry, game].second_answers),
        "empty": lambda: whole(told.runs[entry, game].empty),
        "filtered": lambda: whole(told.runs[entry, game].filtered),
        "no_score": lambda: whole(told.runs[entry, game].missing_scores),
        "failed_explorations": lambda: whole(told.runs[entry, game].failed_explorations),
        "failed_checkpoints": lambda: whole(told.runs[entry, game].failed_checkpoints),
    }
    if metric in counts:
        return counts[metric]()
    raise AssertionError(cell)


def cost(totals: Totals, name: str) -> tuple[float | None, str]:
    value: float | None = getattr(totals, name)
    if value is None:
        return None, "—"
    if name == "seconds":
        minutes, seconds = divmod(round(value), 60)
        hours, minutes = divmod(minutes, 60)
        return value, f"{hours}\u202fh {minutes}\u202fmin" if hours else f"{minutes}\u202fmin {seconds}\u202fs"
    return whole(int(value))


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Element]:
    names = ("index", "pathways", "judging", "games/*", "entries/*", "pathways/*", "judging/*")
    paths = [path for name in names for path in sorted(site.glob(f"{name}.html"))]
    return {path.relative_to(site).as_posix(): read(path) for path in paths}


@pytest.fixture(scope="module")
def told(site: Path) -> Told:
    return Told(site)


@pytest.fixture(scope="module")
def all_numbers(pages: dict[str, Element]) -> dict[str, list[Number]]:
    """Return every number of ours; the published ones have a test of their own."""
    found = {path: numbers(page) for path, page in pages.items()}
    return {path: [cell for cell in cells if not cell.table.startswith("published-")] for path, cells in found.items()}


def test_every_number_in_a_table_is_the_one_in_the_results(told: Told, all_numbers: dict[str, list[Number]]) -> None:
    checked = 0
    for path, found in all_numbers.items():
        for cell in found:
            value, text = expected(told, cell)
            assert cell.shown == text, f"{path}: {cell}"
            assert (None if cell.value is None else float(cell.value)) == value, f"{path}: {cell}"
            checked += 1
    assert checked > 10_000


def counted_again(told: Told, entry: str, metric: str) -> float | None:
    """Return what is said of an entry over its games, from its ranks and runs."""
    runs = [told.runs[entry, game] for game in told.games(entry)]
    if metric in COUNTS:
        said = [run.improved if metric == "games_improved" else run.beyond_noise for run in runs]
        return sum(map(bool, said)) if any(each is not None for each in said) else None
    if told.entries[entry].outside_main_table is not None:
        return None
    kind, _, ranked = metric.removeprefix("mean_").partition("_")
    if kind == "rank" and not ranked.startswith("score"):
        return told.mean_rank(entry, ranked)
    ranks = [
        rank for (name, _, key), rank in told.ranks.items() if (name, key) == (entry, ranked.removeprefix("score_"))
    ]
    shares = [Fraction(rank.n - rank.rank, rank.n - 1) for rank in ranks if rank.rank is not None and rank.n > 1]
    return float(sum(shares) / len(shares)) if len(shares) == len(ranks) else None


def test_every_row_of_the_results_stands_on_its_entry_and_its_game(
    told: Told, all_numbers: dict[str, list[Number]]
) -> None:
    found = {(path, cell.entry, cell.game, cell.metric) for path, cells in all_numbers.items() for cell in cells}
    assert {metric for _, _, metric in told.rows} == set(RUN_METRICS)
    for entry, game, metric in told.rows:
        assert (f"entries/{entry}.html", entry, game, metric) in found
    for entry, metric in told.entry_rows:
        assert (f"entries/{entry}.html", entry, "", f"entry:{metric}") in found
        complete = told.entries[entry].outside_main_table is None
        assert not (complete or metric in COUNTS) or ("index.html", entry, "", f"entry:{metric}") in found
        assert told.entry_rows[entry, metric].value == pytest.approx(counted_again(told, entry, metric), abs=1e-12)
    for (entry, game, metric), row in told.rows.items():
        if row.low is not None:
            assert (f"entries/{entry}.html", entry, game, f"{metric}/low") in found
            assert (f"entries/{entry}.html", entry, game, f"{metric}/high") in found
            assert metric not in ON_GAMES or (f"games/{game}.html", entry, game, f"{metric}/low") in found
        assert metric not in ON_GAMES or (f"games/{game}.html", entry, game, metric) in found or row.value is None
    assert {cell.metric for cells in all_numbers.values() for cell in cells} >= {"delta/low", "behind:avg/high"}
    for entry, game, metric in told.ranks:
        assert (f"entries/{entry}.html", entry, game, f"rank:{metric}") in found
        assert (f"games/{game}.html", entry, game, f"rank:{metric}") in found


def test_every_pair_stands_on_the_page_of_its_game_and_in_the_overview(
    told: Told, all_numbers: dict[str, list[Number]]
) -> None:
    found = {(path, cell.entry, cell.other, cell.metric) for path, cells in all_numbers.items() for cell in cells}
    assert len(told.pair_rows) == 3 * 7 * len(PAIR_METRICS)
    for (summary, history, game, metric), row in told.pair_rows.items():
        page = f"pathways/{game}.html"
        assert (page, summary, history, f"pair:{metric}") in found
        assert row.low is None or (page, summary, history, f"pair:{metric}/high") in found
        assert metric != "delta_naba" or ("pathways.html", summary, history, f"pair:{metric}:{game}") in found


def test_the_two_entries_of_a_pair_lead_to_each_other(told: Told, pages: dict[str, Element]) -> None:
    linked = {
        path: {link.attrs["href"] for link in page.one("main").all("a") if "href" in link.attrs}
        for path, page in pages.items()
    }
    for summary, history, _, _ in told.pair_rows:
        assert f"../entries/{history}.html" in linked[f"entries/{summary}.html"]
        assert f"../entries/{summary}.html" in linked[f"entries/{history}.html"]
    assert "../pathways.html" not in linked["entries/fern-history.html"]


def test_a_sign_beside_a_rank_is_told_in_words_too(pages: dict[str, Element]) -> None:
    seen = 0
    for page in pages.values():
        for cell in page.all("td"):
            signed = "≈" in shown_text(cell)
            assert signed == (", not separable from the first" in cell.text)
            seen += signed
        terms = {term.text for term in page.all("dt")}
        assert not any("≈" in shown_text(cell) for cell in page.all("td")) or "≈ beside a rank" in terms
    assert seen > 100


def test_a_pair_that_may_be_none_is_warned_of(told: Told, pages: dict[str, Element]) -> None:
    warned = {(row.summary, row.game): row.warning for row in told.pair_rows.values()}
    assert len(set(warned.values())) == 2
    for game in GAMES:
        page = pages[f"pathways/{game}.html"]
        for (_, entry, _), text in texts(page, "warning").items():
            assert text == ("yes" if warned[entry, game] else "no")
    reasons = {item.text for item in pages["pathways.html"].all("li")}
    assert reasons >= {warning for warning in warned.values() if warning}


def test_everything_that_is_told_over_runs_stands_there_with_what_it_rests_on(
    told: Told, all_numbers: dict[str, list[Number]]
) -> None:
    found = {
        (cell.protocol, cell.pathway or None, cell.game or None, cell.metric)
        for path in ("pathways.html", "judging.html")
        for cell in all_numbers[path]
    }
    assert {metric for _, _, _, metric in told.pool_rows} == set(POOL_METRICS)
    for (*place, metric), row in told.pool_rows.items():
        assert (*place, f"pool:{metric}") in found
        assert row.low is None or (*place, f"pool:{metric}/low") in found
        counted = metric in ("pairs", "summary_wins", "history_wins", "pathway_ties") or row.value is None
        assert counted or (*place, f"pool:{metric}/n") in found


def test_self_judging_of_every_run_stands_on_the_page_of_its_game(
    told: Told, all_numbers: dict[str, list[Number]]
) -> None:
    found = {(path, cell.entry, cell.metric) for path, cells in all_numbers.items() for cell in cells}
    judged = [metric for metric, term in RUN_METRICS.items() if term.n.startswith("exploration steps")]
    assert len(judged) == 10
    for entry, game in told.runs:
        assert {(f"judging/{game}.html", entry, metric) for metric in judged} <= found
        assert ("judging.html", entry, f"run:agreement:{game}") in found
        assert ("judging.html", entry, f"run:base_rate:{game}") in found
    for entry, game, place in told.bins:
        assert (f"entries/{entry}.html", entry, f"calibration:{place}") in found
        assert (f"judging/{game}.html", entry, f"calibration:{place}/said") in found


def test_A18_a_header_names_what_its_column_holds(pages: dict[str, Element]) -> None:
    for path, page in pages.items():
        for header in page.all("th"):
            metric = header.attrs.get("data-metric", "")
            if metric in LABELS:
                assert header.text == LABELS[metric], path


def test_A19_any_two_metrics_differ_in_some_run_so_that_no_column_can_hold_another(told: Told) -> None:
    """The fixture itself: were two metrics equal in every run, a swapped column would go unseen."""
    runs = sorted({key[:2] for key in told.rows})
    for one, other in combinations(RUN_METRICS, 2):
        pairs = [(told.rows[*run, one].value, told.rows[*run, other].value) for run in runs]
        assert any(a is not None and b is not None and a != b for a, b in pairs), (one, other)


def test_a_gain_is_called_what_the_results_say(told: Told, pages: dict[str, Element]) -> None:
    words = {True: "beyond noise", False: "within noise", None: "cannot be told"}
    found = {(path, *key[1:]): text for path, page in pages.items() for key, text in texts(page, "gain").items()}
    for (entry, game), run in told.runs.items():
        assert found[f"entries/{entry}.html", entry, game] == words[run.beyond_noise]
        assert found[f"games/{game}.html", entry, game] == words[run.beyond_noise]
    assert set(found.values()) == set(words.values())


def test_who_can_be_told_from_the_first_is_what_the_results_say(told: Told, pages: dict[str, Element]) -> None:
    words = {True: "yes", False: "no", None: "cannot be told"}
    seen = set()
    for path, page in pages.items():
        for metric in ("avg", "auc_plus"):
            for (_, entry, game), text in texts(page, f"separable:{metric}").items():
                assert text == words[told.ranks[entry, game, metric].separable], path
                seen.add(text)
    assert seen >= {"yes", "no"}


def test_a_value_without_the_interval_that_it_could_have_says_why(told: Told, pages: dict[str, Element]) -> None:
    seen = 0
    for (entry, game, metric), row in told.rows.items():
        if row.no_bounds and row.value is not None:
            page = pages[f"entries/{entry}.html"]
            cell = next(cell for cell in numbers(page) if (cell.game, cell.metric) == (game, metric))
            notes = [
                item.text for item in next(box for box in page.walk() if box.attrs.get("id") == cell.table).all("li")
            ]
            assert f"no interval: {row.no_bounds}" in notes[int(cell.note.removeprefix(", note ")) - 1]
            seen += 1
    assert seen > 5


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
        "the x = 0 checkpoint failed, so there is no baseline",
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
            elif kind == "calibration":
                game = path.partition("/")[2].removesuffix(".html")
                if path.startswith("entries/"):
                    game = rest.rpartition("-")[2]
                line = traces.pop("reward as said")
                assert line["x"] == line["y"] == [0, 1], path
                for label, trace in traces.items():
                    entry = label.partition(" · ")[0]
                    bins = [each for key, each in sorted(told.bins.items()) if key[:2] == (entry, game)]
                    assert trace["x"] == [each.self_score for each in bins], path
                    assert trace["y"] == [each.reward for each in bins], path
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
            assert line["games_beyond_noise"] == told.entry_rows[entry, "games_beyond_noise"].value
            assert table["games"] == sorted(table["games"], key=table["games"].index)
            seen += 1
    assert seen == 3 * sum(entry.outside_main_table is None for entry in told.entries.values())
