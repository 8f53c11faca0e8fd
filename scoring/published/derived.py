"""What follows from the published main table: ranks within a game, and what may be counted over games."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from protocol.context import Pathway
from scoring.published.tables import MODELS, MainRow

PublishedMetric = Literal["avg", "max", "auc_plus"]
PUBLISHED_METRICS: tuple[PublishedMetric, ...] = ("avg", "max", "auc_plus")

_READ: Mapping[PublishedMetric, Callable[[MainRow], Decimal]] = {
    "avg": lambda row: row.avg,
    "max": lambda row: row.max,
    "auc_plus": lambda row: row.auc_plus,
}


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What may be said of a model over all games under one pathway."""

    pathway: Pathway
    model: str
    games_improved: int
    """Games with AUC+ > 0: the naive count."""
    mean_ranks: tuple[Fraction, ...]
    """Mean within-game rank, one for each of ``PUBLISHED_METRICS``."""


def metric_of(row: MainRow, metric: PublishedMetric) -> Decimal:
    """Return one number of a row."""
    return _READ[metric](row)


def competition_ranks(values: Sequence[Decimal]) -> tuple[int, ...]:
    """Return ranks from 1, the highest value first; ties share the better rank."""
    return tuple(1 + sum(other > value for other in values) for value in values)


def ranks_in_game(
    rows: Sequence[MainRow], pathway: Pathway, game: str, metric: PublishedMetric
) -> tuple[tuple[str, int], ...]:
    """Return each model's rank within one game."""
    table = [row for row in rows if row.pathway == pathway and row.game == game]
    ranks = competition_ranks([metric_of(row, metric) for row in table])
    return tuple((row.model, rank) for row, rank in zip(table, ranks, strict=True))


def model_facts(rows: Sequence[MainRow], pathway: Pathway) -> tuple[ModelFacts, ...]:
    """Return games improved and mean within-game ranks of every model."""
    games = sorted({row.game for row in rows})
    facts = []
    for model in MODELS:
        improved = sum(row.auc_plus > 0 for row in rows if row.pathway == pathway and row.model == model)
        means = tuple(
            Fraction(sum(dict(ranks_in_game(rows, pathway, game, metric))[model] for game in games), len(games))
            for metric in PUBLISHED_METRICS
        )
        facts.append(ModelFacts(pathway, model, improved, means))
    return tuple(facts)
