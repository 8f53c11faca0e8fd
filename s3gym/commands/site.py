"""``s3gym site``."""

from __future__ import annotations

import functools
import http.server
from pathlib import Path
from typing import Annotated

import typer

from protocol.errors import BundleError
from s3gym.commands.score import verify_each
from s3gym.commands.submit import SUBMISSIONS, Submissions
from s3gym.commands.verify import Protocols, presets, show_report
from s3gym.output import REFUSED, out, plain, plain_errors
from scoring.board import Board, open_board
from scoring.confirmation import CONFIRMATIONS, Confirmation, read_confirmation
from scoring.score import score
from scoring.signed_registry import read_root
from scoring.submitting import standing_bundles
from scoring.verified import VerifiedBundle
from scoring.verify import PresetOf, RefusedError

SITE = Path("build/site")
app = typer.Typer(no_args_is_help=True, help="The static leaderboard.")


def build_from(submissions: Path, folder: Path, docs: Path | None, preset_of: PresetOf, *, quiet: bool = False) -> int:
    """Verify every submitted bundle again, score them and build the site.

    Returns:
        The number of pages.

    Raises:
        RefusedError: If a bundle no longer passes.
        ValueError: If the folder holds anything that a build did not write.
    """
    from leaderboard.build import build_site
    from leaderboard.site_entry import SiteEntry

    board = open_board(submissions)
    verified = verify_board(board, preset_of, quiet=quiet)
    entries = [
        SiteEntry(
            bundle.manifest.entry,
            bundle.report,
            f"s3gym score {bundle.manifest.entry} --keys keys",
            board.bundle(bundle.manifest.entry),
            board.key_of(bundle.manifest.entry),
            board.keyring.short,
            confirmations_of(board, bundle),
        )
        for bundle in verified
    ]
    return build_site(entries, score(verified), folder, docs=docs, board=board).pages


def confirmations_of(board: Board, bundle: VerifiedBundle) -> tuple[Confirmation, ...]:
    """Return every re-run of an entry, checked, in order of their rounds.

    Raises:
        BundleError: If one does not hold, or the board has no root key that could have signed it.
    """
    folder = board.folder / CONFIRMATIONS / bundle.manifest.entry
    if not folder.is_dir():
        return ()
    root = read_root(board.folder)
    rounds = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    return tuple(read_confirmation(path, root, bundle) for path in rounds)


def verify_board(board: Board, preset_of: PresetOf, *, quiet: bool = False) -> list[VerifiedBundle]:
    """Verify every standing entry of a board, each with the key that counted at its position of the log.

    Raises:
        RefusedError: If a bundle no longer passes.
        BundleError: If it is not the bundle that was accepted, or one lies there that was not.
    """
    bundles = standing_bundles(board)
    standings = board.standings
    asked = [(path, board.keyring.at(standings[path.name].accepted_at)) for path in bundles]
    verified = verify_each(asked, preset_of, quiet=quiet)
    for path, bundle in zip(bundles, verified, strict=True):
        told = standings[path.name].subject
        if (bundle.manifest.entry, bundle.digest) != (told.entry, told.bundle_digest):
            remedy = "Restore it from the board's history; an accepted entry never changes."
            raise BundleError(f"entries/{path.name}", f"the bundle {told.bundle_digest}", bundle.digest, remedy)
    return verified


@app.command("build")
def build(
    submissions: Submissions = SUBMISSIONS,
    folder: Annotated[Path, typer.Option("--out", help="Where the site goes.")] = SITE,
    docs: Annotated[Path | None, typer.Option(help="Built documentation, to be joined as docs/.")] = None,
    protocol_file: Protocols = None,
) -> None:
    """Verify and score every submitted entry, and build the site: plain files for any static host or from disk."""
    with plain_errors():
        try:
            pages = build_from(submissions, folder, docs, presets(protocol_file))
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
    with plain_errors():
        if not (folder / "index.html").is_file():
            raise ValueError(f"site: expected a built site, found none at {folder}; run: s3gym site build")
        handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
        with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
            out().print(f"http://127.0.0.1:{server.server_address[1]}/  (Ctrl-C ends it)")
            try:
                server.serve_forever()
            except KeyboardInterrupt:
                out().print("ended")
