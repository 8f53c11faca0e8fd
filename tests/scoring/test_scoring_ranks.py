"""Competition ranks."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics.ranks import competition_ranks, games_improved, mean_ranks, rank_score
from scoring.published.tables import AGENTS, core16_table


def test_ties_share_the_better_rank() -> None:
    assert competition_ranks({"a": 1.0, "b": 3.0, "c": 2.0, "d": 2.0}) == {"b": 1, "c": 2, "d": 2, "a": 4}


def test_LB_02_zero_has_a_rank_and_equals_minus_zero() -> None:
    assert competition_ranks({"a": 0.0, "b": -0.0}) == {"a": 1, "b": 1}


@given(st.dictionaries(st.text(max_size=3), st.sampled_from([0.0, 1.0, 2.0, 2.5]), max_size=8))
def test_A04_ranks_do_not_depend_on_order_or_names(values: dict[str, float]) -> None:
    names = list(values)
    random.Random(0).shuffle(names)
    assert competition_ranks({name: values[name] for name in names}) == competition_ranks(values)
    for name, rank in competition_ranks(values).items():
        assert rank == 1 + sum(other > values[name] for other in values.values())


def test_the_rank_score_gives_evopolicygyms_published_core16_aggregates() -> None:
    """Its table of 16 environments and its five printed means, which are no part of that table."""
    scores = []
    for row in core16_table():
        ranks = competition_ranks(dict(zip(AGENTS, row.scores, strict=True)))
        scores.append([rank_score(ranks[agent], len(AGENTS)) or 0.0 for agent in AGENTS])
    means = [sum(column) / len(scores) for column in zip(*scores, strict=True)]
    assert sorted((round(mean, 3) for mean in means), reverse=True) == [0.891, 0.75, 0.531, 0.359, 0.109]


def test_the_rank_score_runs_from_1_to_0_and_alone_there_is_none() -> None:
    assert [rank_score(rank, 5) for rank in range(1, 6)] == [1, 0.75, 0.5, 0.25, 0]
    assert rank_score(1, 1) is None
    with pytest.raises(ValueError, match="rank"):
        rank_score(6, 5)


def test_MT_01_who_leaves_out_a_game_has_no_mean_rank() -> None:
    ranks = {"snake": {"a": 1, "b": 2}, "pvz": {"a": 3, "c": 1}}
    assert mean_ranks(ranks) == {"a": Fraction(2)}
    assert mean_ranks({}) == {}


def test_the_naive_count_of_games_improved() -> None:
    assert games_improved({"snake": 0.0, "pvz": 1e-9, "trust": 2.0}) == 2
