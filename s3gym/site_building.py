"""A board becomes a site: every entry verified, with its re-runs, then the pages."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from protocol.errors import BundleError
from s3gym.accepting import each_bundle, tell_known
from scoring.accepting import accept
from scoring.board import Board, open_board
from scoring.cache import Cache
from scoring.confirmation import Confirmation
from scoring.confirmed import rounds_of, stray_confirmations
from scoring.confirming import read_confirmation
from scoring.entry_numbers import EntryNumbers
from scoring.results import EntryResult
from scoring.score import measure, results_of
from scoring.submitting import standing_bundles
from scoring.verified import VerifiedBundle
from scoring.verify import PresetOf, verify


class _Shown(NamedTuple):
    """What the site shows of an entry."""

    numbers: EntryNumbers
    confirmations: tuple[Confirmation, ...]
    known: bool


def check_installed() -> None:
    """Check before the work that what draws a site is installed.

    Raises:
        ModuleNotFoundError: If it is not.
    """
    for name in ("jinja2", "plotly"):
        if find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


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
        ModuleNotFoundError: If what draws it is not installed.
    """
    check_installed()
    from leaderboard.build import build_site
    from leaderboard.site_entry import SiteEntry

    board = open_board(submissions)
    shown = accept_board(board, preset_of, cache=cache, quiet=quiet)
    entries = [
        SiteEntry(
            each.numbers.entry.entry,
            each.numbers.report,
            _again(each.numbers.entry),
            board.bundle(each.numbers.entry.entry),
            board.key_of(each.numbers.entry.entry),
            board.keyring.short,
            None if each.numbers.entry.released else preset_of(each.numbers.entry.protocol),
            each.confirmations,
        )
        for each in shown
    ]
    return build_site(entries, results_of(each.numbers for each in shown), folder, docs=docs, board=board).pages


def _again(entry: EntryResult) -> str:
    """Return the command that scores an entry again, in the folder of its downloads."""
    own = "" if entry.released else f" --protocol {entry.protocol}.toml"
    return f"s3gym score {entry.entry} --keys keys{own}"


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
