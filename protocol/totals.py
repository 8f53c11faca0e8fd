"""Totals and failure counts of an entry, derived from its records."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from operator import attrgetter

from protocol.records import CostRecord, EpisodeRecord, Failure, FailureCount, Totals

_TAKEN = attrgetter("requests", "tokens_in", "tokens_out", "tokens_cached", "seconds")
_FAILURES: tuple[Failure, ...] = ("transport", "context_overflow")


def totals(episodes: Iterable[EpisodeRecord], costs: Sequence[CostRecord]) -> Totals:
    """Return what all episodes and summary calls of an entry took together."""
    # One look at each record: an entry has thousands of them, and to fetch one from memory takes longer than to add.
    columns = tuple(zip(*map(_TAKEN, costs), strict=True)) or ((),) * 5
    requests, tokens_in, tokens_out, tokens_cached, seconds = columns
    cached = [tokens for tokens in tokens_cached if tokens is not None]
    return Totals(
        steps=sum(len(episode.steps) for episode in episodes),
        requests=sum(requests),
        tokens_in=sum(tokens_in),
        tokens_out=sum(tokens_out),
        tokens_cached=sum(cached) if cached else None,
        seconds=round(math.fsum(seconds), 3),
    )


def failure_counts(episodes: Iterable[EpisodeRecord]) -> tuple[FailureCount, ...]:
    """Return how many episodes failed, by kind; kinds without any are left out."""
    failed = [episode.failure for episode in episodes]
    return tuple(FailureCount(kind=kind, episodes=failed.count(kind)) for kind in _FAILURES if kind in failed)
