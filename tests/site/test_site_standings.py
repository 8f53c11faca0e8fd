"""Who stands where: ties share, what is missing never helps, and what cannot be compared shares no table."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.book import open_book
from leaderboard.build import build_site
from leaderboard.standings import groups, standings
from scoring.metric_terms import AREA, POINTS, RUN_METRICS
from scoring.results import Results
from tests.site.factory import Spec, flat, make_results, realistic, site_entry
from tests.site.html import Element, numbers, read


def built(specs: tuple[Spec, ...], out: Path) -> Path:
    build_site([site_entry(spec) for spec in specs], make_results(specs), out)
    return out


def rows(page: Element, table: str) -> list[str]:
    box = next(element for element in page.walk() if element.attrs.get("id") == table)
    return [row.attrs["data-entry"] for row in box.one("tbody").all("tr")]


def test_A04_equal_results_share_a_rank_and_a_mark(tmp_path: Path) -> None:
    first = Spec("one", seed=1, skill=0.5)
    twin = replace(first, entry="two", team="team-b")
    page = read(built((first, twin, Spec("three", seed=9, skill=0.1)), tmp_path / "out") / "games" / "snake.html")
    shown = {(cell.entry, cell.metric): cell.shown for cell in numbers(page)}
    for metric in ("avg", "max", "auc_plus"):
        assert shown["one", f"rank:{metric}"] == shown["two", f"rank:{metric}"]
        assert shown["one", f"rank:{metric}"].rstrip("\u202f≈").endswith("=")
    assert {shown[name, "rank:avg"] for name in ("one", "two")} == {"1="}
    assert shown["three", "rank:avg"] == "3"


def test_A04_neither_names_nor_the_order_of_entries_decide_the_order(tmp_path: Path) -> None:
    first = Spec("zebra", seed=1)
    twin = replace(first, entry="aardvark")
    one = built((first, twin), tmp_path / "one")
    other = built((twin, first), tmp_path / "other")
    order = rows(read(one / "index.html"), "paper-1-history-auc_plus")
    assert order == rows(read(other / "index.html"), "paper-1-history-auc_plus")
    assert order == sorted(("zebra", "aardvark"), key=lambda name: replace(first, entry=name).digest)


def test_A06_an_entry_without_its_worst_game_stands_outside_with_the_reason(tmp_path: Path) -> None:
    whole = Spec("whole", seed=1, curves={"tetris": flat(0.0)})
    cut = Spec("cut", seed=1, games=tuple(game for game in whole.games if game != "tetris"))
    page = read(built((whole, cut), tmp_path / "out") / "index.html")
    assert rows(page, "paper-1-history-auc_plus") == ["whole"]
    assert rows(page, "paper-1-history-outside") == ["cut"]
    assert "incomplete: no run of tetris" in page.text


def test_A06_an_entry_said_to_be_complete_must_be(tmp_path: Path) -> None:
    results = make_results((Spec("cut", games=("snake",)),))
    lied = results.entries[0].model_copy(update={"outside_main_table": None})
    with pytest.raises(ValueError, match="in the main table but has no rank in chess"):
        open_book(results.model_copy(update={"entries": (lied,)}))


def test_A16_protocols_pathways_and_rules_versions_share_no_table(site: Path, results: Results) -> None:
    kind = {
        (entry.entry, run.game): (entry.protocol, entry.pathway, run.rules_version)
        for entry in results.entries
        for run in entry.runs
    }
    for path in sorted(site.glob("games/*.html")):
        found: dict[str, set[tuple[str, str, int]]] = {}
        for cell in numbers(read(path)):
            if cell.entry:
                found.setdefault(cell.table, set()).add(kind[cell.entry, cell.game])
        assert found
        assert all(len(kinds) == 1 for kinds in found.values()), path


def test_A16_another_rules_version_of_one_game_parts_the_tables(tmp_path: Path) -> None:
    specs = (Spec("old", seed=1), Spec("new", seed=2, rules={"snake": 2}))
    out = built(specs, tmp_path / "out")
    assert rows(read(out / "index.html"), "paper-1-history-snake-1-auc_plus") == ["old"]
    assert rows(read(out / "index.html"), "paper-1-history-snake-2-auc_plus") == ["new"]
    snake = read(out / "games" / "snake.html")
    assert rows(snake, "snake-paper-1-history-rules-1") == ["old"]
    assert rows(snake, "snake-paper-1-history-rules-2") == ["new"]
    assert len(rows(read(out / "games" / "chess.html"), "chess-paper-1-history-rules-1")) == 2


def test_A16_a_report_of_another_scorer_is_refused(tmp_path: Path) -> None:
    spec = Spec("one")
    other = site_entry(spec)
    other = replace(other, report=other.report.model_copy(update={"scorer": "0.0.9"}))
    with pytest.raises(ValueError, match="expected the report of"):
        build_site([other], make_results((spec,)), tmp_path / "out")


def test_a_protocol_that_is_never_ranked_has_no_matrix(site: Path) -> None:
    page = read(site / "index.html")
    assert "never ranked" in page.text
    assert rows(page, "smoke-1-history-outside") == ["trial-smoke"]


def test_mean_ranks_follow_from_the_ranks() -> None:
    """Three entries that differ by a constant in every game: 1, 2, 3 everywhere."""
    specs = tuple(Spec(name, curves={game: flat(level) for game in Spec("x").games}) for name, level in LEVELS)
    book = open_book(make_results(specs))
    (group,) = groups(book)
    found = {standing.entry.entry: standing for standing in standings(book, group, "avg")}
    assert {name: float(standing.mean_rank) for name, standing in found.items()} == {"low": 3, "mid": 2, "high": 1}
    assert {standing.improved for standing in found.values()} == {0}


LEVELS = (("low", 0.1), ("mid", 0.2), ("high", 0.3))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": "twice"}, "once"),
        ({"ranks": "twice"}, "once"),
        ({"curves": "twice"}, "once"),
        ({"entries": "twice"}, "once"),
        ({"entries": "none"}, "no such run"),
        ({"entry_rows": "twice"}, "once"),
        ({"pair_rows": "twice"}, "once"),
        ({"pool_rows": "twice"}, "once"),
        ({"calibration": "twice"}, "once"),
        ({"pair_rows": "turned"}, "are no pair under paper-1"),
    ],
)
def test_results_that_contradict_themselves_are_refused(change: dict[str, str], message: str) -> None:
    results = make_results((Spec("one"), Spec("two", "summary", seed=1)))
    ((name, how),) = change.items()
    if how == "turned":
        turned = {"summary": "one", "history": "two"}
        pairs = tuple(row.model_copy(update=turned) for row in results.pair_rows)
        with pytest.raises(ValueError, match=message):
            open_book(results.model_copy(update={"pair_rows": pairs}))
        return
    items = getattr(results, name)
    changed = results.model_copy(update={name: (*items, items[0]) if how == "twice" else ()})
    with pytest.raises(ValueError, match=message):
        open_book(changed)


def raw_means(results: Results) -> dict[float, str]:
    """Return the sum and the mean over games of every entry's points, where none is a sum of hundredths and thirds."""
    found: dict[float, str] = {}
    for entry in results.entries:
        for metric in (metric for metric, term in RUN_METRICS.items() if term.unit in (POINTS, AREA)):
            rows = [row.value for row in results.rows if (row.entry, row.metric) == (entry.entry, metric)]
            values = [value for value in rows if value is not None]
            if sum(value != 0 for value in values) < 2:
                continue  # the sum is the one number itself
            for mean in (sum(values) / len(values), sum(values) / len(rows), sum(values)):
                if round(600 * mean) != round(600 * mean, 6):
                    found[round(mean, 9)] = f"{entry.entry}, {metric}"
    return found


NUMBER = re.compile(r"-?[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?")


def test_never_a_mean_of_raw_points_over_games(site: Path, results: Results) -> None:
    """Only ranks are averaged over games: no page, chart or file holds the mean of any entry's points."""
    forbidden = raw_means(results)
    assert len({text.partition(",")[0] for text in forbidden.values()}) == len(results.entries)
    assert round(float(NUMBER.findall(f"x={next(iter(forbidden))};")[0]), 9) in forbidden
    scanned = 0
    for path in [*site.rglob("*.html"), *site.rglob("data/*.json"), *site.rglob("data/*.csv")]:
        for number in NUMBER.findall(path.read_text()):
            assert round(float(number), 9) not in forbidden, f"{path}: {number}"
            scanned += 1
    assert scanned > 30_000


def test_no_header_promises_a_mean_of_raw_points(site: Path) -> None:
    """A mean of Delta-NABA, ours or the published one, is over models within one game."""
    for path in site.rglob("*.html"):
        for header in read(path).all("th"):
            words = header.text.lower()
            assert "overall" not in words
            if "mean" in words.split() and words not in ("mean δnaba", "mean delta-naba"):
                assert "rank" in words or header.attrs.get("data-metric") == "mean", words
    keys = set()
    for table in json.loads((site / "data" / "standings.json").read_text())["tables"]:
        keys |= {key for line in table["entries"] for key in line}
    assert keys == {"entry", "ranks", "mean_rank", "games_improved_naive", "games_beyond_noise"}


def test_realistic_results_hold_what_the_other_tests_rely_on(results: Results) -> None:
    assert {entry.pathway for entry in results.entries} == {"history", "summary"}
    assert {entry.protocol for entry in results.entries} == {"paper-1", "pocket-1", "smoke-1"}
    assert any(entry.outside_main_table for entry in results.entries)
    assert any(rank.rank is None for rank in results.ranks)
    assert any(row.value == 0 for row in results.rows)
    assert len(results.entries) == len(realistic())
