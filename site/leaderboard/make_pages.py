"""Make every page of the site from the results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from games.blind import plan_of
from games.registry import GAMES, AnyGame
from leaderboard.book import Book
from leaderboard.cells import entry_page, game_page
from leaderboard.entry_tables import checks, course, games_of, measured, over_games, rerun_table, run_costs
from leaderboard.figures import curve_span
from leaderboard.game_tables import GameGroup, behind, explorations, facets, game_groups, overview, power, ranking
from leaderboard.home_tables import matrices, outside
from leaderboard.judging_tables import entry_calibration
from leaderboard.numbers import full, shown, shown_count, shown_seconds
from leaderboard.page_kinds import (
    EntryGame,
    EntryPage,
    Fact,
    GamePage,
    GamePart,
    GameSection,
    GameVariant,
    HomePage,
    HomePart,
    HomeSection,
    Page,
)
from leaderboard.part_pages import NAME, Shared, both, share_out
from leaderboard.run_charts import curve_chart, exploration_chart
from leaderboard.site_entry import SiteEntry, key_file
from leaderboard.standings import Group, groups
from leaderboard.terms import PATHWAY_MEANINGS, PATHWAYS, game_title, title
from leaderboard.text import visible_line
from leaderboard.view import Link, Table
from protocol.comparable import whose_words
from protocol.decoding import asked_with, one_line
from protocol.preset import preset_named, preset_names
from scoring.results import EntryResult

TRY_COMMAND = "make demo"
HOME_PAGE = "index.html"
LOG_PAGE = "log.html"
ROWS_OF_HOME = 300
ROWS_OF_RANKING = 100
ROWS_OF_GAPS = 60
"""Rows that the tables of one page may have together."""


def home_pages(book: Book, lines_a_part: int) -> Iterator[Page]:
    """Return the home page and the rest of its long tables."""
    found = groups(book)
    tables = {
        group.id: _HomeTables(matrices(book, group) if group.complete else (), outside(book, group)) for group in found
    }
    every = [table for each in tables.values() for table in (*each.matrices, each.outside)]
    shared = share_out(every, Link("Leaderboard", HOME_PAGE), lines_a_part, ROWS_OF_HOME)
    sections = []
    for protocol, members in groupby(found, key=lambda group: group.protocol):
        here = list(members)
        made = tuple(_home_part(group, tables[group.id], shared) for group in here)
        first = here[0]
        sections.append(HomeSection(f"protocol-{protocol}", protocol, first.title, first.rankable, made))
    yield HomePage(HOME_PAGE, "s3gym leaderboard", tuple(sections), TRY_COMMAND)
    yield from shared.rest


class _HomeTables(NamedTuple):
    matrices: tuple[Table, ...]
    outside: Table


def _home_part(group: Group, tables: _HomeTables, shared: Shared) -> HomePart:
    rest = shared.first[tables.outside.id]
    rules = tuple(f"{game_title(game)}: rules version {version or 'none'}" for game, version in group.rules)
    return HomePart(
        group.id,
        PATHWAYS[group.pathway],
        f"{PATHWAY_MEANINGS[group.pathway].capitalize()}.",
        rules,
        tuple(shared.first[table.id] for table in tables.matrices),
        f"{title('avg')} and by {title('max')}",
        rest if rest.lines else None,
    )


def game_pages(book: Book, lines_a_part: int) -> Iterator[Page]:
    """Return a page for every game, and the rest of its long tables."""
    for name in book.games:
        found = game_groups(book, name)
        tables = {group.id: _GameTables(ranking(book, group), behind(book, group)) for group in found}
        back = Link(game_title(name), game_page(name))
        rankings = [each.ranking for each in tables.values()]
        gaps = [each.behind for each in tables.values() if each.behind is not None]
        shared = both(
            share_out(rankings, back, lines_a_part, ROWS_OF_RANKING),
            share_out(gaps, back, lines_a_part, ROWS_OF_GAPS),
        )
        sections = []
        for (protocol, version), members in groupby(found, key=lambda group: (group.protocol, group.rules_version)):
            here = list(members)
            made = tuple(_game_part(book, group, tables[group.id], shared) for group in here)
            sections.append(
                GameSection(
                    f"{protocol}-rules-{version}",
                    protocol,
                    here[0].title,
                    version,
                    _blind(name, protocol, version),
                    made,
                )
            )
        yield _game_page(name, tuple(sections))
        yield from shared.rest


class _GameTables(NamedTuple):
    ranking: Table
    behind: Table | None


def _game_page(name: str, sections: tuple[GameSection, ...]) -> GamePage:
    game = next((known for known in GAMES if known.id == name), None)
    heading = game_title(name)
    rules, variants = (game.rules, tuple(_game_variants(game))) if game else (None, ())
    return GamePage(game_page(name), f"{heading} · {NAME}", heading, rules, variants, sections)


def _game_variants(game: AnyGame) -> Iterator[GameVariant]:
    presets = [preset for preset in map(preset_named, preset_names()) if game.id in preset.games]
    for variant in game.variants:
        playing = [preset.id for preset in presets if preset.games[game.id].variant == variant.name]
        name = f"{variant.name} variant ({', '.join(playing)})" if playing else f"{variant.name} variant"
        yield GameVariant(name, game.numbers(variant.explore), game.numbers(variant.strict))


def _blind(name: str, protocol: str, version: int) -> str | None:
    """Return what blind play scores at a checkpoint of a protocol that ships with this release."""
    game = next((known for known in GAMES if known.id == name), None)
    if game is None or protocol not in preset_names():
        return None
    config = preset_named(protocol).config(game, "strict")
    plan = plan_of(name, config)
    if (plan.rules_version, plan.max_steps) != (version, config.max_steps):
        return None
    return (
        f"Blind play, a schedule of actions that never looks at the game, the best that was found, reaches "
        f"{shown(plan.score)} points a strict episode here. What is not above it may come from the rules alone."
    )


def _game_part(book: Book, group: GameGroup, tables: _GameTables, shared: Shared) -> GamePart:
    return GamePart(
        f"part-{group.id}",
        PATHWAYS[group.pathway],
        shared.first[tables.ranking.id],
        power(book, group),
        None if tables.behind is None else shared.first[tables.behind.id],
        overview(book, group),
        facets(book, group),
        explorations(book, group),
    )


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
        tuple(Link(partner, entry_page(partner)) for partner in book.partners.get(entry.entry, ())),
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
    charts = (
        curve_chart(book, entry, game, limits),
        exploration_chart(book, entry, game),
        entry_calibration(book, entry, game),
    )
    found = tuple(chart for chart in charts if chart is not None)
    return EntryGame(game, game_title(game), game_page(game), found)


def _declared(entry: EntryResult) -> tuple[Fact, ...]:
    context = entry.endpoint.context_tokens
    whose = whose_words(entry.protocol_digest, released=entry.released)
    return (
        Fact("pathway", "Pathway", PATHWAYS[entry.pathway]),
        Fact(
            "protocol",
            "Protocol",
            f"{visible_line(entry.protocol_title)} ({entry.protocol}); {whose}",
        ),
        Fact("endpoint", "Endpoint", f"{entry.endpoint.kind}, {visible_line(entry.endpoint.model)}"),
        Fact("context", "Context of the endpoint", f"{shown_count(context)} tokens" if context else "not declared"),
        Fact("decoding", "Asked with", visible_line(one_line(asked_with(entry.decoding)))),
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
