"""Make every page of the site from the results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

from games.registry import GAMES
from leaderboard.book import Book
from leaderboard.cells import entry_page, game_page
from leaderboard.entry_tables import checks, course, games_of, measured, over_games, rerun_table, run_costs
from leaderboard.figures import curve_span
from leaderboard.game_tables import GameGroup, behind, explorations, facets, game_groups, overview, ranking
from leaderboard.home_tables import matrices, outside
from leaderboard.numbers import full, shown, shown_count, shown_seconds
from leaderboard.pages import (
    EntryGame,
    EntryPage,
    Fact,
    GamePage,
    GamePart,
    GameSection,
    HomePage,
    HomePart,
    HomeSection,
    PartPage,
)
from leaderboard.run_charts import curve_chart, exploration_chart
from leaderboard.site_entry import SiteEntry, key_file
from leaderboard.standings import Group, groups
from leaderboard.terms import PATHWAY_MEANINGS, PATHWAYS, game_title, title
from leaderboard.text import visible_line
from leaderboard.view import Link, Table, part_page, parts
from scoring.results import EntryResult

TRY_COMMAND = "make demo"
NAME = "s3gym"
LOG_PAGE = "log.html"


def home_page(book: Book, lines_a_part: int) -> HomePage:
    """Return the home page."""
    sections = []
    for protocol, found in groupby(groups(book), key=lambda group: group.protocol):
        members = list(found)
        made = tuple(_home_part(book, group, lines_a_part) for group in members)
        first = members[0]
        sections.append(HomeSection(f"protocol-{protocol}", protocol, first.title, first.rankable, made))
    return HomePage("index.html", "s3gym leaderboard", tuple(sections), TRY_COMMAND)


def _home_part(book: Book, group: Group, lines_a_part: int) -> HomePart:
    made = tuple(parts(table, lines_a_part)[0] for table in matrices(book, group)) if group.complete else ()
    rest = parts(outside(book, group), lines_a_part)[0]
    rules = tuple(f"{game_title(game)}: rules version {version or 'none'}" for game, version in group.rules)
    return HomePart(
        group.id,
        PATHWAYS[group.pathway],
        f"{PATHWAY_MEANINGS[group.pathway].capitalize()}.",
        rules,
        made,
        f"{title('avg')} and by {title('max')}",
        rest if rest.lines else None,
    )


def game_pages(book: Book, lines_a_part: int) -> Iterator[GamePage]:
    """Return a page for every game."""
    for name in book.games:
        found = game_groups(book, name)
        sections = []
        for (protocol, version), members in groupby(found, key=lambda group: (group.protocol, group.rules_version)):
            made = [(_game_part(book, group, lines_a_part), group) for group in members]
            section = f"{protocol}-rules-{version}"
            sections.append(GameSection(section, protocol, made[0][1].title, version, tuple(part for part, _ in made)))
        yield _game_page(name, tuple(sections))


def _game_page(name: str, sections: tuple[GameSection, ...]) -> GamePage:
    game = next((known for known in GAMES if known.id == name), None)
    rules, explore, strict = (
        (game.rules, game.numbers(game.explore), game.numbers(game.strict)) if game else (None, "", "")
    )
    heading = game_title(name)
    return GamePage(game_page(name), f"{heading} · {NAME}", heading, rules, explore, strict, sections)


def _game_part(book: Book, group: GameGroup, lines_a_part: int) -> GamePart:
    far = behind(book, group)
    return GamePart(
        f"part-{group.id}",
        PATHWAYS[group.pathway],
        parts(ranking(book, group), lines_a_part)[0],
        None if far is None else parts(far, lines_a_part)[0],
        overview(book, group),
        facets(book, group),
        explorations(book, group),
    )


def part_pages(book: Book, lines_a_part: int) -> Iterator[PartPage]:
    """Return the pages of the tables that are too long for one."""
    for group in groups(book):
        found = (*(matrices(book, group) if group.complete else ()), outside(book, group))
        for table in found:
            yield from table_parts(table, Link("Leaderboard", "index.html"), lines_a_part)
    for game in book.games:
        for part in game_groups(book, game):
            back = Link(game_title(game), game_page(game))
            yield from table_parts(ranking(book, part), back, lines_a_part)
            far = behind(book, part)
            if far is not None:
                yield from table_parts(far, back, lines_a_part)


def table_parts(table: Table, back: Link, lines_a_part: int) -> Iterator[PartPage]:
    """Return the pages of a table that is too long for one; none of a short one."""
    cut = parts(table, lines_a_part)
    if len(cut) == 1:
        return
    for place, part in enumerate(cut, 1):
        yield PartPage(part_page(table.id, place), f"{table.caption} · {NAME}", table.caption, back, part)


def entry_pages(
    book: Book, entries: Mapping[str, SiteEntry], downloads: Mapping[str, tuple[Link, ...]]
) -> Iterator[EntryPage]:
    """Return a page for every entry."""
    for entry in book.entries:
        yield _entry_page(book, entry, entries[entry.entry], downloads[entry.entry])


def _entry_page(book: Book, entry: EntryResult, told: SiteEntry, downloads: tuple[Link, ...]) -> EntryPage:
    return EntryPage(
        entry_page(entry.entry),
        f"{entry.entry} · {NAME}",
        entry.entry,
        visible_line(entry.model),
        visible_line(entry.team),
        entry.outside_main_table,
        _declared(entry),
        _costs(entry),
        run_costs(book, entry),
        over_games(book, entry),
        measured(book, entry),
        course(book, entry),
        tuple(_entry_game(book, entry, game) for game in games_of(book, entry)),
        checks(told.report),
        told.report.scorer,
        told.report.verdict,
        _unpack(told),
        told.command,
        entry.bundle_digest,
        entry.keyid,
        downloads,
        None if told.registry is None else Link(told.registry, LOG_PAGE),
        tuple(map(rerun_table, told.confirmations)),
    )


def _unpack(told: SiteEntry) -> tuple[str, ...]:
    unpack = (f"tar -xf {told.entry}.tar",) if told.bundle is not None else ()
    if told.key is None:
        return unpack
    return (*unpack, f"mkdir -p keys && mv {key_file(told.key)} keys/{told.key.team}.json")


def _entry_game(book: Book, entry: EntryResult, game: str) -> EntryGame:
    limits = curve_span(book.curves.get((entry.entry, game), ()))
    charts = (curve_chart(book, entry, game, limits), exploration_chart(book, entry, game))
    found = tuple(chart for chart in charts if chart is not None)
    return EntryGame(game, game_title(game), game_page(game), found)


def _declared(entry: EntryResult) -> tuple[Fact, ...]:
    context = entry.endpoint.context_tokens
    temperature = entry.decoding.temperature
    return (
        Fact("pathway", "Pathway", PATHWAYS[entry.pathway]),
        Fact("protocol", "Protocol", f"{visible_line(entry.protocol_title)} ({entry.protocol})"),
        Fact("endpoint", "Endpoint", f"{entry.endpoint.kind}, {visible_line(entry.endpoint.model)}"),
        Fact("context", "Context of the endpoint", f"{shown_count(context)} tokens" if context else "not declared"),
        Fact("temperature", "Temperature", "the model’s default" if temperature is None else shown(temperature)),
        Fact(
            "budget",
            "Budget of a step",
            f"{shown_count(entry.input_budget)} tokens in, {shown_count(entry.output_budget)} out",
        ),
        Fact("deviations", "Departures from the protocol", "; ".join(map(visible_line, entry.deviations)) or "none"),
    )


def _costs(entry: EntryResult) -> tuple[Fact, ...]:
    totals = entry.totals
    cached = totals.tokens_cached
    return (
        Fact("steps", "Steps", shown_count(totals.steps), str(totals.steps)),
        Fact("requests", "Requests", shown_count(totals.requests), str(totals.requests)),
        Fact("tokens_in", "Tokens in", shown_count(totals.tokens_in), str(totals.tokens_in)),
        Fact("tokens_out", "Tokens out", shown_count(totals.tokens_out), str(totals.tokens_out)),
        Fact("tokens_cached", "Tokens cached", "not reported")
        if cached is None
        else Fact("tokens_cached", "Tokens cached", shown_count(cached), str(cached)),
        Fact("seconds", "Time", shown_seconds(totals.seconds), full(totals.seconds)),
    )
