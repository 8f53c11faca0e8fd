"""Which step or summary call a cost is of."""

from __future__ import annotations

from protocol.records import CostRecord
from protocol.schedule import Place

CostPlace = tuple[str, int | None, int, int, int]
"""Phase, checkpoint, index, repeat and step."""


def cost_place(cost: CostRecord) -> CostPlace:
    """Return which step or summary call a cost is of."""
    return (cost.phase, cost.checkpoint, cost.index, cost.replicate, cost.step)


def step_place(episode: Place, step: int) -> CostPlace:
    """Return where the cost of an episode's step stands."""
    return (episode.phase, episode.checkpoint, episode.index, episode.replicate, step)


def summary_place(index: int) -> CostPlace:
    """Return where the cost of a summary call stands."""
    return ("summary", None, index, 0, 0)
