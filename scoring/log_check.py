"""Checking a whole board: its log line by line, its registry, and every bundle that the log tells of."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from protocol.bundle import ENVELOPE
from protocol.errors import BundleError
from protocol.signing import TeamKey
from scoring.acceptance import (
    LOG,
    TOMBSTONES,
    LogLine,
    Standing,
    Subject,
    digest_of,
    head_of,
    inspect_log,
    standings,
)
from scoring.board import ENTRIES, Board, check_version
from scoring.checks import files, limits, signature
from scoring.checks.step import EnoughError, Faults
from scoring.registry import open_keyring
from scoring.report import Fault
from scoring.twins import read_episodes

CODE = "log"
_RESTORE = "Restore it from the board's history."
_DISQUALIFY = "Disqualify the entry (s3gym submissions disqualify), or sign the registry again."


class LogCheck(NamedTuple):
    """What the check of a board found."""

    lines: tuple[LogLine, ...]
    head: str
    """The digest that stands for the whole log."""
    registry: str
    """What kind of registry it is, in words."""
    bundles: int
    """Bundles compared with the log."""
    absent: tuple[str, ...]
    """Withdrawn and disqualified entries whose bundle is no longer there, which is allowed."""
    backwards: int
    """Claimed times that are earlier than the one before; they decide nothing."""
    faults: tuple[Fault, ...]


def check_board(submissions: Path, expected_head: str | None = None) -> LogCheck:
    """Check every line of the log, every bundle it tells of, every key at its position, and the registry.

    Args:
        submissions: The board.
        expected_head: A head that was seen earlier; the log must still hold it.

    Raises:
        ValueError: If there is no board.
    """
    if not submissions.is_dir():
        raise ValueError(f"submissions: expected a folder, found none at {submissions}")
    lines, broken = inspect_log(submissions / LOG)
    faults = [_fault(LOG, f"line {each.line}", each.expected, each.got, _RESTORE) for each in broken]
    if expected_head is not None and expected_head not in {digest_of(line) for line in lines}:
        faults.append(_fault(LOG, None, f"a line with the digest {expected_head}", "none", _RESTORE))
    words, bundles, absent = "not readable", 0, []
    try:
        board = Board(submissions, open_keyring(submissions), lines)
        words = board.keyring.words
        check_version(board)
    except BundleError as error:
        faults.append(_of(error))
    else:
        if not broken:
            for standing in standings(lines).values():
                if not board.bundle(standing.subject.entry).exists() and standing.state in TOMBSTONES:
                    absent.append(standing.subject.entry)
                    continue
                faults += _bundle_faults(board, standing)
                bundles += 1
            for name in board.unlogged():
                place = f"{ENTRIES}/{name!a}"
                faults.append(
                    _fault(place, None, "an entry that the log knows", "another one", "Submit it, or remove it.")
                )
    times = [line.claimed_time for line in lines if line.claimed_time is not None]
    backwards = sum(later < earlier for earlier, later in itertools.pairwise(times))
    return LogCheck(lines, head_of(lines), words, bundles, tuple(absent), backwards, tuple(faults))


def _bundle_faults(board: Board, standing: Standing) -> list[Fault]:
    """Compare a bundle with its first line: the very files, signed with a key that counted at that position."""
    subject = standing.subject
    folder = board.bundle(subject.entry)
    where = f"{ENTRIES}/{subject.entry}"
    line = f"as line {standing.accepted_at + 1} of the log says"
    if not folder.is_dir():
        return [_fault(where, None, f"a bundle, {line}", "none", _RESTORE)]
    found = Faults(signature.STEP)
    try:
        with found.catching():
            sizes = limits.check(folder, found)
            signed = signature.check(folder, _key_of(board, standing), found)
            contents = files.check(folder, sizes, signed.statement, found)
            if not found.found and _subject(signed, contents) != subject:
                found.add(BundleError(ENVELOPE, f"the entry, team, key and digests {line}", "others", _RESTORE))
    except EnoughError:
        pass
    return [each.model_copy(update={"code": CODE, "file": f"{where}/{each.file}"}) for each in found.found]


def _key_of(board: Board, standing: Standing) -> signature.KeyOf:
    """Return who signed an entry; the key of a tombstone may have stopped to count, which may be the reason for it."""
    if standing.state not in TOMBSTONES:
        return board.keyring.at(standing.accepted_at)

    def key_of(team: str) -> TeamKey:
        keys = board.keyring.keys_of(team)
        key = next((key for key in keys if key.keyid == standing.subject.keyid), keys[-1])
        return key.model_copy(update={"status": "active"})

    return key_of


def _subject(signed: signature.Signed, contents: Mapping[str, bytes]) -> Subject:
    manifest = signed.statement.predicate
    return Subject(
        entry=manifest.entry,
        team=manifest.team,
        keyid=signed.key.keyid,
        bundle_digest=signed.digest,
        episodes=read_episodes(contents),
    )


def _of(error: BundleError) -> Fault:
    return _fault(error.file, error.place, error.expected, error.got, error.remedy)


def _fault(file: str, place: str | None, expected: str, got: str, remedy: str) -> Fault:
    return Fault(code=CODE, file=file, place=place, expected=expected, got=got, remedy=remedy)
