"""Sends the doctor's few requests and counts what they take."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import NamedTuple, TypeVar

from games.base import State
from protocol.messages import Message, tokens_of
from protocol.tokens import estimate
from runner.models.model import Answer, FaultKind, Model, SeesState, TransportFaultError, Usage
from runner.models.reasoning import reasons_apart
from runner.retry import completed

Result = TypeVar("Result")
WAITS = (2.0, 6.0, 18.0)
"""Seconds before an endpoint that is busy or down is asked again; never sooner than it asks for."""
LONGEST_WAIT = 60.0
"""An endpoint that asks for more is not waited for."""

_STATUS = re.compile(r": HTTP (\d{3}): ")


def unheard(_what: str, _seconds: float) -> None:
    """Tell nobody."""


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
    passing: bool = False
    """Whether the endpoint is busy or down, so that nothing follows about what was asked."""
    advice: str = ""
    """What to do about it, where the answer itself tells."""

    @property
    def status(self) -> int | None:
        """Return the HTTP status, where there was one."""
        found = _STATUS.search(self.message)
        return int(found[1]) if found else None

    @property
    def may_be_form(self) -> bool:
        """Return whether the form of the messages may be why: some chat templates refuse one with a bare 500."""
        if self.passing:
            return False
        return self.kind is FaultKind.SERVER or (self.kind is FaultKind.REFUSED and self.status in (400, 422))


class Spent(NamedTuple):
    """What all requests took together."""

    requests: int
    tokens_in: int
    tokens_out: int
    tokens_cached: int


class Questioner:
    """Asks a model, one request an ask, and again only while the endpoint is busy or down (429, 503 and their kind).

    Args:
        model: Who is asked.
        bodies: Where the model lays the body of each answer; empty for one that has none.
        pace: The most requests a minute; None for no bound.
        waiting: Called once a second with what is waited for and since how many seconds; with nothing at the end.
    """

    def __init__(
        self, model: Model, bodies: list[str], pace: float | None, waiting: Callable[[str, float], None] = unheard
    ) -> None:
        self.model = model
        self._bodies = bodies
        self._gap = 60 / pace if pace else 0.0
        self._next = 0.0
        self.heard: list[Heard] = []
        self._waiting = waiting
        self._requests = 0
        self._estimated_in = 0
        self._unkept: list[Usage] = []

    @property
    def spent(self) -> Spent:
        """Return what was taken so far."""
        usages = [*(heard.answer.usage for heard in self.heard), *self._unkept]
        return Spent(
            self._requests,
            self._estimated_in + sum(usage.tokens_in or 0 for usage in usages),
            sum(heard.tokens_out for heard in self.heard) + sum(usage.tokens_out or 0 for usage in self._unkept),
            sum(usage.tokens_cached or 0 for usage in usages),
        )

    async def ask(self, messages: Sequence[Message], max_tokens: int, state: State, *, what: str = "") -> Heard | Fault:
        """Return what came of one prompt.

        Args:
            messages: The prompt.
            max_tokens: The most new tokens.
            state: The true state, for a model that declares that it sees it.
            what: What is waited for, where it may take long.
        """
        waits = iter(WAITS)
        while True:
            await self._my_turn()
            start = time.monotonic()
            got = await self._request(messages, max_tokens, state, what)
            if isinstance(got, Answer):
                body = self._bodies.pop() if self._bodies else ""
                heard = Heard(got, time.monotonic() - start, reasons_apart(body))
                if got.usage.tokens_in is None:
                    self._estimated_in += tokens_of(messages)
                self.heard.append(heard)
                return heard
            self._bodies.clear()
            self._unkept.append(got.usage)
            passing = got.kind is FaultKind.RATE_LIMIT or got.blames_itself
            pause, asked_for = next(waits, None), got.retry_after or 0.0
            if pause is None or not passing or asked_for > LONGEST_WAIT:
                return Fault(got.kind, got.message, passing, got.advice)
            await self._shown(asyncio.sleep(max(pause, asked_for)), f"the endpoint is busy ({got.kind.words})")

    async def _request(
        self, messages: Sequence[Message], max_tokens: int, state: State, what: str
    ) -> Answer | TransportFaultError:
        self._requests += 1
        model = self.model.seeing(state) if isinstance(self.model, SeesState) else self.model
        return await self._shown(completed(model, messages, max_tokens), what)

    async def _shown(self, work: Coroutine[object, object, Result], what: str) -> Result:
        """Wait for work, and tell of it as long as it lasts."""
        if not what:
            return await work
        start, task = time.monotonic(), asyncio.ensure_future(work)
        try:
            while not task.done():
                self._waiting(what, time.monotonic() - start)
                await asyncio.wait([task], timeout=1.0)
            return task.result()
        finally:
            task.cancel()
            self._waiting("", 0.0)

    async def _my_turn(self) -> None:
        now = time.monotonic()
        turn = max(now, self._next)
        self._next = turn + self._gap
        if turn > now:
            await asyncio.sleep(turn - now)
