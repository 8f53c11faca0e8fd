"""The HTML of a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from leaderboard.page_kinds import (
    DataPage,
    EntryPage,
    GamePage,
    HomePage,
    JudgingPage,
    LogPage,
    MethodPage,
    Page,
    PartPage,
    PathwaysPage,
    PublishedPage,
    TombstonePage,
    TopicPage,
    TrainingPage,
)
from leaderboard.text import visible
from leaderboard.view import Chart, Link

PAGE_LIMIT = 500_000
"""Bytes of HTML that a page may have."""

_ISLAND = re.compile(r'(<script type="application/json" data-figure="([^"<>]*)">)(</script>)')


@dataclass(frozen=True, slots=True)
class Frame:
    """What all pages share."""

    scorer: str
    stamp: str
    docs: bool
    pages: tuple[Link, ...]
    games: tuple[Link, ...]


_TEMPLATES: tuple[tuple[type[Page], str], ...] = (
    (HomePage, "home.html"),
    (GamePage, "game.html"),
    (EntryPage, "entry.html"),
    (PublishedPage, "published.html"),
    (MethodPage, "method.html"),
    (PartPage, "part.html"),
    (LogPage, "log.html"),
    (TombstonePage, "tombstone.html"),
    (PathwaysPage, "pathways.html"),
    (JudgingPage, "judging.html"),
    (TopicPage, "topic.html"),
    (TrainingPage, "training.html"),
    (DataPage, "data.html"),
)


@cache
def environment() -> Environment:
    """Return the templates: everything escaped, nothing undefined, hidden characters shown."""
    return Environment(
        loader=PackageLoader("leaderboard", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _finalize(value: object) -> object:
    """Let only text and whole numbers onto a page; a score gets there by ``numbers.shown`` alone."""
    if type(value) is str:
        return visible(value)
    if hasattr(value, "__html__"):
        return value
    if isinstance(value, str):
        return visible(value)
    assert isinstance(value, int), f"a template shows {type(value).__name__}"
    return value


def render(templates: Environment, page: Page, frame: Frame) -> bytes:
    """Return the HTML of a page.

    Raises:
        ValueError: If it is larger than ``PAGE_LIMIT``.
    """
    template = next(name for kind, name in _TEMPLATES if isinstance(page, kind))
    root = "../" * page.path.count("/")
    html = templates.get_template(template).render(page=page, frame=frame, root=root)
    content = _with_figures(html, charts_of(page), page.path).encode()
    if len(content) > PAGE_LIMIT:
        raise ValueError(
            f"site, {page.path}: expected at most {PAGE_LIMIT} bytes, got {len(content)}; build with fewer rows a part"
        )
    return content


def charts_of(page: Page) -> tuple[Chart, ...]:
    """Return the charts of a page."""
    if isinstance(page, EntryPage):
        return tuple(chart for game in page.games for chart in game.charts)
    if isinstance(page, GamePage):
        parts = [part for section in page.sections for part in section.parts]
        return tuple(chart for part in parts for chart in (*_one(part.overview), *part.facets))
    if isinstance(page, TopicPage):
        return tuple(chart for section in page.sections for chart in _one(section.chart))
    return ()


def _one(chart: Chart | None) -> tuple[Chart, ...]:
    return () if chart is None else (chart,)


def _with_figures(html: str, charts: Sequence[Chart], path: str) -> str:
    """Put each figure into its empty island.

    A template cannot: inside a script element HTML escapes are not read, and nothing leaves a template unescaped. Text
    on the page cannot look like an island, since its ``<`` is escaped.
    """
    figures = {chart.id: chart.figure for chart in charts}
    assert len(figures) == len(charts), f"{path}: two charts of one name"
    filled: list[str] = []

    def fill(match: re.Match[str]) -> str:
        filled.append(match[2])
        return f"{match[1]}{figures[match[2]]}{match[3]}"

    result = _ISLAND.sub(fill, html)
    assert sorted(filled) == sorted(figures), f"{path}: charts and islands differ"
    return result
