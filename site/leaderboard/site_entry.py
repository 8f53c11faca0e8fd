"""What the site is told of an entry beside its results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from leaderboard.book import Book
from protocol.preset import Preset
from protocol.signing import TeamKey
from scoring.confirmation import Confirmation
from scoring.report import CheckReport, Report

SIGNATURE_STEP = 1
REPLAY_STEP = 6
"""Numbers of the verification steps that the marks "signed" and "replayed" stand for."""


@dataclass(frozen=True, slots=True)
class SiteEntry:
    """One accepted entry, as it is put on the site."""

    entry: str
    report: Report
    command: str
    """The exact command that scores it again, with the bundle where the download puts it."""
    bundle: Path | None = None
    """The folder of the bundle; None if it is not offered for download."""
    key: TeamKey | None = None
    """The public key that counted when it was accepted; None if it is not offered for download."""
    registry: str | None = None
    """What kind of registry the key stands in, in few words; None where the board is not shown."""
    protocol: Preset | None = None
    """The protocol, where it is not released: whoever scores the entry again needs its file."""
    confirmations: tuple[Confirmation, ...] = ()
    """What the organisers' re-runs gave."""


def key_file(key: TeamKey) -> str:
    """Return the name of a key's download: a team may have had several."""
    return f"{key.team}-{key.keyid[:12]}.json"


def protocol_file(preset: Preset) -> str:
    """Return the name of a protocol's download."""
    return f"{preset.id}.toml"


def by_name(entries: Sequence[SiteEntry], book: Book) -> dict[str, SiteEntry]:
    """Return the entries by name.

    Raises:
        ValueError: If they are not exactly those of the results, or a report is not of an accepted bundle.
    """
    found = {entry.entry: entry for entry in entries}
    if len(found) != len(entries):
        raise ValueError("site: expected every entry once, got one twice")
    scored = {entry.entry for entry in book.entries}
    if found.keys() != scored:
        odd = sorted(found.keys() ^ scored)
        raise ValueError(f"site: expected a report for every scored entry and no other; these differ: {', '.join(odd)}")
    for entry in book.entries:
        report = found[entry.entry].report
        told = (report.entry, report.team, report.bundle_digest, report.scorer)
        wanted = (entry.entry, entry.team, entry.bundle_digest, book.scorer)
        if told != wanted:
            raise ValueError(f"site, {entry.entry}: expected the report of {wanted}, got that of {told}")
        _check_accepted(entry.entry, report)
    return found


def _check_accepted(entry: str, report: Report) -> None:
    """No mark without the step behind it: a step that did not pass, or was not run, is a refusal."""
    if report.verdict != "accepted":
        raise ValueError(f"site, {entry}: expected an accepted bundle, got {report.verdict!r}; it has no page")
    failed = [check.number for check in report.checks if check.status != "passed"]
    if failed:
        raise ValueError(f"site, {entry}: expected every step passed, got {failed} not passed in an accepted report")
    if missing := {SIGNATURE_STEP, REPLAY_STEP} - set(map(_number, report.checks)):
        raise ValueError(f"site, {entry}: expected steps {SIGNATURE_STEP} and {REPLAY_STEP}, got no {sorted(missing)}")


def _number(check: CheckReport) -> int:
    return check.number
