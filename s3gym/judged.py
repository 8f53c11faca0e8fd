"""Self-scores against rewards, counted in steps for one episode."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from games.base import END_ACTION, Points
from games.text import word
from protocol.reply import Reply


@dataclass(frozen=True, slots=True)
class Judged:
    """How the self-scores of an episode compare with its rewards. END steps are left out: their agreement is free."""

    agreeing: int
    """Steps whose self-score is positive exactly where the reward is."""
    over: int
    """Steps with a positive self-score and no positive reward."""
    under: int
    """Steps with a positive reward and no positive self-score."""
    missing: int
    """Steps without a self-score."""
    error: float | None
    """The mean distance between self-score and reward; None if no step has a self-score."""

    @property
    def steps(self) -> int:
        """Return how many steps have a self-score."""
        return self.agreeing + self.over + self.under


def judge(steps: Iterable[tuple[Reply, Points]]) -> Judged:
    """Return how the self-scores of an episode compare with its rewards.

    Args:
        steps: What was read from each reply, and the reward of its action.
    """
    agreeing = over = under = missing = 0
    distance = 0.0
    for reply, reward in steps:
        if reply.action is not None and word(reply.action) == END_ACTION:
            continue
        if reply.score is None:
            missing += 1
            continue
        said, is_so = reply.score > 0, reward > 0
        agreeing += said == is_so
        over += said and not is_so
        under += is_so and not said
        distance += abs(reply.score - float(reward))
    judged = agreeing + over + under
    return Judged(agreeing, over, under, missing, distance / judged if judged else None)
