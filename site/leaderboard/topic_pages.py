"""The pages about pathways and self-judging: one over all games each, and one for each game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from leaderboard.book import Book
from leaderboard.cells import game_page
from leaderboard.game_tables import game_groups
from leaderboard.judging_tables import (
    BLOCKS,
    RUNS,
    SCALE,
    agreement,
    calibration,
    coupled,
    judged,
    judging_page_of,
    pathways_of,
)
from leaderboard.page_kinds import (
    JudgingPage,
    JudgingPart,
    JudgingSection,
    Page,
    PathwaysPage,
    PathwaysSection,
    TopicPage,
    TopicSection,
)
from leaderboard.part_pages import NAME, share_out
from leaderboard.pathway_tables import game_pairs, overview, paired_games, pathways_page_of, pooled
from leaderboard.reference_pages import published_section
from leaderboard.standings import groups
from leaderboard.terms import game_title
from leaderboard.view import Link

PATHWAYS_PAGE = Link("Pathways", "pathways.html")
JUDGING_PAGE = Link("Self-judging", "judging.html")
ROWS_OF_PAIRS = 150
ROWS_OF_JUDGING = 100
ROWS_OF_AGREEMENT = 60
"""Rows that the tables of one page may have together, beside those that no entry adds to."""

_PAIR_WORDS = (
    "Both entries of a pair play the same strict seeds, so the luck of the levels cancels.",
    "Differences of Max, AUC+ and NABA have no interval, since they are not linear in the checkpoints.",
)
_JUDGING_WORDS = (
    "Steps of exploration only, END left out.",
    "Intervals of shares take steps as independent; the steps of one episode are not, so they are too narrow.",
)


def pathways_pages(book: Book, lines_a_part: int) -> Iterator[Page]:
    """Return the page of the pathways, one for every game that has a pair, and the rest of their long tables."""
    found = [(protocol, title) for protocol, title in _protocols(book) if paired_games(book, protocol)]
    tables = {protocol: overview(book, protocol) for protocol, _ in found}
    shared = share_out(tuple(tables.values()), PATHWAYS_PAGE, lines_a_part, ROWS_OF_PAIRS)
    sections = tuple(
        PathwaysSection(
            f"protocol-{protocol}", protocol, title, pooled(book, protocol), shared.first[tables[protocol].id]
        )
        for protocol, title in found
    )
    title = f"Summary Memory against History ICL · {NAME}"
    yield PathwaysPage(PATHWAYS_PAGE.href, title, sections, published_section("pairs"))
    yield from shared.rest
    for game in book.games:
        here = [(protocol, title) for protocol, title in found if game in paired_games(book, protocol)]
        if here:
            yield from _pathways_of(book, game, here, lines_a_part)


def _pathways_of(book: Book, game: str, found: Sequence[tuple[str, str]], lines_a_part: int) -> Iterator[Page]:
    tables = [game_pairs(book, protocol, game) for protocol, _ in found]
    heading = f"Summary Memory against History ICL in {game_title(game)}"
    back = Link(heading, pathways_page_of(game))
    shared = share_out(tables, back, lines_a_part, ROWS_OF_PAIRS)
    sections = tuple(
        TopicSection(f"protocol-{protocol}", title, protocol, shared.first[table.id], None)
        for (protocol, title), table in zip(found, tables, strict=True)
    )
    yield _topic(back, PATHWAYS_PAGE, game, _PAIR_WORDS, sections)
    yield from shared.rest


def judging_pages(book: Book, lines_a_part: int) -> Iterator[Page]:
    """Return the page of self-judging, one for every game that was played, and the rest of their long tables."""
    tables = {group.id: agreement(book, group) for group in groups(book)}
    shared = share_out(tuple(tables.values()), JUDGING_PAGE, lines_a_part, ROWS_OF_AGREEMENT)
    sections = []
    for protocol, members in groupby(groups(book), key=lambda group: group.protocol):
        here = list(members)
        agreements = tuple(shared.first[tables[group.id].id] for group in here)
        made = tuple(_judging_parts(book, protocol))
        sections.append(JudgingSection(f"protocol-{protocol}", protocol, here[0].title, agreements, made))
    played = [game for game in book.games if game_groups(book, game)]
    games = tuple(Link(game_title(game), judging_page_of(game)) for game in played)
    published = (published_section("judging"), published_section("coupling"))
    yield JudgingPage(JUDGING_PAGE.href, f"Self-judging · {NAME}", games, tuple(sections), published)
    yield from shared.rest
    for game in played:
        yield from _judging_of(book, game, lines_a_part)


def _judging_parts(book: Book, protocol: str) -> Iterator[JudgingPart]:
    for pathway, title in pathways_of(book, protocol):
        metrics = BLOCKS if pathway else (*BLOCKS, *SCALE)
        blocks = coupled(book, protocol, pathway, metrics, "Judging and the gain after it, over blocks")
        runs = coupled(book, protocol, pathway, RUNS, "Judging and NABA, over runs")
        yield JudgingPart(f"{protocol}-{pathway or 'both'}", title, blocks, runs)


def _judging_of(book: Book, game: str, lines_a_part: int) -> Iterator[Page]:
    found = game_groups(book, game)
    tables = [judged(book, group) for group in found]
    heading = f"Self-judging in {game_title(game)}"
    back = Link(heading, judging_page_of(game))
    shared = share_out(tables, back, lines_a_part, ROWS_OF_JUDGING)
    sections = tuple(
        TopicSection(f"group-{group.id}", group.title, group.name, shared.first[table.id], calibration(book, group))
        for group, table in zip(found, tables, strict=True)
    )
    yield _topic(back, JUDGING_PAGE, game, _JUDGING_WORDS, sections)
    yield from shared.rest


def _protocols(book: Book) -> tuple[tuple[str, str], ...]:
    """Return the protocols with their titles, rankable ones first."""
    return tuple({group.protocol: group.title for group in groups(book)}.items())


def _topic(here: Link, back: Link, game: str, words: tuple[str, ...], sections: tuple[TopicSection, ...]) -> TopicPage:
    link = Link(f"{game_title(game)}: ranks and learning curves", game_page(game))
    return TopicPage(here.href, f"{here.text} · {NAME}", here.text, back, link, words, sections)
