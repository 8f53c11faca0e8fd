"""An append-only journal: nothing that was paid for is lost, asked for twice, or drawn again."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Annotated, Literal, NamedTuple, Self

from pydantic import Field, TypeAdapter, ValidationError

from protocol.durable import make_folder, sync_folder
from protocol.locking import lock_file
from protocol.record import Record
from protocol.records import Count, CutReason, Digest, Finish, Taken
from protocol.strictjson import Several
from protocol.tokens import estimate
from runner.errors import JournalError, StorageError
from runner.models.model import Usage
from runner.storing import storing

JOURNAL = "journal.jsonl"
_REMEDY = "Use the folder with the settings it was begun with, or begin a new run in another folder."


class Header(Record):
    """What a run was begun with; a journal goes on only with the same."""

    kind: Literal["header"] = "header"
    settings: dict[str, str]


class Found(Record):
    """What was found out about the endpoint before the first step; the run keeps to it."""

    kind: Literal["found"] = "found"
    system_role: bool
    """Whether it takes a system message."""
    adaptations: Several[str]
    """How that request had to differ."""
    seconds: float
    """How long its answer took."""
    tokens_out: Count | None


class Asking(Record):
    """A request about to be sent."""

    kind: Literal["asking"] = "asking"
    key: str
    context: Digest
    attempt: Count


class Billed(Record):
    """What was counted of a request whose reply is not kept: an error, or a reply that was asked for again."""

    kind: Literal["billed"] = "billed"
    key: str
    tokens_in: Taken
    tokens_out: Taken
    tokens_cached: Taken
    estimated: bool
    """Whether a reply came without a count, and estimates stand in."""

    @classmethod
    def of(cls, key: str, usage: Usage, prompt_tokens: int, text: str | None) -> Self | None:
        """Return the line of a request; None if nothing was counted and no reply came that could be estimated.

        Args:
            key: What was asked for.
            usage: What the endpoint counted.
            prompt_tokens: The estimate of the prompt.
            text: The reply that is given up; None for an error.
        """
        if text is None and usage.tokens_in is None and usage.tokens_out is None:
            return None
        tokens_in = prompt_tokens if usage.tokens_in is None else usage.tokens_in
        return cls(
            key=key,
            tokens_in=tokens_in,
            tokens_out=estimate(text or "") if usage.tokens_out is None else usage.tokens_out,
            tokens_cached=min(usage.tokens_cached or 0, tokens_in),
            estimated=usage.tokens_in is None or (usage.tokens_out is None and bool(text)),
        )


class Outcome(Record):
    """What came of a step's requests: a reply, or the fault that ended the episode."""

    kind: Literal["outcome"] = "outcome"
    key: str
    context: Digest
    dropped_episodes: Count
    dropped_steps: Count
    window: Count
    cut: CutReason
    prompt_tokens: Count
    """The estimate of the prompt that was sent last."""
    reply: str | None
    finish: Finish | None
    fault: str | None
    seconds: float
    tokens_in: Count | None
    tokens_out: Count | None
    tokens_cached: Count | None
    model: str | None
    request_id: str | None
    fingerprint: str | None
    adaptations: Several[str]
    """How requests had to differ from the preset's for this endpoint to take them."""
    silent: bool = False
    """Whether the prompt got an empty reply before it was cut once more, as one that may not have fitted."""


_Line = Header | Found | Asking | Billed | Outcome
_LINES: TypeAdapter[_Line] = TypeAdapter(Annotated[_Line, Field(discriminator="kind")])


class Recorded(NamedTuple):
    """What a journal holds."""

    settings: Mapping[str, str]
    outcomes: Mapping[str, Outcome]
    """By key, in the order in which they came."""
    system_role: bool | None
    """Whether the endpoint was found to take a system message; None if nothing was found yet."""


@dataclass(slots=True)
class _Known:
    """What the lines of a journal say."""

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    requests: dict[str, int] = field(default_factory=dict)
    billed: list[Billed] = field(default_factory=list)
    found: Found | None = None

    def take(self, line: _Line) -> None:
        """Take in a line."""
        if isinstance(line, Asking):
            self.requests[line.key] = line.attempt
        elif isinstance(line, Outcome):
            self.outcomes[line.key] = line
        elif isinstance(line, Billed):
            self.billed.append(line)
        elif isinstance(line, Found):
            self.found = line


class Journal:
    """The journal of one run folder, held by one process at a time."""

    def __init__(self, file: IO[bytes], path: Path, known: _Known) -> None:
        self._file = file
        self._path = path
        self._broken: StorageError | None = None
        self._known = known

    @classmethod
    def open(cls, folder: Path, settings: Mapping[str, str]) -> Self:
        """Begin a journal, or go on with the one that is there.

        A last line that was cut off (a crash, a full disk) is dropped: its request counts as sent.

        Raises:
            JournalError: If another process holds the folder, the settings differ, or a line is damaged.
            StorageError: If the disk does not take it.
        """
        path = folder / JOURNAL
        with storing(path):
            make_folder(folder)
            # Without a buffer: what a full disk refuses is not tried again behind our back.
            file = path.open("a+b", buffering=0)
        try:
            if not lock_file(file):
                raise JournalError(f"{path}: expected a free run folder, but another process is playing in it")
            with storing(path):
                known = _load(file, path, Header(settings=dict(settings)))
                sync_folder(folder)
                return cls(file, path, known)
        except BaseException:
            file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the journal and free the folder."""
        self._file.close()

    def outcome(self, key: str) -> Outcome | None:
        """Return what is known of a step or summary call."""
        return self._known.outcomes.get(key)

    def requests(self, key: str) -> int:
        """Return how many requests were sent for a step or summary call, in all sittings."""
        return self._known.requests.get(key, 0)

    @property
    def all_billed(self) -> tuple[Billed, ...]:
        """Return what was counted of requests whose replies are not kept, in all sittings."""
        return tuple(self._known.billed)

    def billed(self, key: str) -> tuple[Billed, ...]:
        """Return the same of one step or summary call."""
        return tuple(each for each in self._known.billed if each.key == key)

    @property
    def found(self) -> Found | None:
        """Return what was found out about the endpoint; None if that is still open."""
        return self._known.found

    def find(self, found: Found) -> None:
        """Note what was found out about the endpoint."""
        self._append(found)
        self._known.found = found

    @property
    def all_requests(self) -> int:
        """Return how many requests were sent in all sittings."""
        return sum(self._known.requests.values())

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """Return all outcomes that are known."""
        return tuple(self._known.outcomes.values())

    @property
    def adaptations(self) -> tuple[str, ...]:
        """Return every way in which requests had to differ, in all sittings."""
        found = () if self._known.found is None else self._known.found.adaptations
        return tuple(sorted({*found, *(each for known in self._known.outcomes.values() for each in known.adaptations)}))

    def asking(self, key: str, context: str) -> None:
        """Note a request before it is sent.

        Raises:
            StorageError: If the disk does not take it; the request must not be sent.
        """
        attempt = self.requests(key) + 1
        self._append(Asking(key=key, context=context, attempt=attempt))
        self._known.requests[key] = attempt

    def count(self, billed: Billed) -> None:
        """Note what was counted of a request whose reply is not kept.

        Raises:
            StorageError: If the disk does not take it.
        """
        self._append(billed)
        self._known.billed.append(billed)

    def keep(self, outcome: Outcome) -> None:
        """Note what came of a step's requests.

        Raises:
            StorageError: If the disk does not take it.
        """
        self._append(outcome)
        self._known.outcomes[outcome.key] = outcome

    def _append(self, line: _Line) -> None:
        """Write a line; after one that was refused there is no other, for it would follow half a line."""
        if self._broken is not None:
            raise self._broken
        try:
            with storing(self._path):
                _write(self._file, line)
        except StorageError as error:
            self._broken = error
            raise


def read_journal(path: Path) -> Recorded:
    """Return what a journal holds so far, without its lock: another process may be writing.

    A last line that is not ended is under way, or was cut off, and is left out.

    Raises:
        JournalError: If a line is damaged, or the first one holds no settings.
        OSError: If it cannot be read.
    """
    settings: Mapping[str, str] | None = None
    known = _Known()
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            if not raw.endswith(b"\n"):
                break
            line = _parse(raw, path, number)
            if number == 1 and isinstance(line, Header):
                settings = line.settings
            known.take(line)
    if settings is None:
        raise JournalError(f"{path}, line 1: expected the settings of a run, got none. Has this run begun?")
    return Recorded(settings, known.outcomes, None if known.found is None else known.found.system_role)


def _write(file: IO[bytes], line: Record) -> None:
    data = json.dumps(line.model_dump(mode="json"), separators=(",", ":"), allow_nan=False).encode() + b"\n"
    written = 0
    while written < len(data):
        written += file.write(data[written:])
    os.fsync(file.fileno())


def _load(file: IO[bytes], path: Path, header: Header) -> _Known:
    file.seek(0)
    data = file.read()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        file.truncate(len(whole))
    known = _Known()
    lines = whole.split(b"\n")[:-1]
    if not lines:
        _write(file, header)
        return known
    for number, raw in enumerate(lines, 1):
        line = _parse(raw, path, number)
        if number == 1:
            _compare(path, line, header)
        known.take(line)
    return known


def _parse(raw: bytes, path: Path, number: int) -> _Line:
    try:
        return _LINES.validate_json(raw)
    except ValidationError as error:
        raise JournalError(f"{path}, line {number}: expected a journal line, got a damaged one. {_REMEDY}") from error


def _compare(path: Path, found: Record, header: Header) -> None:
    if not isinstance(found, Header):
        raise JournalError(f"{path}, line 1: expected the settings of the run, got another line. {_REMEDY}")
    for name in sorted(found.settings.keys() | header.settings.keys()):
        was, now = found.settings.get(name), header.settings.get(name)
        if was != now:
            raise JournalError(f"{path}: this run was begun with {name} = {was}, now it is {now}. {_REMEDY}")
