"""What follows from the published main table: ranks within a game, and what may be counted over games."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from protocol.context import Pathway
from scoring.metrics.ranks import competition_ranks, games_improved, mean_ranks
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


def ranks_in_game(
    rows: Sequence[MainRow], pathway: Pathway, game: str, metric: PublishedMetric
) -> tuple[tuple[str, int], ...]:
    """Return each model's rank within one game."""
    values = {row.model: metric_of(row, metric) for row in rows if row.pathway == pathway and row.game == game}
    return tuple(competition_ranks(values).items())


def model_facts(rows: Sequence[MainRow], pathway: Pathway) -> tuple[ModelFacts, ...]:
    """Return games improved and mean within-game ranks of every model."""
    games = sorted({row.game for row in rows})
    means = [
        mean_ranks({game: dict(ranks_in_game(rows, pathway, game, metric)) for game in games})
        for metric in PUBLISHED_METRICS
    ]
    return tuple(
        ModelFacts(
            pathway,
            model,
            games_improved({row.game: row.auc_plus for row in rows if (row.pathway, row.model) == (pathway, model)}),
            tuple(mean[model] for mean in means),
        )
        for model in MODELS
    )
