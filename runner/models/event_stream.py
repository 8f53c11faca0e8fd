"""Reads server-sent events within bounds, and tells whether a stream came to its end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from runner.models.chat_reply import NoCompletionError

MAX_STREAM = 32 << 20
"""Bytes of a whole stream: each token of a reply comes in some hundreds of them."""
MAX_KEPT = 8 << 20
"""Bytes of one event, and of all that is kept of a stream; as much as of a reply that comes whole."""
DONE = "[DONE]"


class Event(NamedTuple):
    """One event."""

    kind: str
    """Its type; empty where none is told."""
    data: str


class Joiner(Protocol):
    """Puts a stream's events together."""

    def take(self, event: Event) -> bool:
        """Take the next event, and return whether it was the last one.

        Raises:
            NoCompletionError: If it is none of a reply, or too much was to be kept.
        """

    def body(self) -> str:
        """Return what came, as the body of a reply that was not streamed.

        Raises:
            NoCompletionError: If the stream ended before the reply did.
        """


class Events:
    """Splits the bytes of a stream into its events (HTML standard, "Server-sent events").

    Comments, by which servers keep a connection alive, are no data. What is left of an event when the stream ends is
    given as one: it is whole only if its data can be read.
    """

    def __init__(self) -> None:
        self._rest = bytearray()
        self._taken = 0
        self._kind = ""
        self._data: list[str] = []
        self._held = 0
        self._begun = self._returned = False

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """Yield the events that are complete with these bytes.

        Raises:
            NoCompletionError: If the stream, or one event, is too long.
        """
        self._taken += len(chunk)
        if self._taken > MAX_STREAM:
            raise NoCompletionError(f"a stream of more than {MAX_STREAM} bytes")
        if self._returned:
            chunk = chunk.removeprefix(b"\n")
        self._returned = chunk.endswith(b"\r") or (self._returned and not chunk)
        first, *more = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._rest += first
        if len(self._rest) + self._held > MAX_KEPT:
            raise NoCompletionError(f"an event of more than {MAX_KEPT} bytes")
        if not more:
            return
        lines = [bytes(self._rest), *more[:-1]]
        self._rest = bytearray(more[-1])
        for line in lines:
            yield from self._line(line)

    def end(self) -> Iterator[Event]:
        """Yield what the end of the stream leaves."""
        yield from self._line(bytes(self._rest))
        yield from self._line(b"")

    def _line(self, raw: bytes) -> Iterator[Event]:
        line = raw.decode("utf-8" if self._begun else "utf-8-sig", errors="replace")
        self._begun = True
        if not line:
            if self._data:
                yield Event(self._kind, "\n".join(self._data))
            self._kind, self._data, self._held = "", [], 0
            return
        name, _, value = line.partition(":")
        if name == "data":
            self._data.append(value.removeprefix(" "))
            self._held += len(line)
        elif name == "event":
            self._kind = value.removeprefix(" ")


def read_event(event: Event) -> dict[str, object]:
    """Return the JSON object of an event.

    Raises:
        NoCompletionError: If it holds none.
    """
    try:
        value: object = json.loads(event.data)
    except (ValueError, RecursionError) as error:
        raise NoCompletionError("an event that is no JSON, or was cut off") from error
    if not isinstance(value, dict):
        raise NoCompletionError("an event that is no JSON object")
    return value
