"""The re-runs that lie on a board: which entries may have any, and where they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from protocol.bundle import MAX_ENVELOPE, read_file, sha256
from protocol.errors import BundleError
from protocol.records import Content
from protocol.signing import read_envelope
from protocol.strictjson import shown
from scoring.acceptance import TOMBSTONES
from scoring.board import Board
from scoring.confirmation import CONFIRMATION, CONFIRMATION_TYPE, CONFIRMATIONS

_REMOVE = "Remove it; the board's history keeps it."


def rounds_of(board: Board, entry: str) -> tuple[Path, ...]:
    """Return the folders of an entry's re-runs, in order of their rounds."""
    return _inside(board.folder / CONFIRMATIONS / entry)


def stray_confirmations(board: Board) -> Iterator[BundleError]:
    """Yield what is wrong with there being a re-run at all, whatever it says.

    Only an entry that stands or is held has any: it may be held because of what a re-run is to show. None is there
    without a root key that could have signed it.
    """
    entries = _inside(board.folder / CONFIRMATIONS)
    if entries and board.keyring.mark is None:
        yield BundleError(CONFIRMATIONS, "a signed registry, whose root key signs re-runs", "an unsigned one", _REMOVE)
    standings = board.standings
    for path in entries:
        place = f"{CONFIRMATIONS}/{shown(path.name)[1:-1]}"
        standing = standings.get(path.name)
        if standing is None or standing.state in TOMBSTONES:
            got = "one that the log does not know" if standing is None else f"one that is {standing.state}"
            yield BundleError(place, "re-runs of an entry that stands or is held", got, _REMOVE)
        elif path.is_symlink() or not path.is_dir():
            yield BundleError(place, "a folder", "something else", _REMOVE)


def signed_by(board: Board, keyid: str) -> tuple[Content, ...]:
    """Return the re-runs of a board that a key signed, as ENTRY/ROUND with the digests of their signed records."""
    found = []
    for entry in _inside(board.folder / CONFIRMATIONS):
        for folder in _inside(entry):
            data = read_file(folder, CONFIRMATION, MAX_ENVELOPE)
            if read_envelope(data, CONFIRMATION, CONFIRMATION_TYPE).keyid == keyid:
                found.append(Content(name=f"{entry.name}/{folder.name}", sha256=sha256(data)))
    return tuple(found)


def _inside(folder: Path) -> tuple[Path, ...]:
    """Return what lies in a folder; what begins with a dot is being written."""
    if not folder.is_dir():
        return ()
    return tuple(sorted(path for path in folder.iterdir() if not path.name.startswith(".")))
