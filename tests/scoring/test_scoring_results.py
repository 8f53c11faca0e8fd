"""What follows from many runs together: ranks, what is said over games, pairs of pathways, pools."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from protocol.asking import BodyField
from scoring.comparison import BASELINES_DIFFER, LINEAR, Side, differences, obstacles, side, warning
from scoring.entry_numbers import EntryNumbers, seal
from scoring.flat import flat_rows, to_csv, to_frame
from scoring.measured import Measured, missing
from scoring.metric_terms import (
    ENTRY_METRICS,
    PAIR_METRICS,
    POOL_METRICS,
    RUN_METRICS,
    TERMS,
    EntryMetric,
    PairMetric,
    PoolMetric,
    RunMetric,
)
from scoring.metrics.curve import Curve
from scoring.pairing import pairs
from scoring.pools import Pooled, pool_rows
from scoring.ranking import RankedRun, ranked_value, ranks
from scoring.results import (
    RANKED_METRICS,
    BlockPoint,
    CurvePoint,
    EntryResult,
    EntryRow,
    PoolRow,
    Rank,
    Results,
    Row,
    results_schema,
)
from scoring.score import Parts, assembled, results_of
from tests.site.factory import GAMES, Spec, make_report, make_results, realistic

XS = tuple(range(0, 31, 3))
UNSCORED = "the metric was not asked for"


def climbing(*ys: float) -> tuple[tuple[float, ...], ...]:
    """Return a curve of ``paper-1`` whose strict episodes all score alike; what is not written stays at the last."""
    every = [*ys, *([ys[-1]] * (11 - len(ys)))]
    return tuple((y,) * 3 for y in every)


def one_game(name: str, ys: Sequence[float], **more: object) -> Spec:
    return Spec(name, games=("snake",), curves={"snake": climbing(*ys)}, **more)  # type: ignore[arg-type]


def rank_of(results: Results, entry: str, metric: RunMetric, game: str = "snake") -> Rank:
    (found,) = [rank for rank in results.ranks if (rank.entry, rank.metric, rank.game) == (entry, metric, game)]
    return found


def over_games(results: Results, entry: str, metric: EntryMetric) -> EntryRow:
    (found,) = [row for row in results.entry_rows if (row.entry, row.metric) == (entry, metric)]
    return found


# The metrics and their form


def test_every_metric_has_one_term_and_every_term_is_a_metric() -> None:
    assert get_args(RunMetric) == tuple(RUN_METRICS)
    assert get_args(EntryMetric) == tuple(ENTRY_METRICS)
    assert get_args(PairMetric) == tuple(PAIR_METRICS)
    assert get_args(PoolMetric) == tuple(POOL_METRICS)
    titles = [term.title for terms in TERMS.values() for term in terms.values()]
    assert len(set(titles)) == len(titles)


@pytest.fixture(scope="module")
def results() -> Results:
    return make_results(realistic())


def test_every_run_has_every_metric_once_in_the_written_order(results: Results) -> None:
    for entry in results.entries:
        for run in entry.runs:
            rows = [row.metric for row in results.rows if (row.entry, row.game) == (entry.entry, run.game)]
            assert rows == list(RUN_METRICS)
        over = [row.metric for row in results.entry_rows if row.entry == entry.entry]
        assert over == list(ENTRY_METRICS)


def test_bounds_stand_only_where_the_metric_has_some(results: Results) -> None:
    for row in flat_rows(results):
        term = TERMS[row.scope][row.metric]  # type: ignore[index]  # both are of the results
        if term.bounds is None:
            assert (row.low, row.high, row.no_bounds) == (None, None, None), row
        elif row.value is not None:
            assert (row.low is None) == (row.high is None) == (row.no_bounds is not None), row
        if row.low is not None and row.high is not None and row.value is not None:
            assert row.low <= row.value <= row.high or row.metric == "y0", row


def test_results_survive_being_written_and_read(results: Results) -> None:
    text = results.to_json()
    assert Results.model_validate_json(text) == results
    json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} in the results"))


def test_the_schema_has_every_field_and_lets_no_other_in() -> None:
    schema = json.loads(results_schema())
    assert set(schema["properties"]) == set(Results.model_fields)
    assert {"Row", "EntryRow", "PairRow", "PoolRow", "Rank", "BlockPoint", "CalibrationBin"} <= set(schema["$defs"])
    for kind in (schema, *schema["$defs"].values()):
        assert kind["additionalProperties"] is False
        assert set(kind["required"]) == set(kind["properties"])


@pytest.mark.parametrize(
    "fields",
    [
        {"value": None, "reason": None},
        {"value": None, "reason": "", "low": None},
        {"value": None, "reason": "none", "low": 0.0, "high": 1.0},
        {"value": math.nan},
        {"value": math.inf},
        {"low": 2.0, "high": 1.0},
        {"n": 1.5},
        {"metric": "auc"},
    ],
)
def test_a_number_that_is_none_is_refused(results: Results, fields: dict[str, object]) -> None:
    good = next(row for row in results.rows if row.value is not None)
    with pytest.raises(ValidationError):
        Row.model_validate({**good.model_dump(), **fields})


def test_the_flat_table_holds_every_number_once(results: Results) -> None:
    rows = list(flat_rows(results))
    lists = (results.rows, results.entry_rows, results.pair_rows, results.pool_rows)
    assert len(rows) == sum(map(len, lists))
    assert len({(row[:7]) for row in rows}) == len(rows)
    frame = to_frame(results)
    assert list(frame["n"]) == [row.n for row in rows]
    values = [None if math.isnan(value) else value for value in frame["value"].astype(float)]
    assert values == [row.value for row in rows]
    assert len(to_csv(results).splitlines()) == 1 + len(rows)


# Ranks


def test_A05_a_rank_uses_the_lower_of_the_value_and_the_one_with_floor() -> None:
    """Left out, the worst checkpoint would raise Avg: the value with floor is the lower and is ranked."""
    values: dict[RunMetric, float | None] = {"avg": 5.0, "avg_floor": 4.0, "auc_plus": 2.0, "auc_plus_floor": 3.0}
    assert ranked_value(values, "avg") == 4.0
    assert ranked_value(values, "auc_plus") == 2.0
    assert ranked_value({**values, "auc_plus_floor": None}, "auc_plus") is None
    assert ranked_value({"max": 7.0}, "max") == 7.0


def test_a_single_entry_is_first_of_one_and_has_no_rank_score() -> None:
    results = make_results([Spec("alone")])
    assert {(rank.rank, rank.n) for rank in results.ranks} == {(1, 1)}
    assert over_games(results, "alone", "mean_rank_avg").value == 1
    score = over_games(results, "alone", "rank_score_avg")
    assert (score.value, score.reason) == (None, "in a table of one there is no rank score")


def test_all_equal_share_the_first_place_and_none_is_apart() -> None:
    results = make_results([one_game(name, (1.0, 2.0)) for name in ("a", "b", "c")])
    for metric, name in itertools.product(RANKED_METRICS, "abc"):
        rank = rank_of(results, name, metric)
        assert (rank.rank, rank.n) == (1, 3)
        assert rank.separable is (None if metric == "max" else False)


def test_a_tie_shares_the_better_rank_and_the_next_is_passed_over() -> None:
    results = make_results([one_game("a", (3.0,)), one_game("b", (1.0,)), one_game("c", (3.0,)), one_game("d", (0.0,))])
    assert [rank_of(results, name, "avg").rank for name in "abcd"] == [1, 3, 1, 4]


def test_who_lags_by_the_same_at_every_checkpoint_is_apart_and_who_wavers_is_not() -> None:
    first, steady = (5.0,) * 11, (4.0,) * 11
    wavering = (9.0, 0.0, 9.0, 0.0, 9.0, 0.0, 9.0, 0.0, 9.0, 0.0, 9.0)
    results = make_results([one_game("first", first), one_game("steady", steady), one_game("wavering", wavering)])
    apart, near = rank_of(results, "steady", "avg"), rank_of(results, "wavering", "avg")
    assert (apart.behind, apart.separable, apart.behind_reason) == (1.0, True, "no variation")
    assert near.behind == pytest.approx(5 - 54 / 11)
    assert near.separable is False
    assert near.behind_low is not None
    assert near.behind_high is not None
    assert near.behind_low < 0 < near.behind_high


def test_who_shares_too_few_checkpoints_with_the_first_is_neither_apart_from_it_nor_tied() -> None:
    """Without an interval nothing is told, save where the differences do not vary at all."""
    values: dict[RunMetric, float | None] = {"avg": 2.0, "avg_floor": 2.0, "max": 3.0, "auc_plus": 1.0}
    values["auc_plus_floor"] = 1.0
    runs = []
    for name, curve in (("a", Curve((0.0, 3.0, 6.0), (1.0, 2.0, 4.0))), ("b", Curve((0.0, 9.0), (1.0, 1.0)))):
        (entry,) = make_results([one_game(name, (1.0, 2.0))]).entries
        runs.append(RankedRun(entry, entry.runs[0], values, curve))
    told = {(rank.entry, rank.metric): rank for rank in ranks(runs)}
    assert told["b", "avg"].separable is None
    assert told["b", "avg"].behind_reason == "fewer than 3 valid checkpoints"


def test_who_is_ahead_of_the_first_by_net_area_is_not_apart_from_it() -> None:
    """By AUC+ the diver is first, with more than 13 to 2.85; by net area it lies far below the other."""
    diver = (10.0, 11.0, 11.0, 11.0, 11.0, 11.0, -90.0, -90.0, -90.0, -90.0, -90.0)
    results = make_results([one_game("diver", diver), one_game("steady", (10.0, 10.1))])
    first, other = rank_of(results, "diver", "auc_plus"), rank_of(results, "steady", "auc_plus")
    assert (first.rank, other.rank) == (1, 2)
    assert other.behind is not None
    assert other.behind < 0
    assert other.separable is False


def test_a_maximum_has_no_interval_and_says_why() -> None:
    results = make_results([one_game("a", (1.0, 2.0)), one_game("b", (1.0, 3.0))])
    rank = rank_of(results, "a", "max")
    assert rank.separable is None
    assert rank.behind is None
    assert "maximum" in (rank.behind_reason or "")


def test_pathways_protocols_and_rules_versions_never_share_a_table() -> None:
    results = make_results(
        [
            one_game("a", (1.0,)),
            one_game("b", (1.0,), pathway="summary"),
            Spec("c", protocol="pocket-1", games=("snake",)),
            one_game("d", (1.0,), rules={"snake": 2}),
        ]
    )
    assert {(rank.rank, rank.n) for rank in results.ranks} == {(1, 1)}


def reassembled(results: Results, entries: tuple[EntryResult, ...]) -> Results:
    return assembled(
        Parts(
            entries=entries,
            rows=results.rows,
            curves=results.curves,
            explorations=results.explorations,
            blocks=results.blocks,
            calibration=results.calibration,
        )
    )


def test_one_protocol_name_for_two_protocols_is_refused() -> None:
    good = make_results([Spec("a"), Spec("b")])
    changed = good.entries[1].model_copy(update={"protocol_digest": "0" * 64})
    with pytest.raises(ValueError, match=r"paper-1: expected one protocol of this name, got two, by 'a' and 'b'"):
        reassembled(good, (good.entries[0], changed))


def test_an_entry_twice_is_refused() -> None:
    good = make_results([Spec("a")])
    with pytest.raises(ValueError, match="'a' twice"):
        reassembled(good, (good.entries[0], good.entries[0]))


def test_numbers_of_another_scorer_never_share_a_table() -> None:
    """What an older scorer measured is not put beside what this one did; it is scored again."""
    (entry,) = make_results([Spec("a")]).entries
    older = make_report(Spec("a")).model_copy(update={"scorer": "0.0.1"})
    with pytest.raises(ValueError, match=r"entry a: measured by scorer 0\.0\.1; score it again"):
        results_of([EntryNumbers(entry, (), (), (), (), (), older, seal())])


# Over an entry's games


def test_an_incomplete_entry_has_counts_but_no_mean_of_ranks() -> None:
    results = make_results([Spec("whole"), Spec("part", games=("snake", "trust"))])
    metrics: tuple[EntryMetric, ...] = ("mean_rank_avg", "rank_score_avg")
    for metric in metrics:
        row = over_games(results, "part", metric)
        assert row.value is None
        assert "incomplete" in (row.reason or "")
    assert over_games(results, "part", "games_improved").n == 2


def test_a_mean_of_ranks_is_the_mean_over_the_games() -> None:
    """``a`` is second in four of seven games and first in three: 11 / 7; its rank scores are 0 and 1: 3 / 7."""
    mixed = dict.fromkeys(GAMES[:4], climbing(1.0)) | dict.fromkeys(GAMES[4:], climbing(3.0))
    results = make_results([Spec("a", curves=mixed), Spec("b", curves=dict.fromkeys(GAMES, climbing(2.0)))])
    assert over_games(results, "a", "mean_rank_avg").value == pytest.approx(11 / 7)
    assert over_games(results, "a", "rank_score_avg").value == pytest.approx(3 / 7)
    assert over_games(results, "b", "mean_rank_avg").value == pytest.approx(10 / 7)


def test_games_improved_counts_areas_above_zero() -> None:
    curves = dict.fromkeys(GAMES[:3], climbing(1.0, 2.0)) | dict.fromkeys(GAMES[3:], climbing(2.0, 1.0))
    row = over_games(make_results([Spec("a", curves=curves)]), "a", "games_improved")
    assert (row.value, row.n) == (3, 7)


def test_games_beyond_noise_are_those_that_rise_all_the_way() -> None:
    """Eleven rising means stand in the one order of 11! that rises most: p = 1/10,000, and 7/40,000 over 7 games."""
    rising = tuple((float(k),) * 3 for k in range(11))
    curves = dict.fromkeys(GAMES[:4], rising) | dict.fromkeys(GAMES[4:], climbing(1.0, 2.0, 1.0))
    results = make_results([Spec("a", curves=curves)])
    assert (over_games(results, "a", "games_beyond_noise").value, over_games(results, "a", "games_improved").value) == (
        4,
        7,
    )
    (entry,) = results.entries
    assert {run.game: run.beyond_noise for run in entry.runs} == {game: game in GAMES[:4] for game in GAMES}


def test_where_so_few_checkpoints_stand_that_no_order_is_rare_nothing_is_told_beyond_noise() -> None:
    """Two checkpoints stand in two orders: p is 1/2 at least."""
    results = make_results([Spec("a", protocol="smoke-1")])
    row = over_games(results, "a", "games_beyond_noise")
    assert (row.value, row.n) == (None, 0)
    assert {run.beyond_noise for run in results.entries[0].runs} == {None}


def test_where_every_baseline_failed_nothing_is_counted() -> None:
    results = make_results([Spec("a", failed=dict.fromkeys(GAMES, (0,)))])
    row = over_games(results, "a", "games_improved")
    assert (row.value, row.reason) == (None, "no game has an AUC+")


# Two runs


def points(ys: Sequence[float | None]) -> list[CurvePoint]:
    return [
        CurvePoint(entry="x", game="snake", checkpoint=x, mean=y, scores=(), failed=0, delta=None, low=None, high=None)
        for x, y in zip(XS, ys, strict=False)
    ]


def made(name: str, ys: Sequence[float | None], **values: float | None) -> Side:
    every: dict[RunMetric, Measured] = {
        metric: missing(UNSCORED) if values.get(metric) is None else Measured(values[metric], len(ys))
        for metric in ("max", "auc_plus", "naba")
    }
    return side(name, points(ys), every)


heights = st.lists(st.integers(-20, 20).map(float), min_size=3, max_size=11)


@given(heights, st.data())
def test_differences_are_linear_and_change_sign_with_the_sides(ys: list[float], data: st.DataObject) -> None:
    others = data.draw(st.lists(st.integers(-20, 20).map(float), min_size=len(ys), max_size=len(ys)))
    one, other = made("one", ys), made("other", others)
    there, back = differences(one, other), differences(other, one)
    gaps = [a - b for a, b in zip(ys, others, strict=True)]
    assert there["delta_avg"].value == pytest.approx(sum(gaps) / len(gaps))
    assert there["delta_final"].value == pytest.approx(gaps[-1] - gaps[0])
    area = sum(1.5 * (a + b - 2 * gaps[0]) for a, b in itertools.pairwise(gaps))
    assert there["delta_net_area"].value == pytest.approx(area)
    for metric in LINEAR:
        mine, theirs = there[metric], back[metric]
        assert mine.value is not None
        assert theirs.value == pytest.approx(-mine.value)
        assert (mine.interval is None) == (theirs.interval is None)
        if mine.interval is not None:
            assert theirs.low == pytest.approx(-mine.interval.high)


@pytest.mark.parametrize(
    ("scores", "plays"),
    [((1.0, 2.0), 1), ((1.0, 2.0, 1.0, 3.0), 2), ((1.0, 2.0, 2.0, 1.0, 3.0, 0.0), 1), ((1.0, 2.0, 1.0), 1)],
)
def test_a_side_counts_the_repeats_of_x_0_unless_all_score_alike(scores: tuple[float, ...], plays: int) -> None:
    first, *later = points([1.5, 2.0, 1.0, 3.0])
    played = [first.model_copy(update={"scores": scores})]
    played += [each.model_copy(update={"scores": (each.mean, each.mean)}) for each in later]
    assert side("one", played, {}).curve.repeats == plays


def test_a_comparison_is_made_of_what_both_have() -> None:
    """At x = 3 one failed, at x = 6 the other: left are x = 0 and 9."""
    one, other = made("one", [1.0, None, 5.0, 4.0]), made("other", [0.0, 9.0, None, 1.0])
    found = differences(one, other)
    assert (found["delta_avg"].value, found["delta_avg"].n) == (2.0, 2)
    assert found["delta_final"].value == 2.0
    assert found["delta_avg"].no_interval == "fewer than 3 valid checkpoints"


@pytest.mark.parametrize(
    ("mine", "theirs", "without"),
    [
        ([None, 1.0, 2.0], [1.0, 1.0, 2.0], {"delta_final", "delta_net_area"}),
        ([1.0, 1.0, None], [1.0, 1.0, 2.0], {"delta_final"}),
        ([1.0, None, None], [1.0, 1.0, 2.0], {"delta_final", "delta_net_area"}),
        ([1.0, None, 2.0], [None, 1.0, None], {"delta_avg", "delta_final", "delta_net_area"}),
    ],
)
def test_what_cannot_be_compared_says_why(
    mine: list[float | None], theirs: list[float | None], without: set[str]
) -> None:
    found = differences(made("one", mine, max=2.0), made("other", theirs, max=1.0))
    lost = {name for name, each in found.items() if each.value is None}
    assert lost == without | {"delta_auc_plus", "delta_naba"}
    assert all(found[name].reason for name in lost)
    assert found["delta_max"].value == 1.0
    assert UNSCORED in (found["delta_naba"].reason or "")


def test_pathways_that_differ_before_anything_was_carried_are_warned_of() -> None:
    low, high = [1.0, 1.1, 0.9, 1.0, 1.1, 0.9], [9.0, 1.1, 1.0, 1.0, 1.1, 0.9]
    flat_low, flat_high = made("one", [1.0] * 6), made("other", [2.0] * 6)
    assert warning(flat_low, flat_high) == BASELINES_DIFFER
    assert warning(flat_low, flat_low) is None
    assert warning(made("one", low), made("other", low)) is None
    assert warning(made("one", [None, *low]), made("other", high)) is None


# Pairs


def both(team: str = "t", model: str = "m", **more: object) -> list[Spec]:
    return [
        Spec(f"{team}-{model}-h", "history", team=team, model=model, games=("snake",), **more),  # type: ignore[arg-type]
        Spec(f"{team}-{model}-s", "summary", team=team, model=model, games=("snake",), **more),  # type: ignore[arg-type]
    ]


def paired(results: Results) -> list[tuple[str, str]]:
    return [(pair.summary.entry, pair.history.entry) for pair in pairs(results.entries)]


def test_two_pathways_of_one_model_are_a_pair_and_two_models_or_teams_are_none() -> None:
    assert paired(make_results(both())) == [("t-m-s", "t-m-h")]
    assert paired(make_results([both("t", "m")[0], both("t", "n")[1]])) == []
    assert paired(make_results([both("t", "m")[0], both("u", "m")[1]])) == []
    assert paired(make_results([both()[0]])) == []


@pytest.mark.parametrize(
    "change",
    [
        {"input_budget": 50_000},
        {"output_budget": 9_000},
        {"deviations": ("something",)},
        {"protocol": "pocket-1"},
    ],
)
def test_under_unequal_conditions_there_is_no_pair(change: dict[str, object]) -> None:
    one, other = make_results(both()).entries
    changed = other.model_copy(update=change)
    assert pairs([one, changed]) == ()
    assert obstacles(one, changed) != ()
    assert obstacles(one, other) == ()


def test_other_decoding_or_another_endpoint_makes_no_pair() -> None:
    one, other = make_results(both()).entries
    hotter = other.decoding.model_copy(update={"temperature": 1.7})
    elsewhere = other.endpoint.model_copy(update={"model": "another"})
    assert pairs([one, other.model_copy(update={"decoding": hotter})]) == ()
    thinking = other.decoding.model_copy(update={"extra_body": (BodyField(name="thinking", value="true"),)})
    assert pairs([one, other.model_copy(update={"decoding": thinking})]) == ()
    assert pairs([one, other.model_copy(update={"endpoint": elsewhere})]) == ()


def test_several_entries_of_a_pathway_are_paired_in_order_and_the_rest_is_left_over() -> None:
    results = make_results(
        [
            Spec("a", team="t", games=("snake",)),
            Spec("b", team="t", games=("snake",)),
            Spec("c", team="t", games=("snake",)),
            Spec("y", "summary", team="t", games=("snake",)),
            Spec("z", "summary", team="t", games=("snake",)),
        ]
    )
    assert paired(results) == [("y", "a"), ("z", "b")]


def test_a_pair_is_summary_minus_history_game_by_game() -> None:
    """History: AUC+ = 1 * 28.5, NABA 14.25. Summary: AUC+ = 3 * 28.5, NABA 42.75. y(0) = 2 in both."""
    results = make_results(
        [
            Spec("h", "history", games=("snake",), curves={"snake": climbing(2.0, 3.0)}),
            Spec("s", "summary", games=("snake",), curves={"snake": climbing(2.0, 5.0)}),
        ]
    )
    found = {row.metric: row for row in results.pair_rows}
    assert set(found) == set(PAIR_METRICS)
    assert all((row.summary, row.history, row.game) == ("s", "h", "snake") for row in found.values())
    assert found["delta_auc_plus"].value == pytest.approx(57.0)
    assert found["delta_naba"].value == pytest.approx(28.5)
    assert found["delta_avg"].value == pytest.approx(20 / 11)
    assert found["delta_max"].value == 2.0


def test_a_game_that_one_of_the_two_has_not_ranked_is_in_no_pair() -> None:
    specs = [
        Spec("h", "history", games=("snake", "trust"), failed={"trust": (3, 6)}),
        Spec("s", "summary", games=("snake", "trust", "pvz")),
    ]
    assert {row.game for row in make_results(specs).pair_rows} == {"snake"}


# Pools


def pooled_of(results: Results, metric: PoolMetric, game: str | None, pathway: str | None = None) -> PoolRow:
    (found,) = [row for row in results.pool_rows if (row.metric, row.game, row.pathway) == (metric, game, pathway)]
    return found


def test_coupling_of_blocks_worked_by_hand() -> None:
    """Five blocks whose rises have the ranks 1 to 5 of their agreements, but for two that are swapped: rho = 0.9."""
    base = make_results([one_game("a", (0.0, 10.0))])
    agreements, rises = (0.1, 0.2, 0.3, 0.4, 0.5), (-4.0, -2.0, 1.0, 6.0, 3.0)
    blocks = [
        BlockPoint(entry="a", game="snake", checkpoint=3 * (k + 1), agreement=a, nmae=1 - a, rise=r)
        for k, (a, r) in enumerate(zip(agreements, rises, strict=True))
    ]
    found = pool_rows(Pooled(base.entries, base.rows, base.curves, blocks, ()))
    told = {(row.metric, row.game, row.pathway): row for row in found}
    assert told["rho_agreement_gain", "snake", None].value == pytest.approx(0.9)
    assert told["rho_accuracy_gain", None, None].value == pytest.approx(0.9)
    assert told["rho_agreement_gain", "snake", "history"].n == 5
    assert told["score_range", "snake", None].value == 10.0
    assert told["gap_agreement", "snake", None].value == pytest.approx((3.0 - -4.0) / 10)
    assert ("score_range", None, None) not in told


def test_a_game_whose_scores_never_vary_has_no_gain_to_couple() -> None:
    results = make_results([one_game("a", (4.0,))])
    row = pooled_of(results, "rho_agreement_gain", "snake")
    assert (row.value, row.n) == (None, 0)
    assert pooled_of(results, "score_range", "snake").value == 0


def test_runs_that_are_not_ranked_are_in_no_pool() -> None:
    results = make_results([one_game("a", (1.0, 2.0)), Spec("b", games=("snake",), failed={"snake": (3, 6)})])
    assert pooled_of(results, "score_range", "snake").n == 1
    assert make_results([Spec("trial", protocol="smoke-1")]).pool_rows == ()


def test_wins_ties_and_the_mean_of_the_pathways_are_counted_by_game() -> None:
    """Delta-NABA of three models: +28.5, 0 and -14.25; the mean is 4.75."""

    def model(name: str, history: float, summary: float) -> list[Spec]:
        return [
            Spec(f"{name}-h", "history", model=name, games=("snake",), curves={"snake": climbing(2.0, history)}),
            Spec(f"{name}-s", "summary", model=name, games=("snake",), curves={"snake": climbing(2.0, summary)}),
        ]

    results = make_results([*model("a", 3.0, 5.0), *model("b", 3.0, 3.0), *model("c", 3.0, 2.0)])
    counts = {metric: pooled_of(results, metric, "snake").value for metric in get_args(PoolMetric)[-5:]}
    assert counts == {
        "pairs": 3,
        "summary_wins": 1,
        "history_wins": 1,
        "pathway_ties": 1,
        "mean_delta_naba": pytest.approx(4.75),
    }
    mean = pooled_of(results, "mean_delta_naba", "snake")
    assert mean.low is not None
    assert mean.low < 4.75


def test_no_row_of_any_scope_averages_scores_over_games(results: Results) -> None:
    """Only counts, ranks, shares and correlations are told over games; whatever is in points belongs to one game."""
    for row in flat_rows(results):
        term = TERMS[row.scope][row.metric]  # type: ignore[index]  # both are of the results
        if row.game is None:
            assert term.unit in ("games", "ranks", "no unit", "score ranges", "pairs"), row
