"""Trust Evolution worked out exactly: the best plan of a blind player, and the best play of one that sees the rounds.

The player knows the eight opponents and how often each is met. Its belief is which of them still agree with what was
seen; the value of a belief is found by trying both actions and both answers in every round that is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from games.trust.config import TrustConfig
from games.trust.opponents import CHEAT, COLLABORATE, OPPONENTS, PAYOFFS, WORDS, Opponent

_COIN = "random"
_MOVES = (COLLABORATE, CHEAT)


class Schedule(NamedTuple):
    """A plan and what it pays on average."""

    actions: tuple[str, ...]
    score: float


def best_blind(config: TrustConfig) -> Schedule:
    """Return the best plan of all that there are, and its expected score."""
    shares = list(zip(OPPONENTS, config.weights, strict=True))
    value, plan = max(
        (sum([weight * _paid(name, plan) for name, weight in shares]), plan)
        for plan in map("".join, product(_MOVES, repeat=config.max_steps))
    )
    return Schedule(tuple([WORDS[move] for move in plan]), value / sum(config.weights))


def _paid(name: str, plan: str) -> float:
    """Return what a plan earns against one opponent, the coins of ``random`` averaged."""
    if name == _COIN:
        return sum([_against_coin(move) for move in plan])
    total, own = 0, ""
    for place, move in enumerate(plan):
        answer = OPPONENTS[name](plan[:place], own, 0)
        total, own = total + PAYOFFS[move, answer], own + answer
    return total


def _against_coin(move: str) -> float:
    return sum([PAYOFFS[move, answer] for answer in _MOVES]) / 2


def greedy_expected(config: TrustConfig) -> float:
    """Return what the greedy baseline earns on average: it copies the opponent's last action and cheats at last."""
    total = sum(
        [weight * _copied(name, config.max_steps) for name, weight in zip(OPPONENTS, config.weights, strict=True)]
    )
    return total / sum(config.weights)


def _copied(name: str, rounds: int) -> float:
    if name == _COIN:
        copies = (rounds - 2) * sum(map(_against_coin, _MOVES)) / 2
        return _against_coin(COLLABORATE) + copies + _against_coin(CHEAT)
    total, player, own = 0, "", ""
    for place in range(rounds):
        answer = OPPONENTS[name](player, own, 0)
        move = CHEAT if place == rounds - 1 else own[-1:] or COLLABORATE
        total, player, own = total + PAYOFFS[move, answer], player + move, own + answer
    return total


class _Belief(NamedTuple):
    """Opponents that still agree with what was seen, by weight, and what is left of the weight of coins."""

    alive: tuple[tuple[Opponent, int], ...]
    coins: float


def best_seeing(config: TrustConfig) -> float:
    """Return the expected score of the best player that sees the rounds and knows the opponents, not which it has."""
    weights = dict(zip(OPPONENTS, config.weights, strict=True))
    alive = tuple([(OPPONENTS[name], weight) for name, weight in weights.items() if weight and name != _COIN])
    return _value(_Belief(alive, weights[_COIN]), "", "", config.max_steps) / sum(config.weights)


def _value(belief: _Belief, player: str, own: str, rounds: int) -> float:
    """Return the expected points of the rounds that are left, times the weight of the belief."""
    if not rounds:
        return 0
    if not belief.alive:
        return belief.coins * rounds * max(map(_against_coin, _MOVES))
    by_answer: dict[str, list[tuple[Opponent, int]]] = {answer: [] for answer in _MOVES}
    for opponent, weight in belief.alive:
        by_answer[opponent(player, own, 0)].append((opponent, weight))
    return max([_moved(move, by_answer, belief.coins / 2, player, own, rounds) for move in _MOVES])


def _moved(
    move: str, by_answer: dict[str, list[tuple[Opponent, int]]], coins: float, player: str, own: str, rounds: int
) -> float:
    total = 0.0
    for answer, agreeing in by_answer.items():
        weight = _weight(agreeing) + coins
        if weight:
            later = _value(_Belief(tuple(agreeing), coins), player + move, own + answer, rounds - 1)
            total += weight * PAYOFFS[move, answer] + later
    return total


def _weight(opponents: Sequence[tuple[Opponent, int]]) -> int:
    return sum([weight for _, weight in opponents])
