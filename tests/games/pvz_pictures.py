"""Fields of Plants-vs-Zombies from drawings, and what their observations show."""

from __future__ import annotations

from dataclasses import replace

from games.base import Step
from games.pvz.config import STRICT
from games.pvz.rules import PVZ, PvzState

HP = {".": 0, "X": 2, "W": 2, "S": 2, "J": 10, "H": 2}
SURVIVED, LOST = "You survived the turn.", "A zombie reached the house in row"


def picture(rows: str, zombies: str = "", *, sun: int = 0, hurt: dict[tuple[int, int], int] | None = None) -> PvzState:
    """A state from a drawing of the plants and a list of zombies in order; no wave is to come.

    It stands in turn 1, brings no sun of its own, and has the hp of the tables, save where ``hurt`` says otherwise.
    """
    drawn = rows.split()
    units = [unit.split() for unit in zombies.split(";") if unit.strip()]
    field = tuple(
        (
            plants,
            tuple((hurt or {}).get((row, column), HP[plant]) for column, plant in enumerate(plants)),
            tuple((kind, int(column), int(hp)) for kind, place, column, hp in units if int(place) == row),
        )
        for row, plants in enumerate(drawn)
    )
    config = replace(STRICT, rows=len(drawn), columns=len(drawn[0]), sun_a_turn=0)
    return PvzState(config, 1, None, sun, field, ((),) * config.max_steps)


def seen(state: PvzState) -> tuple[list[str], list[str]]:
    """The plants and the zombies that an observation lists."""
    *_, plants, zombies = PVZ.observe(state).split("\n")
    lists = [line.partition(": ")[2].replace(" hp", "").split("; ") for line in (plants, zombies)]
    return lists[0], lists[1]


def plants(state: PvzState) -> list[str]:
    return seen(state)[0]


def zombies(state: PvzState) -> list[str]:
    return seen(state)[1]


def drawing(state: PvzState) -> str:
    return " ".join(line.replace(" ", "") for line in PVZ.observe(state).split("\n")[3:-2])


def sun(state: PvzState) -> int:
    return int(PVZ.observe(state).split("\n")[1].removeprefix("Sun: "))


def turn(state: PvzState, action: str = "", turns: int = 1) -> Step[PvzState]:
    """The last of some turns with one and the same action."""
    for _ in range(turns - 1):
        state = PVZ.step(state, action).state
    return PVZ.step(state, action)


def after(state: PvzState, action: str = "", turns: int = 1) -> PvzState:
    return turn(state, action, turns).state
