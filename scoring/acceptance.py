"""The acceptance log: append-only, each line holding the digest of the one before; its order is time."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from protocol.bundle import read_file
from protocol.durable import make_folder, replace_file
from protocol.errors import BundleError
from protocol.exact import MAX_EXACT
from protocol.locking import alone
from protocol.record import Record
from protocol.records import Content, Count, Digest, Name
from protocol.strictjson import Several, read_record, write_record

LOG = "log.jsonl"
START = "0" * 64
"""What stands for the line before the first."""
MAX_LOG = 256 << 20
MAX_FAULTS = 100
_REMEDY = "Restore the log from its history; lines are only ever appended."

Action = Literal["accepted", "held", "released", "withdrawn", "disqualified"]
State = Literal["standing", "held", "withdrawn", "disqualified"]
TOMBSTONES: tuple[State, ...] = ("withdrawn", "disqualified")
"""States that an entry never leaves: its lines stay, its results are in no table."""
Reason = Annotated[str, Field(min_length=1, max_length=500)]
_BEGINS: tuple[Action, ...] = ("accepted", "held")
_LEADS_TO: dict[Action, State] = {
    "accepted": "standing",
    "held": "held",
    "released": "standing",
    "withdrawn": "withdrawn",
    "disqualified": "disqualified",
}
_FROM: dict[Action, tuple[State, ...]] = {
    "released": ("held",),
    "withdrawn": ("standing", "held"),
    "disqualified": ("standing", "held"),
}


class RegistryMark(Record):
    """Which signed registry stood when a line was written."""

    version: Annotated[int, Field(ge=1, le=MAX_EXACT)]
    digest: Digest
    root: Digest
    """The id of the root key that signed it."""


class Subject(Record):
    """The entry that a line is about, the same in each of its lines."""

    entry: Name
    team: Name
    keyid: Digest
    bundle_digest: Digest
    """SHA-256 of the envelope file."""
    episodes: Several[Content]
    """The digest of what was said in each game's episodes; equal for the same play."""


class LogLine(Record):
    """One thing that happened to an entry."""

    position: Count
    previous: Digest
    """SHA-256 of the line before, without its newline."""
    action: Action
    subject: Subject
    reason: Reason | None
    """Why, for every action but ``accepted``."""
    registry: RegistryMark | None
    """The signed registry; null on a board whose registry is not signed."""
    claimed_time: Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$")] | None
    """When the writer's clock says it was; it decides nothing."""
    check: Digest
    """SHA-256 of this line with ``check`` set to zeros, so that the last line shows a change as well."""


class Happening(NamedTuple):
    """What is to be appended."""

    action: Action
    subject: Subject
    reason: str | None = None
    registry: RegistryMark | None = None
    claimed_time: str | None = None


class Standing(NamedTuple):
    """An entry as the whole log leaves it."""

    subject: Subject
    state: State
    reason: str | None
    accepted_at: int
    """The position of its first line: what its key must have counted at."""
    changed_at: int
    """The position of its last line."""


class LogFault(NamedTuple):
    """What is wrong with a line, counted from 1."""

    line: int
    expected: str
    got: str


def digest_of(line: LogLine) -> str:
    """Return what the next line holds of this one; of the last line, the head of the log."""
    return hashlib.sha256(write_record(line)).hexdigest()


def head_of(lines: Sequence[LogLine]) -> str:
    """Return the digest that stands for a whole log."""
    return digest_of(lines[-1]) if lines else START


def read_log(path: Path) -> tuple[LogLine, ...]:
    """Return the lines of a log that holds; a log that is not there is empty.

    Raises:
        BundleError: At the first line that is damaged, out of place or does not follow from the ones before.
    """
    return _sound(*inspect_log(path))


def parse_log(data: bytes) -> tuple[LogLine, ...]:
    """Return the lines of a log that holds, from its bytes.

    Raises:
        BundleError: At the first line that is damaged, out of place or does not follow from the ones before.
    """
    return _sound(*inspect_lines(data))


def _sound(lines: tuple[LogLine, ...], faults: Sequence[LogFault]) -> tuple[LogLine, ...]:
    if faults:
        fault = faults[0]
        raise BundleError(LOG, fault.expected, fault.got, _REMEDY, place=f"line {fault.line}")
    return lines


def inspect_log(path: Path) -> tuple[tuple[LogLine, ...], tuple[LogFault, ...]]:
    """Return the lines that can be read, and the faults of the chain, as ``inspect_lines`` does."""
    if not os.path.lexists(path):
        return (), ()
    try:
        data = read_file(path.parent, path.name, MAX_LOG)
    except BundleError as error:
        return (), (LogFault(1, error.expected, error.got),)
    return inspect_lines(data)


def inspect_lines(data: bytes) -> tuple[tuple[LogLine, ...], tuple[LogFault, ...]]:
    """Return the lines of a log that can be read, and the faults of the chain; what is behind a hundred is not read."""
    lines: list[LogLine] = []
    faults: list[LogFault] = []
    previous = START
    for number, raw in enumerate(_raw_lines(data, faults), 1):
        if len(faults) >= MAX_FAULTS:
            break
        try:
            line = read_record(LogLine, raw, LOG)
        except BundleError as error:
            faults.append(LogFault(number, error.expected, error.got))
        else:
            faults += _line_faults(line, raw, number, previous)
            lines.append(line)
        previous = hashlib.sha256(raw).hexdigest()
    if not faults:
        faults += [LogFault(line.position + 1, *words) for line, words in _history_faults(lines)]
    return tuple(lines), tuple(sorted(faults))


def _raw_lines(data: bytes, faults: list[LogFault]) -> Iterator[bytes]:
    """Yield the lines one after the other: a log of empty ones would be millions of them."""
    at = number = 0
    while (end := data.find(b"\n", at)) >= 0:
        yield data[at:end]
        at, number = end + 1, number + 1
    if at < len(data):
        faults.append(LogFault(number + 1, "a newline at the end", "a line that was cut"))


def standings(lines: Sequence[LogLine]) -> dict[str, Standing]:
    """Return how a log that holds leaves each entry, in the order of their first lines."""
    found: dict[str, Standing] = {}
    for line in lines:
        first = found.get(line.subject.entry)
        since = line.position if first is None else first.accepted_at
        state = _LEADS_TO[line.action]
        found[line.subject.entry] = Standing(line.subject, state, line.reason, since, line.position)
    return found


def append_log(path: Path, happening: Happening) -> LogLine:
    """Append to a log that holds; the log is there with the line or without it, and never with half of it.

    Raises:
        BundleError: If the log is damaged, or the line would not follow from it; nothing is written then.
        ValueError: If another process appends to it.
    """
    make_folder(path.parent)
    with alone(path.parent):
        lines = read_log(path)
        line = next_line(lines, happening)
        fault = next(_history_faults((*lines, line)), None)
        if fault is not None:
            place = f"line {len(lines) + 1}"
            raise BundleError(LOG, *fault[1], "Look at the entry's lines: s3gym log show.", place=place)
        before = path.read_bytes() if lines else b""
        replace_file(path, before + write_record(line) + b"\n")
        return line


def next_line(lines: Sequence[LogLine], happening: Happening) -> LogLine:
    """Return the line that would follow."""
    blank = LogLine(position=len(lines), previous=head_of(lines), check=START, **happening._asdict())
    return blank.model_copy(update={"check": digest_of(blank)})


def _line_faults(line: LogLine, raw: bytes, number: int, previous: str) -> Iterator[LogFault]:
    if write_record(line) != raw:
        yield LogFault(number, "the one way of writing this line", "another one")
    if digest_of(line.model_copy(update={"check": START})) != line.check:
        yield LogFault(number, "the digest of this line in its field check", line.check)
    if line.position != number - 1 or line.previous != previous:
        expected = f"position {number - 1} after {previous[:12]}..."
        yield LogFault(number, expected, f"position {line.position} after {line.previous[:12]}...")


def _history_faults(lines: Sequence[LogLine]) -> Iterator[tuple[LogLine, tuple[str, str]]]:
    """Yield what does not follow from the lines before: an entry's states, and the version of the registry."""
    states: dict[str, tuple[Subject, State]] = {}
    mark: RegistryMark | None = None
    for line in lines:
        subject, state = states.get(line.subject.entry, (line.subject, None))
        if (line.action in _BEGINS) != (state is None) or (state and state not in _FROM.get(line.action, ())):
            yield line, (f"what can follow for entry {subject.entry}, {state or 'new'}", line.action)
        elif line.subject != subject:
            yield line, (f"entry {subject.entry} with the team, key and digests of its first line", "others")
        elif (line.reason is None) != (line.action == "accepted"):
            yield line, ("a reason for every action but accepted", str(line.reason)[:80])
        elif not follows(line.registry, mark):
            yield line, (f"{_words(mark)} or later", _words(line.registry))
        states[subject.entry] = (subject, _LEADS_TO[line.action])
        mark = line.registry


def follows(mark: RegistryMark | None, before: RegistryMark | None) -> bool:
    """Return whether a registry may follow another: never an older one, never a second one of the same version."""
    if before is None or mark is None:
        return before is None
    return mark.version > before.version or mark == before


def _words(mark: RegistryMark | None) -> str:
    return "an unsigned registry" if mark is None else f"registry version {mark.version} ({mark.digest[:12]}...)"
