"""Sends the doctor's few requests and counts what they take."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from typing import NamedTuple

from games.base import State
from protocol.messages import Message, tokens_of
from protocol.tokens import estimate
from runner.models.model import Answer, FaultKind, Model, SeesState, TransportFaultError
from runner.models.reasoning import reasons_apart

_STATUS = re.compile(r": HTTP (\d{3}): ")


class Heard(NamedTuple):
    """A completed reply."""

    answer: Answer
    seconds: float
    apart: bool
    """Whether reasoning came apart from it."""

    @property
    def tokens_out(self) -> int:
        """Return the tokens of the reply, reasoning included, as reported or else as estimated."""
        reported = self.answer.usage.tokens_out
        return estimate(self.answer.text) if reported is None else reported


class Fault(NamedTuple):
    """Why there was no completed reply."""

    kind: FaultKind
    message: str

    @property
    def status(self) -> int | None:
        """Return the HTTP status, where there was one."""
        found = _STATUS.search(self.message)
        return int(found[1]) if found else None

    @property
    def may_be_form(self) -> bool:
        """Return whether the form of the messages may be why: some chat templates refuse one with a bare 500."""
        return self.kind is FaultKind.SERVER or (self.kind is FaultKind.REFUSED and self.status in (400, 422))


class Spent(NamedTuple):
    """What all requests took together."""

    requests: int
    tokens_in: int
    tokens_out: int
    tokens_cached: int


class Questioner:
    """Asks a model, one request an ask, and never again.

    Args:
        model: Who is asked.
        bodies: Where the model lays the body of each answer; empty for one that has none.
        pace: The most requests a minute; None for no bound.
    """

    def __init__(self, model: Model, bodies: list[str], pace: float | None) -> None:
        self.model = model
        self._bodies = bodies
        self._gap = 60 / pace if pace else 0.0
        self._next = 0.0
        self.heard: list[Heard] = []
        self._requests = 0
        self._estimated_in = 0

    @property
    def spent(self) -> Spent:
        """Return what was taken so far."""
        usages = [heard.answer.usage for heard in self.heard]
        return Spent(
            self._requests,
            self._estimated_in + sum(usage.tokens_in or 0 for usage in usages),
            sum(heard.tokens_out for heard in self.heard),
            sum(usage.tokens_cached or 0 for usage in usages),
        )

    async def ask(self, messages: Sequence[Message], max_tokens: int, state: State) -> Heard | Fault:
        """Return what came of one request.

        Args:
            messages: The prompt.
            max_tokens: The most new tokens.
            state: The true state, for a model that declares that it sees it.
        """
        await self._my_turn()
        self._requests += 1
        start = time.monotonic()
        try:
            model = self.model.seeing(state) if isinstance(self.model, SeesState) else self.model
            answer = await model.ask(messages, max_tokens)
        except TransportFaultError as fault:
            self._bodies.clear()
            return Fault(fault.kind, fault.message)
        body = self._bodies.pop() if self._bodies else ""
        heard = Heard(answer, time.monotonic() - start, reasons_apart(body))
        if answer.usage.tokens_in is None:
            self._estimated_in += tokens_of(messages)
        self.heard.append(heard)
        return heard

    async def _my_turn(self) -> None:
        now = time.monotonic()
        turn = max(now, self._next)
        self._next = turn + self._gap
        if turn > now:
            await asyncio.sleep(turn - now)
