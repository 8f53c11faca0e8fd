"""Checking a whole board: its log line by line, its registry, every bundle that the log tells of, every re-run."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from protocol.bundle import ENVELOPE, file_name
from protocol.errors import BundleError
from protocol.preset import Preset, preset_named
from protocol.records import Manifest
from protocol.signing import TeamKey
from protocol.strictjson import Several, shown
from scoring.acceptance import (
    LOG,
    START,
    TOMBSTONES,
    LogLine,
    Standing,
    Subject,
    digest_of,
    head_of,
    inspect_log,
)
from scoring.board import ENTRIES, Board, check_reach, check_version
from scoring.checks import files, limits, signature
from scoring.checks.step import EnoughError, Faults
from scoring.confirmation import RerunEntry
from scoring.confirmed import rounds_of, stray_confirmations
from scoring.confirming import open_confirmation
from scoring.registry import open_keyring
from scoring.report import Fault
from scoring.twins import read_contents, read_episodes
from scoring.verify import PresetOf

CODE = "log"
_RESTORE = "Restore it from the board's history."
_PROTOCOL = "a protocol that this scorer knows"
_GIVE_PROTOCOL = "Lay its file into the board's protocols/, or give it (--protocol FILE)."
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
    confirmations: int
    """Re-runs whose signature, entry, round, seeds and records were checked."""
    absent: tuple[str, ...]
    """Withdrawn and disqualified entries whose bundle is no longer there, which is allowed."""
    backwards: int
    """Claimed times that are earlier than the one before; they decide nothing."""
    faults: tuple[Fault, ...]

    @property
    def report(self) -> BoardReport:
        """Return the same for machines, with the number of lines in their place."""
        verdict: Literal["holds", "refused"] = "refused" if self.faults else "holds"
        return BoardReport(verdict=verdict, **{**self._asdict(), "lines": len(self.lines)})


class BoardReport(BaseModel):
    """What the check of a board found, as JSON."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", use_attribute_docstrings=True)

    schema_id: Literal["s3gym-board-1"] = "s3gym-board-1"
    verdict: Literal["holds", "refused"]
    lines: int
    head: str
    registry: str
    bundles: int
    confirmations: int
    absent: Several[str]
    backwards: int
    faults: Several[Fault]


class _Compared(NamedTuple):
    """A bundle that was compared with the log."""

    faults: tuple[Fault, ...]
    signed: signature.Signed | None = None
    contents: Mapping[str, bytes] = MappingProxyType({})
    """The bytes of every record file, compressed as they are."""


def check_board(submissions: Path, expected_head: str | None = None, preset_of: PresetOf = preset_named) -> LogCheck:
    """Check every line of the log, every bundle it tells of, every key at its position, the registry and every re-run.

    Args:
        submissions: The board.
        expected_head: A head that was seen earlier; the log must still hold it. Every log holds that of an empty one.
        preset_of: Where the protocols of entries are looked up.

    Raises:
        ValueError: If there is no board.
    """
    if not submissions.is_dir():
        raise ValueError(f"submissions: expected a board, found none at {submissions}; point at it with --submissions")
    lines, broken = inspect_log(submissions / LOG)
    faults = [_fault(LOG, f"line {each.line}", each.expected, each.got, _RESTORE) for each in broken]
    if expected_head is not None and expected_head not in {START, *map(digest_of, lines)}:
        faults.append(_fault(LOG, None, f"a line with the digest {expected_head}", "none", _RESTORE))
    words, found = "not readable", _Entries()
    try:
        board = Board(submissions, open_keyring(submissions), lines)
        words = board.keyring.words
        check_version(board)
        check_reach(board)
    except BundleError as error:
        faults.append(_of(error))
    else:
        if not broken:
            found.check(board, preset_of)
    times = [line.claimed_time for line in lines if line.claimed_time is not None]
    backwards = sum(later < earlier for earlier, later in itertools.pairwise(times))
    return LogCheck(
        lines,
        head_of(lines),
        words,
        found.bundles,
        found.confirmations,
        tuple(found.absent),
        backwards,
        (*faults, *found.faults),
    )


class _Entries:
    """What is found in the bundles and re-runs of a board whose log holds."""

    def __init__(self) -> None:
        self.bundles = 0
        self.confirmations = 0
        self.absent: list[str] = []
        self.faults: list[Fault] = []

    def check(self, board: Board, preset_of: PresetOf) -> None:
        """Check every entry that the log tells of, and that there is nothing else."""
        for standing in board.standings.values():
            entry = standing.subject.entry
            if not board.bundle(entry).exists() and standing.state in TOMBSTONES:
                self.absent.append(entry)
                continue
            compared = _compare(board, standing)
            self.faults += compared.faults
            self.bundles += 1
            # A tombstone's re-runs are stray, and of a bundle that is another one nothing can be said.
            if standing.state not in TOMBSTONES and compared.signed is not None:
                try:
                    preset = _preset(compared.signed.statement.predicate, preset_of)
                except BundleError as error:
                    self.faults.append(_of(error))
                else:
                    self._reruns(board, compared.signed, compared.contents, preset)
        for name in board.unlogged():
            place = f"{ENTRIES}/{name!a}"
            remedy = "Submit it where it lies (s3gym submit), or remove it."
            self.faults.append(_fault(place, None, "an entry that the log knows", "another one", remedy))
        self.faults += map(_of, stray_confirmations(board))

    def _reruns(self, board: Board, signed: signature.Signed, contents: Mapping[str, bytes], preset: Preset) -> None:
        """Make every check of an entry's re-runs that needs no replay."""
        rounds, roots = rounds_of(board, signed.statement.predicate.entry), board.keyring.roots
        if not rounds or roots is None:
            return
        entry = _rerun_entry(signed, contents, preset)
        for folder in rounds:
            self.confirmations += 1
            try:
                open_confirmation(folder, roots, entry)
            except BundleError as error:
                self.faults.append(_of(error))


def _compare(board: Board, standing: Standing) -> _Compared:
    """Compare a bundle with its first line: the very files, signed with a key that counted at that position."""
    subject = standing.subject
    folder = board.bundle(subject.entry)
    where = f"{ENTRIES}/{subject.entry}"
    line = f"as line {standing.accepted_at + 1} of the log says"
    if not folder.is_dir():
        return _Compared((_fault(where, None, f"a bundle, {line}", "none", _RESTORE),))
    found = Faults(signature.STEP)
    try:
        with found.catching():
            sizes = limits.check(folder, found)
            signed = signature.check(folder, _key_of(board, standing), found)
            contents = files.check(folder, sizes, signed.statement, found)
            if not found.found and _subject(signed, contents) != subject:
                found.add(BundleError(ENVELOPE, f"the entry, team, key and digests {line}", "others", _RESTORE))
            if not found.found:
                return _Compared((), signed, contents)
    except EnoughError:
        pass
    return _Compared(
        tuple(each.model_copy(update={"code": CODE, "file": f"{where}/{each.file}"}) for each in found.found)
    )


def _preset(manifest: Manifest, preset_of: PresetOf) -> Preset:
    """Return the very protocol of an entry.

    Raises:
        BundleError: If it is not known here.
    """
    place = f"{ENTRIES}/{manifest.entry}/{ENVELOPE}"
    try:
        preset = preset_of(manifest.protocol)
    except ValueError as error:
        raise BundleError(place, _PROTOCOL, shown(str(error)), _GIVE_PROTOCOL) from error
    if preset.digest != manifest.protocol_digest:
        expected = f"protocol {preset.id} with digest {manifest.protocol_digest}"
        raise BundleError(place, expected, preset.digest, _GIVE_PROTOCOL)
    return preset


def _rerun_entry(signed: signature.Signed, contents: Mapping[str, bytes], preset: Preset) -> RerunEntry:
    """Return what a re-run must know of an entry whose bundle is the very one that was accepted."""
    manifest = signed.statement.predicate
    levels = {}
    for rules in manifest.games:
        name = file_name("episodes", rules.game).removesuffix(".gz")
        levels[rules.game] = frozenset(record.layout_digest for record in read_contents(name, contents[name]))
    return RerunEntry(manifest, signed.digest, preset, levels)


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
        episodes=read_episodes(contents.items()),
    )


def _of(error: BundleError) -> Fault:
    return _fault(error.file, error.place, error.expected, error.got, error.remedy)


def _fault(file: str, place: str | None, expected: str, got: str, remedy: str) -> Fault:
    return Fault(code=CODE, file=file, place=place, expected=expected, got=got, remedy=remedy)
