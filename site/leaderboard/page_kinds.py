"""What each kind of page holds, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.view import Chart, Link, Table


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
    power: str | None
    """How little so many episodes can show."""
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
    blind: str | None
    """What play without looking scores; None where no plan was made for this protocol."""
    parts: tuple[GamePart, ...]


@dataclass(frozen=True, slots=True)
class GameVariant:
    """The numbers of one variant of a game, in the words that the model reads."""

    name: str
    """And the protocols that play it."""
    explore: str
    strict: str


@dataclass(frozen=True, slots=True)
class GamePage:
    """The page of a game."""

    path: str
    title: str
    heading: str
    rules: str | None
    variants: tuple[GameVariant, ...]
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
    partners: tuple[Link, ...]
    """The same model's entries under the other pathway."""
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


@dataclass(frozen=True, slots=True)
class PathwaysSection:
    """One protocol on the page of the pathways."""

    id: str
    protocol: str
    title: str
    pooled: Table
    pairs: Table


@dataclass(frozen=True, slots=True)
class PathwaysPage:
    """Summary Memory against History ICL."""

    path: str
    title: str
    sections: tuple[PathwaysSection, ...]
    published: PublishedSection


@dataclass(frozen=True, slots=True)
class JudgingPart:
    """The coupling over the runs of one pathway, or of both."""

    id: str
    title: str
    blocks: Table
    runs: Table


@dataclass(frozen=True, slots=True)
class JudgingSection:
    """One protocol on the page of self-judging."""

    id: str
    protocol: str
    title: str
    agreements: tuple[Table, ...]
    parts: tuple[JudgingPart, ...]


@dataclass(frozen=True, slots=True)
class JudgingPage:
    """How well models judge themselves, and whether it goes with gains."""

    path: str
    title: str
    games: tuple[Link, ...]
    sections: tuple[JudgingSection, ...]
    published: tuple[PublishedSection, ...]


@dataclass(frozen=True, slots=True)
class TopicSection:
    """One table of a game under one protocol, with a chart or without."""

    id: str
    title: str
    protocol: str
    table: Table
    chart: Chart | None


@dataclass(frozen=True, slots=True)
class TopicPage:
    """One game of the pathways or of self-judging."""

    path: str
    title: str
    heading: str
    back: Link
    game: Link
    words: tuple[str, ...]
    sections: tuple[TopicSection, ...]


@dataclass(frozen=True, slots=True)
class TrainingPage:
    """Parameter training."""

    path: str
    title: str
    published: PublishedSection


@dataclass(frozen=True, slots=True)
class Download:
    """A file of the site and what it holds."""

    link: Link
    words: str


@dataclass(frozen=True, slots=True)
class DataPage:
    """The files of the site, and what stands in them."""

    path: str
    title: str
    downloads: tuple[Download, ...]
    published: tuple[Link, ...]
    columns: Table
    metrics: tuple[Table, ...]
    rounding: str


Page = (
    HomePage
    | GamePage
    | EntryPage
    | PublishedPage
    | MethodPage
    | PartPage
    | LogPage
    | TombstonePage
    | PathwaysPage
    | JudgingPage
    | TopicPage
    | TrainingPage
    | DataPage
)
