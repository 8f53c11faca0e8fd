"""``s3gym compare``: A minus B game by game, with intervals, and never what cannot be compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from protocol.decoding import decoding_at
from s3gym.comparing import ComparedGame, Comparison, compare
from s3gym.comparison_view import INTERVALS, show_comparison
from s3gym.results_file import read_results
from s3gym.wording import conditions
from scoring.comparison import BASELINES_DIFFER
from scoring.metric_terms import PAIR_METRICS
from scoring.results import Results
from tests.bundles import KEY, Board
from tests.s3gym.face import Face, refused
from tests.s3gym.shown import golden, screen, tables, words
from tests.s3gym.test_s3gym_score import is_number, is_span
from tests.scoring.forge import forge
from tests.site.factory import Spec, make_results
from tests.site.test_site_hostile import CORPUS

YS = (1.0, 4.0, 2.0, 5.0, 3.0, 6.0, 4.0, 7.0, 5.0, 8.0, 6.0)


def snake(entry: str, ys: tuple[float, ...] = YS, **more: str) -> Spec:
    """Return an entry with this curve in Snake alone."""
    curves = {"snake": tuple((y, y, y) for y in ys)}
    return Spec(entry, games=("snake",), curves=curves, **more)  # type: ignore[arg-type]


def shown(results: Results, comparison: Comparison, width: int = 120) -> str:
    names = {each.entry: conditions(each) for each in results.entries}
    return screen(lambda console: show_comparison(console, comparison, names), width)


def metrics(game: ComparedGame) -> dict[str, tuple[float | None, float | None, float | None, str | None]]:
    return {each.metric: (each.value, each.low, each.high, each.told) for each in game.metrics}


def test_pathways_of_one_model_are_summary_minus_history_in_any_order_and_equal_the_results() -> None:
    results = golden()
    one = compare(results, "improving-summary", "improving-history")
    assert one == compare(results, "improving-history", "improving-summary")
    assert one.pathways
    assert (one.a, one.b) == ("improving-summary", "improving-history")
    rows = {(row.game, row.metric): row for row in results.pair_rows if row.summary == one.a}
    assert rows
    for game in one.games:
        for each in game.metrics:
            if (game.game, each.metric) in rows:
                row = rows.pop((game.game, each.metric))
                assert (each.value, each.n, each.low, each.high, each.reason) == (
                    row.value,
                    row.n,
                    row.low,
                    row.high,
                    row.reason,
                )
                assert game.warning == row.warning
    assert rows == {}


def test_two_models_are_the_first_minus_the_second() -> None:
    results = make_results([snake("a", model="A"), snake("b", tuple(y + 1 for y in YS), model="B")])
    ab, ba = compare(results, "a", "b"), compare(results, "b", "a")
    assert not ab.pathways
    assert metrics(ab.games[0])["delta_avg"] == (-1.0, None, None, "B higher")
    assert metrics(ba.games[0])["delta_avg"] == (1.0, None, None, "A higher")
    assert metrics(ab.games[0])["delta_max"] == (-1.0, None, None, None)


def test_who_is_higher_is_told_only_where_0_lies_outside_the_interval() -> None:
    """Differences: always 1 (no noise); 0; wavering about 0; far above 0 with little noise; two checkpoints alone."""
    few = Spec("few", games=("snake",), curves={"snake": tuple((y,) for y in (3.0, 9.0))}, protocol="smoke-1")
    less = Spec("less", games=("snake",), curves={"snake": tuple((y,) for y in (1.0, 2.0))}, protocol="smoke-1")
    others = {
        "same": YS,
        "wave": tuple(y + (-1) ** k for k, y in enumerate(YS)),
        "far": tuple(y + 5 + 0.1 * (-1) ** k for k, y in enumerate(YS)),
    }
    results = make_results([few, less, snake("a"), *(snake(entry, ys) for entry, ys in others.items())])

    def told(one: str, other: str) -> str | None:
        return metrics(compare(results, one, other).games[0])["delta_avg"][3]

    assert told("a", "same") == "not separable"
    assert told("a", "wave") == "not separable"
    assert told("a", "far") == "B higher"
    assert told("far", "a") == "A higher"
    assert told("few", "less") == "cannot be told"
    assert "fewer than 3 valid checkpoints" in words(shown(results, compare(results, "few", "less")))


def test_one_model_that_differs_before_anything_was_carried_is_warned_of_and_two_models_are_not() -> None:
    high = (9.0, *(y + 0.1 for y in YS[1:]))
    low = (0.0, 3.0, 3.1, 3.0, 3.1, 3.0, 3.1, 3.0, 3.1, 3.0, 3.1)
    level = (6.0, 3.1, 3.0, 3.1, 3.0, 3.1, 3.0, 3.1, 3.0, 3.1, 3.0)
    results = make_results(
        [
            snake("one-history", low),
            snake("one-summary", level, pathway="summary"),
            snake("other", level, model="B"),
            snake("steady", high),
        ]
    )
    pair = compare(results, "one-summary", "one-history")
    assert pair.games[0].warning == BASELINES_DIFFER
    assert f"no fair pair: {BASELINES_DIFFER}" in words(shown(results, pair))
    assert compare(results, "other", "one-history").games[0].warning is None


HOT = decoding_at(0.5).model_copy(update={"reasoning_effort": "low"})


def test_other_budgets_decoding_and_departures_are_told() -> None:
    results = make_results([snake("a"), snake("b", model="B")])
    changed = results.entries[1].model_copy(
        update={"input_budget": 5, "decoding": HOT, "deviations": ("other levels",)}
    )
    results = results.model_copy(update={"entries": (results.entries[0], changed)})
    comparison = compare(results, "a", "b")
    text = words(shown(results, comparison))
    for said in ("unequal conditions: input budget: 100000 and 5", "b departs from the protocol"):
        assert said in text
    for said in ("temperature: the server's default and 0.5", "reasoning effort: not set and low"):
        assert said in comparison.unequal
        assert said in text


def test_MT_01_games_that_one_has_not_played_are_named_and_nothing_is_a_mean_over_games() -> None:
    results = make_results([Spec("whole"), Spec("part", games=("snake", "trust"), seed=3)])
    comparison = compare(results, "whole", "part")
    assert [game.game for game in comparison.games] == ["snake", "trust"]
    assert comparison.alone == ("only whole has played chess, minesweeper, nullify, tetris, pvz",)
    assert {*Comparison.model_fields} == {
        *("schema_id", "scorer", "protocol", "a", "b", "pathways", "unequal", "alone", "games")
    }
    none = compare(make_results([Spec("x", games=("chess",)), Spec("y", games=("snake",))]), "x", "y")
    assert none.games == ()
    text = words(screen(lambda console: show_comparison(console, none, {"x": "X", "y": "Y"}), 80))
    assert "There is no game to compare." in text


def test_another_version_of_the_rules_is_not_compared() -> None:
    results = make_results([snake("a"), Spec("b", games=("snake",), rules={"snake": 2})])
    comparison = compare(results, "a", "b")
    assert comparison.games == ()
    assert comparison.alone == ("snake has rules version 1 and 2",)


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_every_number_of_the_table_is_that_of_the_comparison(width: int) -> None:
    results = golden()
    comparison = compare(results, "wavering-summary", "troubled-history")
    text = shown(results, comparison, width)
    assert max(map(len, text.split("\n"))) <= width
    assert "…" not in text
    seen = tables(text)
    assert list(seen.rows) == [game.game for game in comparison.games]
    for game in comparison.games:
        cells = iter(seen.rows[game.game])
        assert is_number(next(cells), game.y0_a)
        assert is_number(next(cells), game.y0_b)
        for each in game.metrics:
            assert is_number(next(cells), each.value)
            if each.metric in INTERVALS:
                assert is_span(next(cells), each.low, each.high)
                assert next(cells) == each.told
            told = each.reason if each.value is None else each.no_bounds
            assert told is None or told in words(text)
        assert next(cells, None) is None


def test_every_metric_of_a_pair_is_compared() -> None:
    (game,) = compare(make_results([snake("a"), snake("b")]), "a", "b").games
    assert [each.metric for each in game.metrics] == list(PAIR_METRICS)


def test_the_chance_that_equals_are_told_apart_somewhere_is_said() -> None:
    """1 - 0.95^7 = 0.30, 1 - 0.95 = 0.05."""
    whole = make_results([Spec("a"), Spec("b", seed=1)])
    assert "in 30% of such comparisons" in words(shown(whole, compare(whole, "a", "b")))
    single = make_results([snake("a"), snake("b")])
    assert "of 1 game played equally well, one or more would be told apart in 5%" in words(
        shown(single, compare(single, "a", "b"))
    )


@pytest.mark.parametrize("text", CORPUS)
def test_A17_A26_hostile_names_drive_nothing(text: str) -> None:
    results = make_results([snake("a", model=f"{text}A"), snake("b", model=f"{text}B")])
    out = shown(results, compare(results, "a", "b"), 80)
    assert all(char == "\n" or char.isprintable() for char in out)


def test_bundles_and_their_results_give_the_same_comparison(face: Face, board: Board, tmp_path: Path) -> None:
    bundles = [str(board.bundle("summary")), str(board.bundle("history"))]
    keys = ("--keys", str(board.keys))
    (tmp_path / "results.json").write_text(face("score", *bundles, *keys, "--json").stdout)
    direct = face("compare", *bundles, *keys, "--json")
    assert direct.exit_code == 0, direct.output
    filed = face("compare", "red-history", "red-summary", "--results", "results.json", "--json")
    assert direct.stdout == filed.stdout
    comparison = Comparison.model_validate_json(direct.stdout)
    assert f"{comparison.model_dump_json(indent=1)}\n" == direct.stdout
    assert json.loads(direct.stdout)["schema_id"] == "s3gym-comparison-1"
    for said in (
        face("compare", *bundles, *keys),
        face("compare", "red-summary", "red-history", "--results", "results.json"),
    ):
        assert said.exit_code == 0
        assert "Summary Memory minus History ICL" in said.stdout
    assert "nothing was verified here" in said.stderr


def test_what_cannot_be_compared_is_refused(face: Face, board: Board, tmp_path: Path) -> None:
    keys = ("--keys", str(board.keys))
    one = str(board.bundle("history"))
    (tmp_path / "results.json").write_text(make_results([Spec("a"), Spec("p", protocol="pocket-1")]).to_json())
    refused(face("compare", one, one, *keys, "--no-cache"), 2, "expected each entry once")
    other = face("compare", "a", "p", "--results", "results.json")
    refused(other, 2, "expected two entries of one protocol", "paper-1", "pocket-1")
    refused(face("compare", "a", "a", "--results", "results.json"), 2, "expected two")
    refused(face("compare", "a", "z", "--results", "results.json"), 2, "expected a, p, got 'z'")
    refused(face("compare", "a", "p", "--results", "nowhere.json"), 2, "nowhere.json")
    refused(face("compare", one, "nowhere", *keys), 2, "nowhere")


def test_a_refused_bundle_is_not_compared(face: Face, board: Board, tmp_path: Path) -> None:
    bad = forge(board.bundle("history"), tmp_path / "bad", KEY, lambda parts: parts.step().update(reward=9.0))
    done = face("compare", str(board.bundle("summary")), str(bad), "--keys", str(board.keys))
    refused(done, 1, "replay")
    assert "A minus B" not in done.output


def test_results_of_another_scorer_are_told_of(face: Face, tmp_path: Path) -> None:
    results = make_results([snake("a"), snake("b")]).model_copy(update={"scorer": "0.0.1"})
    (tmp_path / "results.json").write_text(results.to_json())
    assert "made by scorer 0.0.1" in face("compare", "a", "b", "--results", "results.json").stderr


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda data: data.update(schema_id="s3gym-results-9"), "s3gym-results-9"),
        (lambda data: data.pop("ranks"), "ranks"),
        (lambda data: data.update(more=1), "more"),
        (lambda data: data["rows"].pop(), "each metric once"),
        (lambda data: data["rows"].append(data["rows"][0]), "each metric once"),
        (lambda data: data["curves"].pop(0), "x = 0 first"),
        (lambda data: data["curves"].clear(), "x = 0 first"),
        (lambda data: data["curves"].append(data["curves"][0]), "checkpoints in order"),
        (lambda data: data["curves"][0].update(mean=1e300), "within 1e+09 points"),
        (lambda data: data["entries"][0]["runs"].append(data["entries"][0]["runs"][0]), "each run once"),
        (lambda data: data["rows"][0].update(value=None, reason=None), "a missing value ne"),
        (lambda data: data["entries"][0].update(entry="\x1b[31mred"), "x1b[31mred"),
        (lambda data: data["entries"][0]["runs"][0].update(game="a|b"), "'a|b'"),
    ],
)
def test_a_file_that_holds_no_whole_results_is_refused(tmp_path: Path, spoil: object, said: str) -> None:
    data = json.loads(make_results([snake("a"), snake("b")]).to_json())
    assert callable(spoil)
    spoil(data)
    path = tmp_path / "results.json"
    path.write_text(json.dumps(data))
    with pytest.raises(ValueError, match="results") as caught:
        read_results(path)
    assert said in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"[" * 100_000, b"\xff\xfe", b'{"entries": NaN}', b"1" * 1_000_000])
def test_a_file_that_is_no_results_at_all_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "results.json"
    path.write_bytes(data)
    with pytest.raises(ValueError, match="expected results of s3gym score --json"):
        read_results(path)


def test_BN_05_a_file_of_more_values_than_results_have_is_refused_before_they_are_made(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_bytes(b'{"rows":[' + b"[]," * (1 << 22) + b"[]]}")
    with pytest.raises(ValueError, match="expected at most 8,388,608 texts, commas and brackets"):
        read_results(path)


def test_what_rounding_leaves_of_equal_runs_tells_nothing() -> None:
    """A tenth three times is not three tenths to the last bit; the difference of the two is no difference."""
    curve = tuple((0.1 + 0.2, 0.3, 0.3) for _ in range(11))
    same = tuple((0.3, 0.3, 0.3) for _ in range(11))
    specs = [Spec("a", games=("chess",), curves={"chess": curve}), Spec("b", games=("chess",), curves={"chess": same})]
    game = compare(make_results(specs), "a", "b").games[0]
    assert metrics(game)["delta_avg"][0] != 0
    assert metrics(game)["delta_avg"][3] == "not separable"
