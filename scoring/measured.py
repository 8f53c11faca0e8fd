"""What a metric gives: a value or the reason why there is none, and how far the value can be trusted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, TypedDict


class Interval(NamedTuple):
    """A 95% interval, in the unit of what it is about."""

    low: float
    high: float


class NumberFields(TypedDict):
    """The fields of a number in the results."""

    value: float | None
    n: int
    low: float | None
    high: float | None
    reason: str | None
    no_bounds: str | None


@dataclass(frozen=True, slots=True)
class Measured:
    """One number of a run or of a table."""

    value: float | None
    n: int
    """What the value rests on: checkpoints, steps, blocks or runs, as the metric says."""
    reason: str | None = None
    """Why there is no value (never 0, never NaN), or a note on the value."""
    interval: Interval | None = None
    no_interval: str | None = None
    """Why there is no interval where one could stand."""

    def __post_init__(self) -> None:
        assert self.value is not None or self.reason, "a missing value has a reason"
        assert self.value is not None or self.interval is None, "a missing value has no interval"

    @property
    def low(self) -> float | None:
        """Return the lower bound, if there is an interval."""
        return self.interval.low if self.interval else None

    @property
    def high(self) -> float | None:
        """Return the upper bound, if there is an interval."""
        return self.interval.high if self.interval else None

    @property
    def fields(self) -> NumberFields:
        """Return the number as the fields of a row of the results."""
        return {
            "value": self.value,
            "n": self.n,
            "low": self.low,
            "high": self.high,
            "reason": self.reason,
            "no_bounds": self.no_interval,
        }

    def within(self, interval: Interval | str) -> Measured:
        """Return the same with an interval, or with the reason why there is none."""
        if isinstance(interval, str):
            return replace(self, no_interval=interval)
        return replace(self, interval=interval)


def missing(reason: str, n: int = 0) -> Measured:
    """Return a number that is not there."""
    return Measured(None, n, reason)
