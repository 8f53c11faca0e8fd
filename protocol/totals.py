"""Totals and failure counts of an entry, derived from its records."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from protocol.records import CostRecord, EpisodeRecord, Failure, FailureCount, Totals

_FAILURES: tuple[Failure, ...] = ("transport", "context_overflow")


def totals(episodes: Iterable[EpisodeRecord], costs: Sequence[CostRecord]) -> Totals:
    """Return what all episodes and summary calls of an entry took together."""
    cached = [cost.tokens_cached for cost in costs if cost.tokens_cached is not None]
    return Totals(
        steps=sum(len(episode.steps) for episode in episodes),
        requests=sum(cost.requests for cost in costs),
        tokens_in=sum(cost.tokens_in for cost in costs),
        tokens_out=sum(cost.tokens_out for cost in costs),
        tokens_cached=sum(cached) if cached else None,
        seconds=round(math.fsum(cost.seconds for cost in costs), 3),
    )


def failure_counts(episodes: Iterable[EpisodeRecord]) -> tuple[FailureCount, ...]:
    """Return how many episodes failed, by kind; kinds without any are left out."""
    failed = [episode.failure for episode in episodes]
    return tuple(FailureCount(kind=kind, episodes=failed.count(kind)) for kind in _FAILURES if kind in failed)
