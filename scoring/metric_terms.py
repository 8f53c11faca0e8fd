"""Every metric of the results: what it is, in which unit, and what its bounds are."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

RunMetric = Literal[
    "y0",
    "avg",
    "max",
    "worst",
    "last",
    "final_delta",
    "auc_plus",
    "auc_minus",
    "net_area",
    "naba",
    "naba_eps",
    "avg_floor",
    "auc_plus_floor",
    "noise",
    "auc_plus_luck_median",
    "auc_plus_luck_high",
    "trend_p",
    "trend_p_adjusted",
    "agreement",
    "over_confidence",
    "under_confidence",
    "self_rate",
    "reward_rate",
    "base_rate",
    "nmae",
    "mae",
    "bias",
    "missing_scores",
]
"""``*_floor``: with failed checkpoints set to the lowest of the valid ones; ranks use the lower value."""

EntryMetric = Literal[
    "games_improved",
    "games_beyond_noise",
    "mean_rank_avg",
    "mean_rank_max",
    "mean_rank_auc_plus",
    "rank_score_avg",
    "rank_score_max",
    "rank_score_auc_plus",
]
PairMetric = Literal["delta_avg", "delta_max", "delta_final", "delta_auc_plus", "delta_net_area", "delta_naba"]
PoolMetric = Literal[
    "rho_agreement_gain",
    "rho_accuracy_gain",
    "r_agreement_gain",
    "r_accuracy_gain",
    "gap_agreement",
    "gap_accuracy",
    "rho_agreement_naba",
    "r_agreement_naba",
    "rho_self_rate_naba",
    "r_self_rate_naba",
    "rho_reward_rate_naba",
    "r_reward_rate_naba",
    "score_range",
    "pairs",
    "summary_wins",
    "history_wins",
    "pathway_ties",
    "mean_delta_naba",
]
AnyMetric = RunMetric | EntryMetric | PairMetric | PoolMetric
Scope = Literal["run", "entry", "pair", "pool"]


class Term(NamedTuple):
    """What a reader of the results has to know of a metric."""

    title: str
    unit: str
    meaning: str
    bounds: str | None = None
    """What ``low`` and ``high`` are; None: the metric never has any."""
    n: str = "valid checkpoints"
    """What ``n`` counts."""


POINTS = "points"
AREA = "points x exploration episodes"
SHARE = "share"
EPISODES = "exploration episodes"
NO_UNIT = "no unit"
REGRESSION = "95% interval, conditional on this round's seeds"
WILSON = "Wilson 95% interval, steps taken as independent"
FISHER = "95% interval"
_STEPS = "exploration steps with a self-score"
_BLOCKS = "blocks between neighbouring checkpoints"
_RUNS = "runs"
_RANKED = "games"
_SHARED = "checkpoints valid in both"

RUN_METRICS: Mapping[RunMetric, Term] = MappingProxyType(
    {
        "y0": Term(
            "y(0)",
            POINTS,
            "strict score before any exploration",
            "where one further x = 0 checkpoint would lie, 95%, from the repeats of x = 0",
            "checkpoints",
        ),
        "avg": Term("Avg", POINTS, "mean of the valid checkpoints, x = 0 included", REGRESSION),
        "max": Term("Max", POINTS, "highest checkpoint"),
        "worst": Term("worst", POINTS, "lowest checkpoint"),
        "last": Term("last", POINTS, "the last checkpoint", n="checkpoints"),
        "final_delta": Term("final delta", POINTS, "last checkpoint minus y(0)", REGRESSION),
        "auc_plus": Term("AUC+", AREA, "area between the curve and y(0), where the curve is above it"),
        "auc_minus": Term("AUC-", AREA, "area between the curve and y(0), where the curve is below it"),
        "net_area": Term("net area", AREA, "AUC+ minus AUC-", REGRESSION),
        "naba": Term("NABA", EPISODES, "AUC+ / y(0), or / eps where y(0) is not positive"),
        "naba_eps": Term(
            "eps of NABA", POINTS, "the first positive checkpoint, which divides where y(0) is not positive"
        ),
        "avg_floor": Term(
            "Avg with floor", POINTS, "Avg with each failed checkpoint at the run's worst", n="checkpoints"
        ),
        "auc_plus_floor": Term(
            "AUC+ with floor", AREA, "AUC+ with each failed checkpoint at the run's worst", n="checkpoints"
        ),
        "noise": Term("noise", POINTS, "residual deviation of one checkpoint mean"),
        "auc_plus_luck_median": Term(
            "AUC+ by luck, median", AREA, "median AUC+ of the same checkpoints in random order"
        ),
        "auc_plus_luck_high": Term(
            "AUC+ by luck, 95%", AREA, "at least 95% of the random orders of the checkpoints give no more"
        ),
        "trend_p": Term(
            "p of the trend", SHARE, "share of orders of the checkpoints that rise at least as much, one-sided"
        ),
        "trend_p_adjusted": Term(
            "adjusted p", SHARE, "the same, adjusted over the entry's games (Benjamini and Hochberg)"
        ),
        "agreement": Term("A", SHARE, "steps where self-score and reward agree in being positive", WILSON, _STEPS),
        "over_confidence": Term("over", SHARE, "steps with a positive self-score and no reward", WILSON, _STEPS),
        "under_confidence": Term("under", SHARE, "steps with a reward and no positive self-score", WILSON, _STEPS),
        "self_rate": Term("p(s)", SHARE, "steps with a positive self-score", WILSON, _STEPS),
        "reward_rate": Term("p(r)", SHARE, "steps with a positive reward", WILSON, _STEPS),
        "base_rate": Term("base rate", SHARE, "agreement of a judge that always says 0", WILSON, _STEPS),
        "nmae": Term("NMAE", SHARE, "mean abs(s' - r'), scaled by the judging range and clipped to 0..1", n=_STEPS),
        "mae": Term("MAE", POINTS, "mean abs(s - r)", n=_STEPS),
        "bias": Term("bias", POINTS, "mean s - r: positive where the model thinks too well of itself", n=_STEPS),
        "missing_scores": Term(
            "missing", SHARE, "steps without a self-score", WILSON, "exploration steps that are not END"
        ),
    }
)
ENTRY_METRICS: Mapping[EntryMetric, Term] = MappingProxyType(
    {
        "games_improved": Term("games with AUC+ > 0", "games", "the naive count; luck alone reaches most", n=_RANKED),
        "games_beyond_noise": Term(
            "games improved beyond noise", "games", "AUC+ > 0 and adjusted p <= 0.05", n=_RANKED
        ),
        "mean_rank_avg": Term("mean rank by Avg", "ranks", "mean of the within-game ranks", n=_RANKED),
        "mean_rank_max": Term("mean rank by Max", "ranks", "mean of the within-game ranks", n=_RANKED),
        "mean_rank_auc_plus": Term("mean rank by AUC+", "ranks", "mean of the within-game ranks", n=_RANKED),
        "rank_score_avg": Term("rank score by Avg", NO_UNIT, "mean of (N - rank) / (N - 1)", n=_RANKED),
        "rank_score_max": Term("rank score by Max", NO_UNIT, "mean of (N - rank) / (N - 1)", n=_RANKED),
        "rank_score_auc_plus": Term("rank score by AUC+", NO_UNIT, "mean of (N - rank) / (N - 1)", n=_RANKED),
    }
)
PAIR_METRICS: Mapping[PairMetric, Term] = MappingProxyType(
    {
        "delta_avg": Term("difference of Avg", POINTS, "over the checkpoints valid in both", REGRESSION, _SHARED),
        "delta_max": Term("difference of Max", POINTS, "of the two highest checkpoints"),
        "delta_final": Term("difference of final delta", POINTS, "over the shared checkpoints", REGRESSION, _SHARED),
        "delta_auc_plus": Term("difference of AUC+", AREA, "of the two areas"),
        "delta_net_area": Term("difference of net area", AREA, "over the shared checkpoints", REGRESSION, _SHARED),
        "delta_naba": Term("Delta-NABA", EPISODES, "difference of NABA"),
    }
)
"""The first entry minus the second; of pathways, Summary Memory minus History ICL."""
POOL_METRICS: Mapping[PoolMetric, Term] = MappingProxyType(
    {
        "rho_agreement_gain": Term(
            "rho(A, g)", NO_UNIT, "Spearman, agreement of a block and its gain", FISHER, _BLOCKS
        ),
        "rho_accuracy_gain": Term("rho(-E, g)", NO_UNIT, "Spearman, -NMAE of a block and its gain", FISHER, _BLOCKS),
        "r_agreement_gain": Term("r(A, g)", NO_UNIT, "Pearson, agreement of a block and its gain", FISHER, _BLOCKS),
        "r_accuracy_gain": Term("r(-E, g)", NO_UNIT, "Pearson, -NMAE of a block and its gain", FISHER, _BLOCKS),
        "gap_agreement": Term("gap by A", "score ranges", "gain after the best-judged third - worst", FISHER, _BLOCKS),
        "gap_accuracy": Term("gap by -E", "score ranges", "gain after the best-judged third - worst", FISHER, _BLOCKS),
        "rho_agreement_naba": Term("rho(A, NABA)", NO_UNIT, "Spearman over runs", FISHER, _RUNS),
        "r_agreement_naba": Term("r(A, NABA)", NO_UNIT, "Pearson over runs", FISHER, _RUNS),
        "rho_self_rate_naba": Term("rho(p(s), NABA)", NO_UNIT, "Spearman over runs", FISHER, _RUNS),
        "r_self_rate_naba": Term("r(p(s), NABA)", NO_UNIT, "Pearson over runs", FISHER, _RUNS),
        "rho_reward_rate_naba": Term("rho(p(r), NABA)", NO_UNIT, "Spearman over runs", FISHER, _RUNS),
        "r_reward_rate_naba": Term("r(p(r), NABA)", NO_UNIT, "Pearson over runs", FISHER, _RUNS),
        "score_range": Term("score range", POINTS, "highest - lowest checkpoint, which scales gains", n=_RUNS),
        "pairs": Term("pairs", "pairs", "models with both pathways", n="pairs"),
        "summary_wins": Term("Summary Memory ahead", "pairs", "Delta-NABA > 0", n="pairs with a Delta-NABA"),
        "history_wins": Term("History ICL ahead", "pairs", "Delta-NABA < 0", n="pairs with a Delta-NABA"),
        "pathway_ties": Term("equal", "pairs", "Delta-NABA = 0", n="pairs with a Delta-NABA"),
        "mean_delta_naba": Term(
            "mean Delta-NABA", EPISODES, "over the pairs of one game", FISHER, "pairs with a Delta-NABA"
        ),
    }
)
TERMS: Mapping[Scope, Mapping[AnyMetric, Term]] = MappingProxyType(
    {
        "run": dict(RUN_METRICS.items()),
        "entry": dict(ENTRY_METRICS.items()),
        "pair": dict(PAIR_METRICS.items()),
        "pool": dict(POOL_METRICS.items()),
    }
)
