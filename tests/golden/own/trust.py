"""Trust Evolution: what its files need beside the common cases so that they show all that can happen."""

from __future__ import annotations

from tests.golden.case import Case, script

ENDS = {
    "explore": {"step_limit", "agent_end"},
    "strict": {"step_limit", "agent_end"},
    "explore-sighted": {"step_limit", "agent_end"},
    "strict-sighted": {"step_limit", "agent_end"},
}
"""The ends that each file must reach."""


def cases() -> list[Case]:
    """Return the game's own episodes."""
    ways = ("cheat", "cheat", "collaborate", "collaborate", "cheat", "collaborate")
    return [Case(f"seed {seed}, a fixed line", seed, {}, script(*ways, "maybe", *ways)) for seed in range(16)]
