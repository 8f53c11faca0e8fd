"""Minesweeper: what its files need beside the common cases so that they show all that can happen."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from games.minesweeper.board import FLAG, HIDDEN, MINE, cells, neighbours
from games.minesweeper.rules import MinesweeperState
from games.play import Turn
from tests.golden.case import Case, Choice, script

ENDS = {
    "explore": {"won", "lost", "step_limit", "agent_end"},
    "strict": {"won", "lost", "step_limit", "agent_end"},
    "explore-sighted": {"won", "lost", "step_limit", "agent_end"},
    "strict-sighted": {"won", "lost", "step_limit", "agent_end"},
}
"""The ends that each file must reach."""


def cases() -> list[Case]:
    """Return the game's own episodes."""
    small = {"rows": 5, "columns": 5, "fewest_mines": 3, "most_mines": 3}
    lone, dense = {**small, "fewest_mines": 1, "most_mines": 1}, {**small, "most_mines": 8, "fewest_mines": 7}
    wide = {"rows": 11, "columns": 12, "fewest_mines": 45, "most_mines": 49}
    refused = ["uncover (5,0)", "flag (0,-1)", "unflag (0,0)", "flag (2,2)", "flag (2,2)", "uncover (2,2)"]
    refused += ["unflag (2,2)", "uncover (2,2)", "uncover (2,2)", "flag (2,2)", "unflag (2,2)"]
    return [
        Case("every mine flagged", 4, {}, _seeing(*["flag MINE"] * 20)),
        Case("every safe cell opened", 2, small, _seeing(*["uncover SAFE"] * 22)),
        Case("a wrong flag prevents a win", 2, small, _seeing("flag SAFE", *["uncover SAFE | unflag WRONG"] * 22)),
        Case("lives used up", 3, {}, _seeing("uncover SAFE", "flag MINE", *["uncover MINE"] * 3)),
        Case("flags whose mines move", 5, {}, _seeing("flag MINE", "flag MINE", "uncover BESIDE", "flag MINE")),
        Case("a hit leaves only right flags", 6, small, _seeing("uncover SAFE", *["flag MINE"] * 2, "uncover MINE")),
        Case(
            "the removal of a wrong flag wins",
            4,
            small,
            _seeing("flag SAFE", "uncover AWAY", "flag MINE", "flag MINE", "uncover MINE", "unflag WRONG"),
        ),
        Case("refused", 7, dense, _seeing(*refused, "uncover MINE", "uncover HIT", "flag HIT", "unflag HIT")),
        Case("all flags used", 8, lone, _seeing("flag SAFE", "flag SAFE", "unflag WRONG", "flag SAFE")),
        Case(
            "ways to write",
            9,
            {},
            script("UNCOVER 8 8", "[Flag [0,0]]", "unflag: row 0, column 0", "uncover (0,0),(0,1)"),
        ),
        Case("two digits", 10, wide, _seeing("uncover (10,11)", "flag MINE", "flag SAFE", "uncover MINE")),
    ]


def _seeing(*orders: str) -> Choice:
    """Return the choice that plays these actions on the first cell, in row order, of the kind that each names.

    Where there is no such cell, the action after a stroke takes its place.
    """

    def choice(turn: Turn) -> str | None:
        for order in orders[turn.step].split(" | ") if turn.step < len(orders) else ():
            verb, target = order.split(" ")
            if target not in _KINDS:
                return order
            if found := _found(cast("MinesweeperState", turn.state), _KINDS[target]):
                return f"{verb} {found[0]}"
        return None

    return choice


def _found(state: MinesweeperState, wanted: Callable[[MinesweeperState, int], bool]) -> list[str]:
    rows, columns = state.config.rows, state.config.columns
    places = [place for place, cell in enumerate(cells(rows, columns)) if wanted(state, cell)]
    return ["({},{})".format(*divmod(place, columns)) for place in places]


def _beside_flag(state: MinesweeperState, cell: int) -> bool:
    return any(state.view[near] == FLAG for near in neighbours(state.config.rows, state.config.columns)[cell])


_KINDS: dict[str, Callable[[MinesweeperState, int], bool]] = {
    "MINE": lambda state, cell: state.field[cell] == MINE and state.view[cell] == HIDDEN,
    "SAFE": lambda state, cell: state.field[cell] != MINE and state.view[cell] == HIDDEN,
    "HIT": lambda state, cell: state.view[cell] == MINE,
    "WRONG": lambda state, cell: state.field[cell] != MINE and state.view[cell] == FLAG,
    "BESIDE": lambda state, cell: state.view[cell] == HIDDEN and _beside_flag(state, cell),
    "AWAY": lambda state, cell: state.view[cell] == HIDDEN and not _beside_flag(state, cell),
}
