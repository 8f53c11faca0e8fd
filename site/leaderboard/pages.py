"""Pages as plain values, and their HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined

from leaderboard.text import visible
from leaderboard.view import Chart, Link, Table

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


@dataclass(frozen=True, slots=True)
class HomePart:
    """One pathway on the home page."""

    id: str
    pathway: str
    meaning: str
    rules: tuple[str, ...]
    matrices: tuple[Table, ...]
    other_metrics: str
    outside: Table | None


@dataclass(frozen=True, slots=True)
class HomeSection:
    """One protocol on the home page."""

    id: str
    protocol: str
    title: str
    rankable: bool
    parts: tuple[HomePart, ...]


@dataclass(frozen=True, slots=True)
class HomePage:
    """The home page."""

    path: str
    title: str
    sections: tuple[HomeSection, ...]
    try_command: str


@dataclass(frozen=True, slots=True)
class GamePart:
    """One pathway on a game's page."""

    id: str
    pathway: str
    ranking: Table
    behind: Table | None
    overview: Chart | None
    facets: tuple[Chart, ...]
    explorations: Table | None


@dataclass(frozen=True, slots=True)
class GameSection:
    """One protocol and rules version on a game's page."""

    id: str
    protocol: str
    title: str
    version: int
    parts: tuple[GamePart, ...]


@dataclass(frozen=True, slots=True)
class GamePage:
    """The page of a game."""

    path: str
    title: str
    heading: str
    rules: str | None
    explore: str
    strict: str
    sections: tuple[GameSection, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of a list of facts."""

    id: str
    name: str
    text: str
    value: str | None = None


@dataclass(frozen=True, slots=True)
class EntryGame:
    """The charts of one game on an entry's page."""

    id: str
    title: str
    href: str
    charts: tuple[Chart, ...]


@dataclass(frozen=True, slots=True)
class EntryPage:
    """The page of an entry."""

    path: str
    title: str
    heading: str
    model: str
    team: str
    outside: str | None
    declared: tuple[Fact, ...]
    costs: tuple[Fact, ...]
    costs_of_runs: Table
    over_games: Table
    measured: tuple[Table, ...]
    course: Table
    games: tuple[EntryGame, ...]
    checks: Table
    scorer: str
    verdict: str
    steps: tuple[str, ...]
    """Commands that put the downloads in their places."""
    command: str
    bundle_digest: str
    keyid: str
    downloads: tuple[Link, ...]
    registry: Link | None
    """What kind of registry the key stands in."""
    reruns: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class PublishedPathway:
    """The main table of one pathway."""

    id: str
    title: str
    meaning: str
    facts: Table
    tables: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class PublishedSection:
    """Another published table."""

    id: str
    title: str
    source: str
    table: Table
    file: str


@dataclass(frozen=True, slots=True)
class PublishedPage:
    """The page of the published numbers."""

    path: str
    title: str
    pathways: tuple[PublishedPathway, ...]
    others: tuple[PublishedSection, ...]
    main_file: str


@dataclass(frozen=True, slots=True)
class Formula:
    """A number, in words and in signs."""

    id: str
    name: str
    meaning: str
    formula: str


@dataclass(frozen=True, slots=True)
class MethodPage:
    """The method page."""

    path: str
    title: str
    metrics: tuple[Formula, ...]
    rounding: str
    published: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class PartPage:
    """Some rows of a table that is too long for one page."""

    path: str
    title: str
    heading: str
    back: Link
    table: Table


@dataclass(frozen=True, slots=True)
class LogPage:
    """The acceptance log."""

    path: str
    title: str
    registry: str
    """What kind of registry the keys stand in."""
    signed: bool
    head: str
    outside: Table | None
    lines: Table


@dataclass(frozen=True, slots=True)
class TombstonePage:
    """What is left of an entry that stands in no table."""

    path: str
    title: str
    heading: str
    team: str
    state: str
    reason: str
    position: str
    bundle_digest: str


Page = HomePage | GamePage | EntryPage | PublishedPage | MethodPage | PartPage | LogPage | TombstonePage

_TEMPLATES: tuple[tuple[type[Page], str], ...] = (
    (HomePage, "home.html"),
    (GamePage, "game.html"),
    (EntryPage, "entry.html"),
    (PublishedPage, "published.html"),
    (MethodPage, "method.html"),
    (PartPage, "part.html"),
    (LogPage, "log.html"),
    (TombstonePage, "tombstone.html"),
)


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
