"""What is computed from the timings; nothing here measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

WANTED = 2.0
"""How many times as fast as a peer that makes text every game must be."""


class Spread(NamedTuple):
    """The middle of several repetitions, and how far they lie apart."""

    median: float
    low: float
    high: float


def spread(values: Sequence[float]) -> Spread:
    """Return median, lowest and highest.

    Raises:
        ValueError: If there is no value.
    """
    if not values:
        raise ValueError("values: expected at least one, got none")
    return Spread(median(values), min(values), max(values))


def quotients(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, ...]:
    """Return ours / theirs, repetition by repetition, so that a slow moment of the machine strikes both sides of one.

    Raises:
        ValueError: If the two do not belong together.
    """
    if len(ours) != len(theirs):
        raise ValueError(f"expected as many repetitions on both sides, got {len(ours)} and {len(theirs)}")
    return tuple(our / their for our, their in zip(ours, theirs, strict=True))


@dataclass(frozen=True, slots=True)
class Speed:
    """What one side did in a second, one value a repetition."""

    steps: tuple[float, ...]
    turns: tuple[float, ...]
    """What one step of this project does: a round, a piece, a move of every snake."""
    resets: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One game beside the same game of one peer."""

    game: str
    peer: str
    text: bool
    """Whether the peer makes the text of an observation in each step, as this project does."""
    unit: str
    """What counts as one step of the peer."""
    ours: Speed
    theirs: Speed
    gated: bool = True
    """Whether this project has to be ahead: a peer that is compiled, or makes no text, is shown and does not judge."""

    @property
    def ratio(self) -> Spread:
        """Return how many times as fast this project steps, by the peer's own steps: the count that favours it."""
        return spread(quotients(self.ours.steps, self.theirs.steps))

    @property
    def turn_ratio(self) -> Spread:
        """Return how many times as fast this project plays whole turns."""
        return spread(quotients(self.ours.turns, self.theirs.turns))

    @property
    def holds(self) -> bool | None:
        """Return whether the median ratio by turn is as high as wanted; None for a peer that does not judge."""
        return self.turn_ratio.median >= WANTED if self.text and self.gated else None


@dataclass(frozen=True, slots=True)
class Alone:
    """One game without a peer, beside a figure that was measured elsewhere."""

    game: str
    ours: Speed
    elsewhere: int | None
    """Steps a second, or None where no figure is known."""


class Missing(NamedTuple):
    """A peer that could not be measured."""

    peer: str
    text: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that one run found."""

    conditions: tuple[tuple[str, str], ...]
    """What was measured with and how, as (name, value)."""
    comparisons: tuple[Comparison, ...]
    alone: tuple[Alone, ...]
    missing: tuple[Missing, ...]


def verdicts(report: Report) -> list[str]:
    """Return a line for each comparison with a peer that judges, and for each peer that is missing."""
    compared = [_verdict(each) for each in report.comparisons if each.holds is not None]
    return compared + [_absence(each) for each in report.missing]


def gate(report: Report) -> bool:
    """Return whether something was compared, nothing is missing, and every ratio is as high as wanted."""
    judging = [each.holds for each in report.comparisons if each.holds is not None]
    return bool(judging) and all(judging) and not any(each.text for each in report.missing)


def _verdict(each: Comparison) -> str:
    turn, step = each.turn_ratio, each.ratio.median
    by_step = "" if step == turn.median else f"; by its own steps {number(step)} times"
    return (
        f"{'yes' if each.holds else 'NO '} {each.game} beside {each.peer}: {number(turn.median)} times as fast "
        f"({number(turn.low)} to {number(turn.high)}), wanted {WANTED:g}{by_step}"
    )


def _absence(each: Missing) -> str:
    return f"{'NO ' if each.text else '-  '} {each.peer}: not measured: {each.reason}"


def number(value: float) -> str:
    """Return a figure with three digits that mean something."""
    if value >= 100:
        digits = len(str(int(value))) - 3
        return f"{round(value, -digits):,.0f}"
    return f"{value:.3g}"
