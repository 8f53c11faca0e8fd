"""Trust Evolution: policies that read the observation alone, and the best reply to a known opponent."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from games.base import Draw, Move
from games.trust.opponents import CHEAT, COLLABORATE, OPPONENTS, PAYOFFS, WORDS

if TYPE_CHECKING:
    from games.trust.rules import TrustState


def idle(_observation: str, _draw: Draw) -> Move:
    """Collaborate always."""
    return Move(WORDS[COLLABORATE], 0)


def random(_observation: str, draw: Draw) -> Move:
    """Collaborate or cheat with equal chances; guess the reward by a coin."""
    return Move(WORDS[(COLLABORATE, CHEAT)[draw(2)]], draw(2))


def greedy(observation: str, _draw: Draw) -> Move:
    """Repeat the opponent's last action, but cheat in the last round; expect the opponent to repeat itself."""
    lines = observation.split("\n")
    _, current, _, last = lines[0].split(" ")
    expected = CHEAT if lines[-1].endswith(f"opponent {WORDS[CHEAT]}") else COLLABORATE
    action = CHEAT if current == last else expected
    return Move(WORDS[action], PAYOFFS[action, expected])


class _Line(NamedTuple):
    """One way on from the present round."""

    total: int
    moves: str
    player: str
    own: str


def oracle(state: TrustState, _draw: Draw) -> Move:
    """Play the best reply to this very opponent over all rounds that are left."""
    opponent = OPPONENTS[state.opponent]
    lines = [_Line(0, "", state.seen, state.answers)]
    for coin in state.coins[state.steps :]:
        best: dict[tuple[str | bool, ...], _Line] = {}
        for total, moves, player, own in lines:
            answer = opponent(player, own, coin)
            for move in (COLLABORATE, CHEAT):
                line = _Line(total + PAYOFFS[move, answer], moves + move, player + move, own + answer)
                known = best.get(_memory(line))
                if known is None or line.total > known.total:
                    best[_memory(line)] = line
        lines = list(best.values())
    first = max(lines, key=lambda line: line.total).moves[0]
    answer = opponent(state.seen, state.answers, state.coins[state.steps])
    return Move(WORDS[first], PAYOFFS[first, answer])


def _memory(line: _Line) -> tuple[str | bool, ...]:
    """Return all that any opponent can still react to: lines that agree in it have the same future."""
    return line.player[-2:], line.own[-1:], CHEAT in line.player[:4], CHEAT in line.player
