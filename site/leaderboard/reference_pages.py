"""The pages that no entry changes: the published numbers and the method."""

from __future__ import annotations

from collections.abc import Mapping

from leaderboard.make_pages import NAME
from leaderboard.numbers import ROUNDING_RULE
from leaderboard.pages import Formula, MethodPage, PublishedPage, PublishedPathway, PublishedSection
from leaderboard.published_tables import core16, coupling, facts_of, judging, main_games, main_of, pairs, training
from leaderboard.terms import LABELS, MEANINGS, PATHWAY_MEANINGS, PATHWAYS
from leaderboard.view import Link
from scoring.metric_terms import RunMetric
from scoring.published.tables import FILES

PAPER = "S3Gym, arXiv 2608.31100"

_FORMULAS: Mapping[RunMetric, str] = {
    "y0": "y(0) = mean of the strict scores at x = 0, over all its repeats",
    "avg": "Avg = (1/K) Σ y(xₖ) over the K valid checkpoints; repeats of x = 0 count once",
    "max": "Max = max y(xₖ)",
    "auc_plus": (
        "AUC+ = ∫ max(0, y(x) − y(0)) dx from x = 0 to the last checkpoint, with y straight between valid "
        "checkpoints; interpolated first, then clipped. With a = y(xₖ) − y(0), b = y(xₖ₊₁) − y(0) and a gap h, "
        "a piece adds h(a + b)/2 if both are ≥ 0, h·max(a, b)² / (2(|a| + |b|)) if their signs differ, else 0"
    ),
    "final_delta": "Final Δ = y(last) − y(0)",
    "avg_floor": "as Avg, with y = min y(xₖ) at failed checkpoints",
    "auc_plus_floor": "as AUC+, with y = min y(xₖ) at failed checkpoints",
}


def published_file(name: str) -> str:
    """Return where a published file lies on the site."""
    return f"data/published/{name}"


def published_page() -> PublishedPage:
    """Return the page of the published numbers."""
    pathways = tuple(
        PublishedPathway(
            pathway,
            title,
            _sentence(PATHWAY_MEANINGS[pathway]),
            facts_of(pathway),
            tuple(main_of(pathway, game) for game in main_games()),
        )
        for pathway, title in PATHWAYS.items()
    )
    several = f"{PAPER}, Tables 5–7"
    others = (
        ("judging", "Self-judging", several, judging(), "s3gym-self-judging.csv"),
        ("coupling", "Judging and gain", several, coupling(), "s3gym-block-coupling.csv"),
        ("pairs", "The two pathways", f"{PAPER}, Table 7", pairs(), "s3gym-summary-vs-history.csv"),
        ("training", "Parameter training", f"{PAPER}, training results", training(), "s3gym-training.csv"),
        ("core16", "Core16", "EvoPolicyGym, another benchmark", core16(), "evopolicygym-core16.csv"),
    )
    sections = tuple(
        PublishedSection(name, title, source, table, published_file(file))
        for name, title, source, table, file in others
    )
    main_file = published_file("s3gym-main-table.csv")
    return PublishedPage("published.html", f"Published numbers · {NAME}", pathways, sections, main_file)


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def method_page() -> MethodPage:
    """Return the method page."""
    metrics = tuple(
        Formula(f"metric-{metric}", LABELS[metric], _sentence(MEANINGS[metric]), formula)
        for metric, formula in _FORMULAS.items()
    )
    published = tuple(Link(name, published_file(name)) for name in FILES)
    return MethodPage("method.html", f"Method · {NAME}", metrics, ROUNDING_RULE, published)
