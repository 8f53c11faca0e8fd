"""The acceptance log: append-only, each line holding the digest of the one before; its order is time."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Literal

from protocol.errors import BundleError
from protocol.records import Count, Digest, Name, Record
from protocol.strictjson import read_record, write_record

LOG = "log.jsonl"
START = "0" * 64
"""What stands for the line before the first."""
_REMEDY = "Restore the log from its history; lines are only ever appended."


class LogLine(Record):
    """One accepted bundle."""

    position: Count
    previous: Digest
    """SHA-256 of the line before, without its newline."""
    action: Literal["accepted"]
    entry: Name
    team: Name
    keyid: Digest
    bundle_digest: Digest


def read_log(path: Path) -> tuple[LogLine, ...]:
    """Return the lines of a log whose chain holds; a log that is not there is empty.

    Raises:
        BundleError: If a line is damaged, out of place or does not follow from the one before.
    """
    if not path.exists():
        return ()
    data = path.read_bytes()
    if data and not data.endswith(b"\n"):
        raise BundleError(LOG, "a newline at the end", "a line that was cut", _REMEDY)
    lines: list[LogLine] = []
    previous = START
    for number, raw in enumerate(data.split(b"\n")[:-1]):
        line = read_record(LogLine, raw, LOG, f"line {number + 1}")
        if line.position != number or line.previous != previous:
            expected = f"position {number} after {previous[:12]}..."
            got = f"position {line.position} after {line.previous[:12]}..."
            raise BundleError(LOG, expected, got, _REMEDY, place=f"line {number + 1}")
        previous = hashlib.sha256(raw).hexdigest()
        lines.append(line)
    return tuple(lines)


def append_log(path: Path, *, entry: str, team: str, keyid: str, bundle_digest: str) -> LogLine:
    """Append an accepted bundle to a log whose chain holds.

    Raises:
        BundleError: If the log is damaged; nothing is written then.
    """
    lines = read_log(path)
    previous = hashlib.sha256(write_record(lines[-1])).hexdigest() if lines else START
    line = LogLine(
        position=len(lines),
        previous=previous,
        action="accepted",
        entry=entry,
        team=team,
        keyid=keyid,
        bundle_digest=bundle_digest,
    )
    with path.open("ab") as file:
        file.write(write_record(line) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    return line
