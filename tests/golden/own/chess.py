"""Chess: what its files need beside the common cases so that they show all that can happen."""

from __future__ import annotations

from games.chess.rules import CHESS
from games.play import Turn
from tests.golden.case import Case, script

ENDS = {
    "explore": {"step_limit", "agent_end"},
    "strict": {"step_limit", "agent_end"},
}
"""The ends that each file must reach."""

COMMON = {"size": 8, "pieces": 6}
"""A whole observation has eight boards of 15 x 15 cells: one episode of them is enough."""


def cases() -> list[Case]:
    """Return the game's own episodes."""
    small = {"size": 7, "pieces": 4, "history": 3}
    letters = "abcdefghijklmnopqrstuvwxyz"
    same = ", ".join(f"{letter}:(3,3)" for letter in letters)
    twice = " and ".join(f"{letter.upper()} -> [0, {column % 7}]" for column, letter in enumerate(letters * 2))
    return [
        Case("greedy on the whole board", 0, {}, _greedy),
        Case("letters that no piece has", 1, small, script(same, same.upper(), same.replace(":", "="))),
        Case("repeated and off the board", 2, small, script(twice, same.replace("3,3", "-1,3"), f"{same}, {twice}")),
        Case("unreadable", 3, small, script("a:(1,2,3)", f"{same} maybe", "(1,1) a, (2,2) b", "a:(1,2) or (1,3)")),
    ]


def _greedy(turn: Turn) -> str:
    return CHESS.baselines["greedy"](turn.observation, lambda bound: 0).action
