"""The search for blind plans is repeatable, and what it finds is played without looking."""

from __future__ import annotations

from benchmarks.blind import FIRST, Words, actions, policy, score, search
from games.play import play
from games.registry import game_named

TRUST = game_named("trust")
WORDS = Words(("collaborate", "cheat"))


def test_equal_searches_find_equal_plans() -> None:
    found = [search(TRUST, TRUST.strict, WORDS, evaluations=60, seeds=16) for _ in range(2)]
    assert found[0] == found[1]


def test_a_plan_that_is_known_is_never_lost() -> None:
    """Against most opponents nine collaborations and a last cheat beat what ten tries find."""
    late = (*(("collaborate",),) * 9, ("cheat",))
    alone = search(TRUST, TRUST.strict, WORDS, evaluations=1, seeds=16, known=[late])
    assert alone.plan == late
    assert search(TRUST, TRUST.strict, WORDS, evaluations=60, seeds=16, known=[late]).score >= alone.score


def test_a_plan_scores_what_it_scores_as_a_player() -> None:
    cycle = actions(Words(("X 0 0", "J 1 1"), most=2), (("X 0 0", "J 1 1"), ("J 1 1",)))
    assert cycle == ("X 0 0; J 1 1", "J 1 1")
    pvz = game_named("pvz")
    for seed in (FIRST, FIRST + 1):
        assert score(pvz, pvz.start(pvz.strict, seed), cycle) == play(pvz, pvz.strict, seed, policy(cycle)).score
