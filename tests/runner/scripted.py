"""Models that fail on a schedule, and a runner around them."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from protocol.bundle import list_files
from protocol.messages import Message
from protocol.records import CostRecord, Endpoint
from runner.models.builtin import Builtin
from runner.models.model import Answer, FaultKind, TransportFaultError, Usage

Event = Answer | BaseException | FaultKind
"""What comes in place of the model's own answer."""


class Scripted:
    """A built-in model whose n-th request (from 0) meets the event of that number; a silent one reports no usage."""

    def __init__(
        self, events: Mapping[int, Event] | Callable[[int, Sequence[Message]], Event | None], *, silent: bool = False
    ) -> None:
        self._model = Builtin("greedy")
        self._events = events
        self._silent = silent
        self.requests: list[list[Message]] = []
        self.closed = False

    @property
    def endpoint(self) -> Endpoint:
        """Return what the manifest says."""
        return self._model.endpoint

    @property
    def adaptations(self) -> tuple[str, ...]:
        """Return nothing: requests are sent as asked for."""
        return ()

    async def ask(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        """Answer, or meet the event."""
        number = len(self.requests)
        self.requests.append(list(messages))
        events = self._events
        event = events(number, messages) if callable(events) else events.get(number)
        if isinstance(event, FaultKind):
            raise TransportFaultError(event, f"scripted {event}")
        if isinstance(event, BaseException):
            raise event
        answer = event or self._model.answer(messages, max_tokens)
        return answer._replace(usage=Usage()) if self._silent else answer

    async def close(self) -> None:
        """Note that it was closed."""
        self.closed = True


def costs_of(bundle: Path) -> list[CostRecord]:
    """Return every cost record of a bundle."""
    files = sorted((bundle / "costs").iterdir())
    lines = [line for file in files for line in gzip.decompress(file.read_bytes()).splitlines()]
    return [CostRecord.model_validate_json(line) for line in lines]


def uncompressed(bundle: Path) -> dict[str, bytes]:
    """Return the content of the episode and memory files: what equal runs share."""
    return {
        name: gzip.decompress((bundle / name).read_bytes())
        for name in list_files(bundle)
        if name.startswith(("episodes/", "memory/"))
    }
