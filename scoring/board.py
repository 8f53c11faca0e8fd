"""A board: the folder of submissions, with its registry and its log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from protocol.errors import BundleError
from protocol.signing import TeamKey
from scoring.acceptance import LOG, LogLine, Standing, State, follows, head_of, read_log, standings
from scoring.registry import Keyring, open_keyring
from scoring.root_keys import Roots
from scoring.signed_registry import REGISTRY

ENTRIES = "entries"
_ROLLED_BACK = "The registry was rolled back or changed: restore the newest signed one from the board's history."
_RESTORE_LOG = "Restore the log from the board's history; both root keys signed for these lines."


class Board(NamedTuple):
    """What a submissions folder holds."""

    folder: Path
    keyring: Keyring
    lines: tuple[LogLine, ...]

    @property
    def standings(self) -> dict[str, Standing]:
        """Return how the log leaves each entry."""
        return standings(self.lines)

    def bundle(self, entry: str) -> Path:
        """Return where an entry's bundle lies."""
        return self.folder / ENTRIES / entry

    def key_of(self, entry: str) -> TeamKey:
        """Return the key that counted for an entry at its position, as a registration file of its own holds it."""
        standing = self.standings[entry]
        key = self.keyring.at(standing.accepted_at)(standing.subject.team)
        return key.model_copy(update={"since": 0, "until": None, "reason": None})

    def in_state(self, *states: State) -> tuple[Standing, ...]:
        """Return the entries in these states, in order of their ids."""
        return tuple(each for _, each in sorted(self.standings.items()) if each.state in states)

    def unlogged(self) -> Iterator[str]:
        """Yield the names in the entries' folder that the log does not know."""
        folder = self.folder / ENTRIES
        if folder.is_dir():
            known = self.standings
            yield from sorted(
                path.name for path in folder.iterdir() if path.name not in known and not path.name.startswith(".")
            )


def open_board(submissions: Path) -> Board:
    """Return a board whose log holds, with a registry no older than the one that the log saw last.

    Raises:
        BundleError: If log or registry is damaged, or the registry was rolled back.
        ValueError: If there is no registry.
    """
    keyring = open_keyring(submissions)
    lines = read_log(submissions / LOG)
    board = Board(submissions, keyring, lines)
    check_version(board)
    return board


def check_version(board: Board) -> None:
    """Refuse a registry that is older than the one that the log saw last, another one of its version, or of other keys.

    Raises:
        BundleError: If it is.
    """
    seen = board.lines[-1].registry if board.lines else None
    mark = board.keyring.mark
    if not follows(mark, seen) and seen is not None:
        got = "an unsigned registry" if mark is None else f"version {mark.version} ({mark.digest[:12]}...)"
        raise BundleError(
            REGISTRY,
            f"version {seen.version} ({seen.digest[:12]}...) or later, as the log has seen",
            got,
            _ROLLED_BACK,
        )
    if board.keyring.roots is not None:
        _check_roots(board.lines, board.keyring.roots)


def _check_roots(lines: Sequence[LogLine], roots: Roots) -> None:
    """Compare what the log saw of the registry with who signed it when, by the exchanges of the root key."""
    for line in lines:
        mark = line.registry
        if mark is not None and mark.root != roots.at(mark.version):
            seen_by = f"line {line.position + 1} of the log"
            expected = f"version {mark.version} signed by root key {mark.root}, as {seen_by} saw it"
            raise BundleError(REGISTRY, expected, f"exchanges by which it was {roots.at(mark.version)}", _ROLLED_BACK)
    for each in roots.exchanges:
        place = f"exchange for root key {each.new.keyid}"
        if len(lines) < each.position or head_of(lines[: each.position]) != each.head:
            expected = f"a log whose first {each.position} lines have the head {each.head}"
            raise BundleError(LOG, expected, "another log", _RESTORE_LOG, place=place)
        early = next((line for line in lines[: each.position] if _version(line) >= each.version), None)
        if early is not None:
            got = f"version {_version(early)} in line {early.position + 1}"
            expected = f"versions before {each.version} in the first {each.position} lines"
            raise BundleError(LOG, expected, got, _RESTORE_LOG, place=place)
        seen = {line.registry.digest for line in lines if line.registry and line.registry.version == each.version - 1}
        if seen - {each.follows}:
            expected = f"version {each.version - 1} with digest {min(seen)}, as the log has seen"
            raise BundleError(REGISTRY, expected, each.follows, _ROLLED_BACK, place=place)


def _version(line: LogLine) -> int:
    return 0 if line.registry is None else line.registry.version


def check_reach(board: Board) -> None:
    """Refuse a log that ends before a position at which its signed registry lets a key begin or end to count.

    Raises:
        BundleError: If it does: lines were cut off at its end.
    """
    reach = board.keyring.reach
    if reach > len(board.lines):
        expected = f"a log of at least {reach} lines, as the signed registry saw it"
        raise BundleError(LOG, expected, str(len(board.lines)), "Restore the log from the board's history.")
