"""Build the site: results in, a folder of plain files out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from leaderboard.book import Book, open_book
from leaderboard.cells import game_page
from leaderboard.data_page import DATA_PAGE, SCHEMA_FILE, data_page
from leaderboard.log_pages import log_page, tombstones
from leaderboard.make_pages import LOG_PAGE, entry_pages, game_pages, home_pages
from leaderboard.numbers import shown_bytes
from leaderboard.output import Content, digest, folder_files, tar_bytes, write_tree
from leaderboard.page_kinds import Page
from leaderboard.pages import Frame, environment, render
from leaderboard.part_pages import share_out
from leaderboard.reference_pages import method_page, published_file, published_page, training_page
from leaderboard.site_entry import SiteEntry, by_name, key_file, protocol_file
from leaderboard.standings import standings_json
from leaderboard.terms import game_title
from leaderboard.topic_pages import JUDGING_PAGE, PATHWAYS_PAGE, judging_pages, pathways_pages
from leaderboard.view import Link
from protocol.rounds import preset_toml
from protocol.signing import write_team_key
from scoring.board import Board
from scoring.flat import to_csv
from scoring.published.tables import FILES, published_bytes
from scoring.results import Results, results_schema

LINES_A_PART = 100


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build made."""

    out: Path
    pages: int
    files: int
    bytes: int
    changed: int
    """Files written, since their bytes were not there already."""
    removed: int
    """Files of an earlier build that are no longer part of the site."""
    stamp: str
    """SHA-256 of ``data/results.json``; every page carries it."""


def build_site(
    entries: Sequence[SiteEntry],
    results: Results,
    out: Path,
    *,
    docs: Path | None = None,
    lines_a_part: int = LINES_A_PART,
    board: Board | None = None,
) -> BuildReport:
    """Build the whole site into a folder.

    Args:
        entries: One for each scored entry: its report, command and bundle.
        results: What the scorer measured.
        out: An empty or missing folder, or one that an earlier build made.
        docs: The built documentation, copied below ``docs/``.
        lines_a_part: Rows of a table on one page; a longer table goes on elsewhere.
        board: The board that the entries stand on, for the pages of its log; None leaves them out.

    Raises:
        ValueError: If the inputs contradict each other, or the folder holds files that no build wrote.
    """
    book = open_book(results)
    told = by_name(entries, book)
    if docs is not None:
        _check_apart(docs, out)
    data = results.to_json().encode()
    stamp = digest(data)
    files: dict[str, Content] = {}
    downloads: dict[str, tuple[Link, ...]] = {}
    for entry in entries:
        found = _downloads(entry)
        downloads[entry.entry] = tuple(link for link, _ in found)
        files |= {link.href: content for link, content in found}
    pages = (*_pages(book, told, downloads, lines_a_part), *_log_pages(board, lines_a_part))
    templates, frame = environment(), _frame(book, stamp, docs, board)
    files |= {page.path: _given(render(templates, page, frame)) for page in pages}
    files |= _data(results, book, data, stamp)
    files |= {f"static/{name}": content for name, content in _static(resources.files("leaderboard") / "static", "")}
    files[".nojekyll"] = _given(b"")
    if docs is not None:
        files |= {f"docs/{name}": path.read_bytes for name, path in folder_files(docs).items()}
    written = write_tree(out, files)
    return BuildReport(out, len(pages), written.files, written.bytes, written.changed, written.removed, stamp)


def _pages(
    book: Book, entries: Mapping[str, SiteEntry], downloads: Mapping[str, tuple[Link, ...]], lines_a_part: int
) -> Iterator[Page]:
    yield from home_pages(book, lines_a_part)
    yield from game_pages(book, lines_a_part)
    yield from pathways_pages(book, lines_a_part)
    yield from judging_pages(book, lines_a_part)
    yield from entry_pages(book, entries, downloads)
    yield training_page()
    yield published_page()
    yield method_page()
    yield data_page()


def _log_pages(board: Board | None, lines_a_part: int) -> Iterator[Page]:
    if board is None:
        return
    page = log_page(board)
    shared = share_out((page.lines,), Link("Log", page.path), lines_a_part, lines_a_part)
    yield replace(page, lines=shared.first[page.lines.id])
    yield from tombstones(board)
    yield from shared.rest


def _frame(book: Book, stamp: str, docs: Path | None, board: Board | None) -> Frame:
    pages = (
        Link("Leaderboard", "index.html"),
        PATHWAYS_PAGE,
        JUDGING_PAGE,
        Link("Training", "training.html"),
        Link("Published", "published.html"),
        Link("Method", "method.html"),
        Link("Data", DATA_PAGE),
        *((Link("Log", LOG_PAGE),) if board is not None else ()),
        *((Link("Docs", "docs/index.html"),) if docs is not None else ()),
    )
    games = tuple(Link(game_title(game), game_page(game)) for game in book.games)
    return Frame(book.scorer, stamp, docs is not None, pages, games)


def _downloads(entry: SiteEntry) -> tuple[tuple[Link, Content], ...]:
    report = entry.report.to_json().encode()
    found: list[tuple[Link, Content]] = [
        (Link("The verification report (JSON)", f"reports/{entry.entry}.json"), _given(report))
    ]
    if entry.bundle is not None:
        files = folder_files(entry.bundle)
        if not files:
            raise ValueError(f"{entry.bundle}: expected a bundle, got an empty folder")
        size = shown_bytes(sum(path.stat().st_size for path in files.values()))
        link = Link(f"The bundle (tar, {size})", f"bundles/{entry.entry}.tar")
        found.append((link, partial(tar_bytes, entry.entry, tuple(files.items()))))
    if entry.key is not None:
        link = Link("The team’s public key (JSON)", f"keys/{key_file(entry.key)}")
        found.append((link, _given(write_team_key(entry.key))))
    if entry.protocol is not None:
        link = Link("The protocol, which is not released (TOML)", f"protocols/{protocol_file(entry.protocol)}")
        found.append((link, _given(preset_toml(entry.protocol).encode())))
    for each in entry.confirmations:
        link = Link(f"The re-run of round {each.round} (JSON)", f"confirmations/{entry.entry}/{each.round}.json")
        found.append((link, _given(f"{each.model_dump_json(indent=1)}\n".encode())))
    return tuple(found)


def _data(results: Results, book: Book, data: bytes, stamp: str) -> dict[str, Content]:
    published = {published_file(name): partial(published_bytes, name) for name in FILES}
    script = f"const s3gymStamp = {json.dumps(stamp)};\n"
    return published | {
        "data/results.json": _given(data),
        SCHEMA_FILE: _given(results_schema().encode()),
        "data/results.csv": _given(to_csv(results).encode()),
        "data/standings.json": _given(standings_json(book).encode()),
        "data/stamp.js": _given(script.encode()),
    }


def _static(folder: Traversable, below: str) -> Iterator[tuple[str, Content]]:
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.is_dir():
            yield from _static(item, f"{below}{item.name}/")
        else:
            yield f"{below}{item.name}", item.read_bytes


def _given(content: bytes) -> Content:
    return lambda: content


def _check_apart(docs: Path, out: Path) -> None:
    """Neither may lie in the other: the site would copy itself, or stand in what the documentation's build deletes."""
    one, other = docs.resolve(), out.resolve()
    if one == other or one in other.parents or other in one.parents:
        raise ValueError(f"docs: expected a folder apart from {out}, got {docs}")
