"""The words of the tables: each label and its meaning once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.registry import GAMES
from leaderboard.view import Term
from protocol.context import Pathway
from scoring.metric_terms import RunMetric

LABELS: Mapping[RunMetric, str] = {
    "y0": "y(0)",
    "avg": "Avg",
    "max": "Max",
    "auc_plus": "AUC+",
    "final_delta": "Final Δ",
    "avg_floor": "Avg, floor",
    "auc_plus_floor": "AUC+, floor",
}

MEANINGS: Mapping[RunMetric, str] = {
    "y0": "mean strict score before any exploration, the baseline",
    "avg": "mean over the valid checkpoints, x\u202f=\u202f0 included",
    "max": "highest checkpoint, x\u202f=\u202f0 included",
    "auc_plus": "area between the learning curve and the baseline y(0), where the curve is above it",
    "final_delta": "last checkpoint minus y(0)",
    "avg_floor": "Avg with each failed checkpoint set to the run’s worst",
    "auc_plus_floor": "AUC+ with each failed checkpoint set to the run’s worst",
}

PATHWAYS: Mapping[Pathway, str] = {"history": "History ICL", "summary": "Summary Memory"}

PATHWAY_MEANINGS: Mapping[Pathway, str] = {
    "history": "the model sees its earlier exploration episodes themselves",
    "summary": "the model sees tips that it wrote about its earlier exploration episodes",
}

RANK_TERM = Term(
    "Rank",
    "place among the ranked runs of this game, pathway and protocol; runs that tie share the better place, marked =; "
    "ranked by the lower of the value and the value with failed checkpoints set to the run’s worst",
)
MEAN_RANK_TERM = Term("Mean rank", "mean of the ranks in the games of this row, for entries with every game ranked")
IMPROVED_TERM = Term(
    "Improved (naive)",
    "games with AUC+ > 0; naive, since with few strict episodes luck alone lifts many curves above their baseline",
)


def meaning(metrics: Sequence[RunMetric]) -> tuple[Term, ...]:
    """Return what these columns mean."""
    return tuple(Term(LABELS[metric], MEANINGS[metric]) for metric in metrics)


def game_title(game: str) -> str:
    """Return a game's title; its id where this version does not know the game."""
    return next((known.title for known in GAMES if known.id == game), game)
