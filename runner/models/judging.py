"""Reads scoring rules and judges past steps in hindsight; knows no game."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from runner.models.reading import PastEpisode

REFUSED = "Invalid action:"
REFUSED_POINTS = -0.5
"""What an action counts that was refused or changed nothing: slightly bad, so that it is not tried for ever."""

_FORM = re.compile(r"^Action format: <([^<>\n]*\|[^<>\n]*)>", re.MULTILINE)
_SCORING = "\nScoring:\n"
_EVENT = re.compile(r"^- (.+): ([+-]?[0-9]+(?:\.[0-9]+)?)$", re.MULTILINE)


class Scoring(NamedTuple):
    """What the rules of a game say about actions and points."""

    alternatives: tuple[str, ...]
    """The actions, where the rules list them all."""
    events: tuple[tuple[str, float], ...]
    """A phrase of the feedback and its points."""


@lru_cache(maxsize=64)
def read_scoring(rules: str) -> Scoring:
    """Read the rules of a game."""
    form = _FORM.search(rules)
    listed = rules.partition(_SCORING)[2]
    events = tuple((phrase, float(points)) for phrase, points in _EVENT.findall(listed))
    return Scoring(tuple(form[1].split("|")) if form else (), events)


def judge(episode: PastEpisode, scoring: Scoring, then: str | None = None) -> list[float]:
    """Return the points that each step earned at once, as far as the feedback tells, else by its own self-score.

    Args:
        episode: The steps.
        scoring: The scoring rules.
        then: The observation after the last step, where it is known.
    """
    after = [step.observation for step in episode[1:]] + [then]
    points = []
    for step, observation in zip(episode, after, strict=True):
        if step.feedback.startswith(REFUSED) or step.observation == observation:
            points.append(REFUSED_POINTS)
        else:
            named = (worth for phrase, worth in scoring.events if phrase in step.feedback)
            points.append(next(named, step.score or 0.0))
    return points
