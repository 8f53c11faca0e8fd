"""Reads scoring rules and judges past steps in hindsight."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from runner.models.learning.words import without_numbers
from runner.models.reading import PastEpisode

REFUSED = "Invalid action:"
REFUSED_POINTS = -0.5
"""What an action counts that was refused or changed nothing: slightly bad, so that it is not tried for ever."""

_FORM = re.compile(r"^Action format: <([^<>\n]*\|[^<>\n]*)>", re.MULTILINE)
_SCORING = "\nScoring:\n"
_EVENT = re.compile(r"^- (.+): ([+-]?[0-9]{1,9}(?:\.[0-9]{1,9})?)$", re.MULTILINE)


class Scoring(NamedTuple):
    """What the rules of a game say about actions and points."""

    alternatives: tuple[str, ...]
    """The actions, where the rules list them all."""
    events: tuple[tuple[str, float], ...]
    """A phrase of the feedback and its points."""

    @property
    def stakes(self) -> float:
        """Return what lies between the best and the worst listed event; 1 where the list tells nothing."""
        points = [points for _, points in self.events]
        return (max(points) - min(points) if points else 0.0) or 1.0


class Judged(NamedTuple):
    """What one past step brought."""

    event: str
    """The scoring phrase that its feedback holds, else the feedback without its numbers."""
    points: float
    """The points of that phrase, else the step's own self-score."""
    vain: bool
    """Whether the action was refused or changed nothing."""


@lru_cache(maxsize=64)
def read_scoring(rules: str) -> Scoring:
    """Read the rules of a game."""
    form = _FORM.search(rules)
    alternatives = tuple(part.strip() for part in form[1].split("|")) if form else ()
    listed = rules.partition(_SCORING)[2]
    return Scoring(alternatives, tuple((phrase, float(points)) for phrase, points in _EVENT.findall(listed)))


def judge(episode: PastEpisode, scoring: Scoring, then: str | None = None) -> list[Judged]:
    """Judge each step by the feedback and the observation that followed.

    Args:
        episode: The steps.
        scoring: The scoring rules.
        then: The observation after the last step, where it is known.
    """
    if not episode:
        return []
    after = [*(step.observation for step in episode[1:]), then]
    judged = []
    for step, observation in zip(episode, after, strict=True):
        vain = step.feedback.startswith(REFUSED) or step.observation == observation
        blank = without_numbers(step.feedback)
        known = ((phrase, points) for phrase, points in scoring.events if phrase in step.feedback)
        event, points = next(known, (blank, step.score or 0.0))
        judged.append(Judged(event, REFUSED_POINTS if vain else points, vain))
    return judged


def nearest_points(expected: float, scoring: Scoring) -> float:
    """Return the points of a listed event that are nearest to an expectation; without a list, the expectation."""
    listed = sorted({points for _, points in scoring.events})
    return min(listed, key=lambda points: abs(points - expected), default=expected)
