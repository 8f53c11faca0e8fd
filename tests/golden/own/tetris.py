"""Tetris: what its files need beside the common cases so that they show all that can happen."""

from __future__ import annotations

from tests.golden.case import Case, script

ENDS = {
    "explore": {"lost", "step_limit", "agent_end"},
    "strict": {"lost", "step_limit", "agent_end"},
}
"""The ends that each file must reach."""


def cases() -> list[Case]:
    """Return the game's own episodes."""
    return [
        Case("a limit of two invalid actions", 4, {"invalid_limit": 2}, script("0 0", "1 90", "1 45", "99 0")),
        Case("every way to write an action", 5, {"width": 9}, script("(1, 0)", "[3] [90]", "column 5 rotation 180.")),
        Case("two-digit column numbers", 6, {"width": 12, "height": 4}, script("9 90", "rotation 90 column 9")),
        Case("above the top row", 7, {"height": 4}, script("1 90", "1 90", "1 90", "1 90")),
    ]
