"""From a bundle to a line of the log: what a team checks before and what the organisers check are one function."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from protocol.bundle import ENVELOPE, MAX_ENVELOPE, MAX_FILE, Statement, list_files, read_file, sha256
from protocol.comparable import shown_the_state
from protocol.durable import sync_tree, write_folder
from protocol.errors import BundleError
from protocol.preset import preset_named
from protocol.signing import read_envelope
from protocol.strictjson import read_record
from scoring.acceptance import LOG, Action, Happening, LogLine, Subject, append_log, next_line
from scoring.board import ENTRIES, Board, open_board
from scoring.registry import KEYS
from scoring.twins import read_episodes, twins
from scoring.verified import VerifiedBundle
from scoring.verify import PresetOf, verify

__all__ = ["ENTRIES", "KEYS", "Examined", "change_entry", "examine", "submit", "submitted"]

_AGAIN = "Submit it again when nobody writes to it."


class Examined(NamedTuple):
    """A bundle that a board would take now, and the line that its log would get."""

    verified: VerifiedBundle
    line: LogLine

    @property
    def held(self) -> str | None:
        """Return why the organisers have to look at it first; None if it is simply accepted."""
        return self.line.reason if self.line.action == "held" else None


def examine(
    bundle: Path, submissions: Path, preset_of: PresetOf = preset_named, *, claimed_time: str | None = None
) -> Examined:
    """Verify a bundle for the next position of a board's log, and write nothing.

    Args:
        bundle: The bundle.
        submissions: The board.
        preset_of: Where protocols are looked up.
        claimed_time: What the clock says; it is recorded and decides nothing.

    Raises:
        RefusedError: If verification refuses it.
        BundleError: If the board's log or registry does not hold.
        ValueError: If the entry is there already, or may not be submitted.
    """
    board = open_board(submissions)
    verified = verify(bundle, board.keyring.at(len(board.lines)), preset_of, whole_replies=False)
    manifest = verified.manifest
    if shown_the_state(manifest.endpoint):
        raise ValueError(f"entry {manifest.entry}: a player that was shown the true state is never submitted")
    known = board.standings
    target = board.bundle(manifest.entry)
    if manifest.entry in known:
        found = f"one at {target}" if target.exists() else f"one that is {known[manifest.entry].state}"
        raise ValueError(f"entry {manifest.entry}: expected a new entry, found {found}; choose another entry id")
    # A submit that stopped before its line left the very bundle there; the line is what makes it an entry.
    if target.exists() and not _holds(target, bundle_files(bundle, verified.digest)):
        raise ValueError(
            f"entry {manifest.entry}: expected no bundle yet, or this one, found another at {target}, which the log "
            "does not know; submit that one where it lies (s3gym submit), or move it away"
        )
    episodes = read_episodes(bundle_files(bundle, verified.digest))
    reason = twins(manifest, episodes, known)
    subject = Subject(
        entry=manifest.entry,
        team=manifest.team,
        keyid=verified.keyid,
        bundle_digest=verified.digest,
        episodes=episodes,
    )
    action: Action = "accepted" if reason is None else "held"
    happening = Happening(action, subject, reason, board.keyring.mark, claimed_time)
    return Examined(verified, next_line(board.lines, happening))


def submit(
    bundle: Path, submissions: Path, preset_of: PresetOf = preset_named, *, claimed_time: str | None = None
) -> tuple[VerifiedBundle, LogLine]:
    """Examine a bundle and lay it into a submissions folder, whole or not at all.

    Raises:
        RefusedError: If verification refuses it.
        BundleError: If the board's log or registry does not hold.
        ValueError: If the entry is there already, or may not be submitted.
    """
    examined = examine(bundle, submissions, preset_of, claimed_time=claimed_time)
    return examined.verified, lay_in(bundle, submissions, examined)


def lay_in(bundle: Path, submissions: Path, examined: Examined) -> LogLine:
    """Lay an examined bundle into a submissions folder, and append its line to the log.

    The line is what makes it an entry. Between the two the bundle lies there, no reader takes it for one, and to submit
    it again goes on from there.

    Raises:
        ValueError: If it is no longer the bundle that was examined.
        BundleError: If its line no longer follows from the log.
    """
    line = examined.line
    target = submissions / ENTRIES / line.subject.entry
    digest = line.subject.bundle_digest
    if target.exists() and _holds(target, bundle_files(bundle, digest)):
        sync_tree(target)
    else:
        write_folder(target, bundle_files(bundle, digest))
    happening = Happening(line.action, line.subject, line.reason, line.registry, line.claimed_time)
    return append_log(submissions / LOG, happening)


def bundle_files(bundle: Path, digest: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a verified bundle, one after the other, the envelope first.

    The envelope says what every other file is, so each of them is known to be what was verified before it is yielded.

    Args:
        bundle: The bundle.
        digest: What its envelope had when it was verified.

    Raises:
        ValueError: If it is no longer the bundle that was verified.
    """
    try:
        envelope = _unchanged(bundle, ENVELOPE, MAX_ENVELOPE, digest)
        yield ENVELOPE, envelope
        statement = read_record(Statement, read_envelope(envelope, ENVELOPE).payload, ENVELOPE, "payload")
        subjects = {subject.name: subject.digest.sha256 for subject in statement.subject}
        if list_files(bundle).keys() != {ENVELOPE, *subjects}:
            raise BundleError(str(bundle), "the files that were signed", "others", _AGAIN)
        for name, wanted in subjects.items():
            yield name, _unchanged(bundle, name, MAX_FILE, wanted)
    except BundleError as error:
        raise ValueError(f"bundle: {bundle} changed while it was submitted; nothing was accepted: {error}") from error


def _unchanged(bundle: Path, name: str, most: int, wanted: str) -> bytes:
    content = read_file(bundle, name, most)
    if sha256(content) != wanted:
        raise BundleError(name, f"SHA-256 {wanted}, as it was verified", sha256(content), _AGAIN)
    return content


def _holds(folder: Path, files: Iterator[tuple[str, bytes]]) -> bool:
    """Tell whether a folder holds these files and nothing else."""
    try:
        lying = list_files(folder)
    except BundleError:
        return False
    return all(
        lying.pop(name, None) == len(each) and (folder / name).read_bytes() == each for name, each in files
    ) and (not lying)


def change_entry(
    submissions: Path, action: Action, entry: str, reason: str, *, claimed_time: str | None = None
) -> LogLine:
    """Release a held entry, or leave a withdrawn or disqualified one as a tombstone; its bundle stays where it is.

    Raises:
        BundleError: If the board's log or registry does not hold, or the entry is not in a state for this.
        ValueError: If the log knows no such entry.
    """
    board = open_board(submissions)
    standing = board.standings.get(entry)
    if standing is None:
        raise ValueError(f"entry: expected one of the log, got {entry!r}; see: s3gym log show")
    happening = Happening(action, standing.subject, reason, board.keyring.mark, claimed_time)
    return append_log(submissions / LOG, happening)


def submitted(submissions: Path) -> tuple[Path, ...]:
    """Return the bundles of the standing entries of a board, in order of their entry ids.

    Raises:
        BundleError: If the board does not hold, or something lies among the entries that the log does not know.
    """
    return standing_bundles(open_board(submissions))


def standing_bundles(board: Board) -> tuple[Path, ...]:
    """Return the bundles of the standing entries, in order of their entry ids.

    Raises:
        BundleError: If something lies among the entries that the log does not know.
    """
    stray = next(board.unlogged(), None)
    if stray is not None:
        remedy = "Submit it where it lies (s3gym submit), or move it away."
        raise BundleError(f"{ENTRIES}/{stray!a}", "an entry that the log knows", "another one", remedy)
    return tuple(board.bundle(each.subject.entry) for each in board.in_state("standing"))
