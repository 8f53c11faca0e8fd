"""Plants-vs-Zombies: what its files need beside the common cases so that they show all that can happen."""

from __future__ import annotations

from tests.golden.case import Case, script

_ALL = {"lost", "step_limit", "agent_end"}
ENDS = {"explore": _ALL, "strict": _ALL, "explore-sighted": _ALL, "strict-sighted": _ALL}
"""The ends that each file must reach."""


def cases() -> list[Case]:
    """Return the game's own episodes."""
    rich = {"start_sun": 3_000}
    torches = ("W 0 0; H 0 1; S 1 0; H 1 1", "S 2 1; W 2 0", "", "W 0 2; W 1 2; J 2 5")
    walls = "J 0 3; J 1 3; J 2 3; X 0 2; X 1 2; X 2 2"
    skipped = (
        "X 0 0; W 0 0; X 9 9; Q 0 1; X 0",
        "X 1 1; J 2 2; plant a wall",
        "(x, 0, 0), w 0 0",
        "F 0 0",
        "X 0 0; " * 40,
    )
    return [
        Case("torches and three lines", 5, {**rich, "max_steps": 9}, script(*torches, *["NONE"] * 5)),
        Case(
            "chilis", 6, {**rich, "max_steps": 8}, script("F 0 0; F 1 0; F 2 0; F 0 0", "F 0 6; F 1 5; F 2 5", "F 2 0")
        ),
        Case("walls are eaten", 7, {**rich, "stage_turns": 2, "max_steps": 16}, script(walls, *[""] * 15)),
        Case("idle to the end", 8, {}, script(*["none"] * 7)),
        Case("too short to be lost", 10, {"max_steps": 2}, script("", "none")),
        Case("skipped placements", 9, {"max_steps": 5}, script(*skipped)),
    ]
