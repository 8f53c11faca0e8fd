"""``s3gym site``."""

from __future__ import annotations

import functools
import http.server
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from protocol.errors import BundleError
from s3gym.caching import usable_cache
from s3gym.commands.score import NoCache, each_bundle, tell_known
from s3gym.commands.submit import SUBMISSIONS, Submissions
from s3gym.commands.verify import Protocols, presets, show_report
from s3gym.output import REFUSED, out, plain, plain_errors, warn
from scoring.accepting import accept
from scoring.board import Board, open_board
from scoring.cache import Cache
from scoring.confirmation import Confirmation
from scoring.confirmed import rounds_of, stray_confirmations
from scoring.confirming import read_confirmation
from scoring.entry_numbers import EntryNumbers
from scoring.score import measure, results_of
from scoring.submitting import standing_bundles
from scoring.verified import VerifiedBundle
from scoring.verify import PresetOf, RefusedError, verify

SITE = Path("build/site")
app = typer.Typer(no_args_is_help=True, help="The static leaderboard.")


class _Shown(NamedTuple):
    """What the site shows of an entry."""

    numbers: EntryNumbers
    confirmations: tuple[Confirmation, ...]
    known: bool


def build_from(
    submissions: Path,
    folder: Path,
    docs: Path | None,
    preset_of: PresetOf,
    *,
    cache: Cache | None = None,
    quiet: bool = False,
) -> int:
    """Verify every submitted bundle again, save what the cache knows, score them and build the site.

    Returns:
        The number of pages.

    Raises:
        RefusedError: If a bundle no longer passes.
        ValueError: If the folder holds anything that a build did not write.
    """
    from leaderboard.build import build_site
    from leaderboard.site_entry import SiteEntry

    board = open_board(submissions)
    shown = accept_board(board, preset_of, cache=cache, quiet=quiet)
    entries = [
        SiteEntry(
            each.numbers.entry.entry,
            each.numbers.report,
            f"s3gym score {each.numbers.entry.entry} --keys keys",
            board.bundle(each.numbers.entry.entry),
            board.key_of(each.numbers.entry.entry),
            board.keyring.short,
            each.confirmations,
        )
        for each in shown
    ]
    return build_site(entries, results_of(each.numbers for each in shown), folder, docs=docs, board=board).pages


def accept_board(board: Board, preset_of: PresetOf, *, cache: Cache | None = None, quiet: bool = False) -> list[_Shown]:
    """Verify every standing entry of a board, each with the key that counted at its position of the log.

    Raises:
        RefusedError: If a bundle no longer passes.
        BundleError: If it is not the bundle that was accepted, one lies there that was not, or a re-run does not hold.
    """
    stray = next(stray_confirmations(board), None)
    if stray is not None:
        raise stray
    bundles = standing_bundles(board)
    standings = board.standings
    shown = each_bundle(bundles, lambda path: _accept_entry(board, path, preset_of, cache), quiet=quiet)
    for path, each in zip(bundles, shown, strict=True):
        told, entry = standings[path.name].subject, each.numbers.entry
        if (entry.entry, entry.bundle_digest) != (told.entry, told.bundle_digest):
            remedy = "Restore it from the board's history; an accepted entry never changes."
            raise BundleError(f"entries/{path.name}", f"the bundle {told.bundle_digest}", entry.bundle_digest, remedy)
    if not quiet:
        tell_known(sum(each.known for each in shown), len(bundles))
    return shown


def _accept_entry(board: Board, path: Path, preset_of: PresetOf, cache: Cache | None) -> _Shown:
    key_of = board.keyring.at(board.standings[path.name].accepted_at)
    if not rounds_of(board, path.name):
        accepted = accept(path, key_of, preset_of, cache)
        return _Shown(accepted.numbers, (), accepted.known)
    # A re-run is checked against the records of the entry, which no cache holds.
    verified = verify(path, key_of, preset_of)
    return _Shown(measure(verified), confirmations_of(board, verified), known=False)


def confirmations_of(board: Board, bundle: VerifiedBundle) -> tuple[Confirmation, ...]:
    """Return every re-run of an entry, checked, in order of their rounds.

    Raises:
        BundleError: If one does not hold.
    """
    roots = board.keyring.roots
    if roots is None:
        return ()
    return tuple(read_confirmation(path, roots, bundle) for path in rounds_of(board, bundle.manifest.entry))


@app.command("build")
def build(
    submissions: Submissions = SUBMISSIONS,
    folder: Annotated[Path, typer.Option("--out", help="Where the site goes.")] = SITE,
    docs: Annotated[Path | None, typer.Option(help="Built documentation, to be joined as docs/.")] = None,
    protocol_file: Protocols = None,
    no_cache: NoCache = False,
) -> None:
    """Verify and score every submitted entry, and build the site: plain files for any static host or from disk.

    An entry that this scorer accepted before and that is unchanged is not replayed again (s3gym cache).
    """
    with plain_errors():
        try:
            cache = usable_cache(wanted=not no_cache)
            pages = build_from(submissions, folder, docs, presets(protocol_file), cache=cache)
        except RefusedError as refusal:
            show_report(refusal.report)
            raise typer.Exit(REFUSED) from refusal
    out().print(f"{pages} pages: {plain(str(folder / 'index.html'))}")


@app.command("serve")
def serve(
    folder: Annotated[Path, typer.Option("--site", help="The built site.")] = SITE,
    port: Annotated[int, typer.Option(help="Port on this machine; 0 takes a free one.")] = 8000,
) -> None:
    """Serve a built site on this machine until Ctrl-C (opening index.html from disk works too)."""
    from leaderboard.output import MANIFEST, is_whole

    with plain_errors():
        if not (folder / "index.html").is_file():
            raise ValueError(f"site: expected a built site, found none at {folder}; run: s3gym site build")
        if (folder / MANIFEST).is_file() and not is_whole(folder):
            warn(f"{folder}: the last build stopped before its end: its pages are of two builds; run: s3gym site build")
        handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
        with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
            out().print(f"http://127.0.0.1:{server.server_address[1]}/  (Ctrl-C ends it)")
            try:
                server.serve_forever()
            except KeyboardInterrupt:
                out().print("ended")
