"""The words of the tables; those of a metric are the scorer's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from games.registry import GAMES
from leaderboard.view import Term
from protocol.context import Pathway
from scoring.metric_terms import RUN_METRICS, RunMetric
from scoring.metric_terms import Term as MetricTerm
from scoring.results import EntryResult

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
CLOSE_TERM = Term(
    "≈ beside a rank",
    "not separable from the first: 0 lies in the 95% interval of their difference on shared checkpoints, conditional "
    "on this round’s seeds; of AUC+ the difference is one of net area, and Max has none",
)
RANK_TERMS = (RANK_TERM, CLOSE_TERM)
BEHIND_TERM = Term(
    "Behind",
    "the first of the table minus this run, over the checkpoints that are valid in both; below it its 95% interval, "
    "conditional on this round’s seeds; separable where that leaves out 0",
)
MEAN_RANK_TERM = Term("Mean rank", "mean of the ranks in the games of this row, for entries with every game ranked")
IMPROVED_TERM = Term(
    "Improved (naive)",
    "games with AUC+ > 0; naive, since with few strict episodes luck alone lifts many curves above their baseline",
)

GAINS: Mapping[bool | None, str] = {True: "beyond noise", False: "within noise", None: "cannot be told"}
GAIN_TERM = Term(
    "Gain",
    f"{GAINS[True]}: AUC+ > 0 and an adjusted p of at most 0.05; {GAINS[False]}: not so, which does not show that "
    "there is no gain",
)
LUCK_TERM = Term(
    "luck and 95% below AUC+",
    f"{RUN_METRICS['auc_plus_luck_median'].meaning}; {RUN_METRICS['auc_plus_luck_high'].meaning}",
)


def title(metric: RunMetric) -> str:
    """Return what a metric of a run is called."""
    return RUN_METRICS[metric].title


def told(term: MetricTerm) -> Term:
    """Return what a reader of a table has to know of a metric."""
    bounds = f"; below it {term.bounds}" if term.bounds else ""
    return Term(term.title, f"{term.meaning}{bounds}")


def meaning(metrics: Iterable[RunMetric]) -> tuple[Term, ...]:
    """Return what these columns mean."""
    return tuple(told(RUN_METRICS[metric]) for metric in metrics)


def game_title(game: str) -> str:
    """Return a game's title; its id where this version does not know the game."""
    return next((known.title for known in GAMES if known.id == game), game)


def protocol_title(entry: EntryResult) -> str:
    """Return the title of an entry's protocol, which says where it is not a released one."""
    return entry.protocol_title if entry.released else f"{entry.protocol_title} (not released)"


def protocol_place(entry: EntryResult) -> tuple[bool, bool]:
    """Return where an entry's protocol stands: those that rank first, and of them the released ones."""
    return (not entry.rankable, not entry.released)
