"""Trust worked out exactly: values known from elsewhere, and small cases worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.trust_ceiling import best_blind, best_seeing, greedy_expected
from games.trust.config import EXPLORE, STRICT, TrustConfig


def met(**weights: int) -> TrustConfig:
    names = ("copycat", "nice", "cheater", "grudger", "detective", "copykitten", "simpleton", "random")
    return replace(STRICT, weights=tuple([weights.get(name, 0) for name in names]))


@pytest.mark.parametrize(("config", "points"), [(STRICT, 16.97), (EXPLORE, 19.10)])
def test_the_best_player_that_sees_the_rounds_reaches_what_others_worked_out(
    config: TrustConfig, points: float
) -> None:
    assert best_seeing(config) == pytest.approx(points, abs=0.005)


def test_greedy_earns_what_its_rule_gives_against_each_opponent() -> None:
    """By hand: nine collaborations and a cheat pay 21; cheater -1; the detective 7 x 2 - 1 + 2 x 3; coins 10."""
    paid = [greedy_expected(met(**{name: 1})) for name in ("copycat", "simpleton", "cheater", "detective", "random")]
    assert paid == [21, 21, -1, 19, 10]


def test_against_one_known_opponent_the_best_play_is_the_best_reply() -> None:
    """Worked by hand: ten cheats take 30 from nice, 0 from cheater and 15 from coins; copycat pays 9 x 2 + 3."""
    assert [best_seeing(met(**{name: 1})) for name in ("nice", "cheater", "random", "copycat")] == [30, 0, 15, 21]


def test_what_one_round_shows_decides_the_rest() -> None:
    """Nice or cheater: cheating throughout is best against both, and nothing has to be learned."""
    assert best_seeing(met(nice=1, cheater=1)) == 15
    assert best_blind(met(nice=1, cheater=1)).actions == ("cheat",) * 10


def test_a_blind_player_cannot_tell_a_copycat_from_a_cheater() -> None:
    """Two rounds: seeing, a collaboration tells them apart too late: (2 + 3 - 1 + 0) / 2, as blind by C, then D."""
    two = replace(met(copycat=1, cheater=1), max_steps=2)
    assert best_seeing(two) == best_blind(two).score == 2


def test_three_rounds_are_enough_for_sight_to_pay() -> None:
    """Seeing: C, then C C D against the copycat (2 + 2 + 3), C D D against the cheater (-1): 3. Blind, C C D: 2.5."""
    three = replace(met(copycat=1, cheater=1), max_steps=3)
    assert best_seeing(three) == 3
    assert best_blind(three).score == 2.5
