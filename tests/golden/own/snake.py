"""Snake: what its files need beside the common cases so that they show all that can happen."""

from __future__ import annotations

from tests.golden.case import Case, script

ENDS = {
    "explore": {"won", "step_limit", "agent_end"},
    "strict": {"won", "lost", "step_limit", "agent_end"},
}
"""The ends that each file must reach."""


def cases() -> list[Case]:
    """Return the game's own episodes."""
    full, crowded = {"size": 4, "obstacles": 0, "apples": 2}, {"size": 6, "obstacles": 0, "apples": 15}
    return [
        Case("a full board", 3, full, script("UP", "LEFT", "DOWN")),
        Case("into the wall", 0, {"obstacles": 0}, script(*["UP"] * 6, "left")),
        Case("into an obstacle", 11, {"size": 6, "obstacles": 7}, script("UP", "UP", "right")),
        Case("into the body", 0, crowded, script("UP", "LEFT", "LEFT", "DOWN", "RIGHT", "UP", "[down]")),
        Case("after the tail", 0, crowded, script("UP", "LEFT", "DOWN", "RIGHT", "UP", "LEFT")),
        Case("turning back", 0, crowded, script("UP", "DOWN", "LEFT")),
    ]
