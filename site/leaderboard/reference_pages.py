"""The pages that no entry changes: the published numbers and the method."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from leaderboard.formulas import FORMULAS
from leaderboard.numbers import ROUNDING_RULE
from leaderboard.page_kinds import (
    Formula,
    MethodPage,
    PublishedPage,
    PublishedPathway,
    PublishedSection,
    TrainingPage,
)
from leaderboard.part_pages import NAME
from leaderboard.published_tables import core16, coupling, facts_of, judging, main_games, main_of, pairs, training
from leaderboard.terms import PATHWAY_MEANINGS, PATHWAYS
from leaderboard.view import Table
from scoring.metric_terms import RUN_METRICS

PAPER = "S3Gym, arXiv 2608.31100"


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
    sections = tuple(published_section(name) for name in ("judging", "coupling", "pairs", "core16"))
    main_file = published_file("s3gym-main-table.csv")
    return PublishedPage("published.html", f"Published numbers · {NAME}", pathways, sections, main_file)


def published_section(name: str) -> PublishedSection:
    """Return one of the smaller published tables."""
    title, source, table, file = _SECTIONS[name]
    return PublishedSection(name, title, source, table(), published_file(file))


_SEVERAL = f"{PAPER}, Tables 5–7"
_SECTIONS: Mapping[str, tuple[str, str, Callable[[], Table], str]] = {
    "judging": ("Self-judging", _SEVERAL, judging, "s3gym-self-judging.csv"),
    "coupling": ("Judging and gain", _SEVERAL, coupling, "s3gym-block-coupling.csv"),
    "pairs": ("The two pathways", f"{PAPER}, Table 7", pairs, "s3gym-summary-vs-history.csv"),
    "training": ("Parameter training", f"{PAPER}, training results", training, "s3gym-training.csv"),
    "core16": ("Core16", "EvoPolicyGym, another benchmark", core16, "evopolicygym-core16.csv"),
}


def training_page() -> TrainingPage:
    """Return the page of parameter training."""
    return TrainingPage("training.html", f"Parameter training · {NAME}", published_section("training"))


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def method_page() -> MethodPage:
    """Return the method page."""
    metrics = tuple(
        Formula(f"metric-{metric.replace('_', '-')}", term.title, _sentence(term.meaning), FORMULAS[metric])
        for metric, term in RUN_METRICS.items()
    )
    return MethodPage("method.html", f"Method · {NAME}", metrics, ROUNDING_RULE)
