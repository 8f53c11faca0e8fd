"""The one retry policy: what is asked again, how long is waited, and when a run stops instead.

Neither the SDK nor its HTTP client retries anything, so the bounds here are the whole of it. One ask sends at most
`RetryPolicy.most_requests` requests (8) and waits at most `RetryPolicy.total_wait` seconds (5 minutes) between them;
after `RetryPolicy.total_time` seconds (15 minutes) of requests and waits it begins no further one.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from protocol.memory import memory_failure
from protocol.messages import Message
from protocol.records import MAX_REPLY
from protocol.spoken import spoken
from runner.models.model import Answer, FaultKind, Model, TransportFaultError, Usage
from runner.models.probe import WITHOUT_SYSTEM

_OUT_OF_CREDIT = "credit or a quota is used up, or too small for one prompt; raise it"
_NO_SYSTEM = "the endpoint takes no system message; begin the run in another folder with --no-system-role"
_REFUSED = "the endpoint refuses the request; check the key, the model's name and the base URL"
_MOST_BYTES = 12
"""Bytes of one character in a record."""
_NOBODY = "nothing answers there; check the base URL and whether the endpoint is up"


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Bounds of one ask and of a run of failing ones."""

    attempts: int = 6
    """Transport faults after which an ask has failed."""
    first_wait: float = 2.0
    """Seconds to wait after the first fault."""
    growth: float = 3.0
    """Each further wait is so many times as long."""
    longest_wait: float = 60.0
    """Seconds; no wait of our own is longer."""
    retry_after_cap: float = 120.0
    """Seconds; a longer wait that the endpoint asks for stops the run instead."""
    total_wait: float = 300.0
    """Seconds of waiting in one ask; it has failed when the next wait would go beyond."""
    total_time: float = 900.0
    """Seconds of requests and waits in one ask, after which no further one is begun."""
    repeats: int = 2
    """How often an empty or filtered reply is asked for again."""
    summary_repeats: int = 1
    """How often what is no summary is asked for again, and a summary call that ran out of time."""
    failures_in_a_row: int = 3
    """Failed asks in a row that stop the run."""
    empties_in_a_row: int = 20
    """Asks in a row that end in an empty reply and stop the run."""

    def for_timeout(self, timeout: float) -> RetryPolicy:
        """Return the policy for requests of a time limit in seconds: three of them fit into one ask."""
        return replace(self, total_time=max(self.total_time, 3 * timeout))

    @property
    def most_requests(self) -> int:
        """Return how many requests one ask sends at most."""
        return self.attempts + self.repeats

    def wait(self, fault: int, retry_after: float | None) -> float:
        """Return the seconds to wait after the given fault, counted from 1: never sooner than the endpoint asks."""
        own = min(self.first_wait * self.growth ** (fault - 1), self.longest_wait)
        return max(own, retry_after or 0.0)


class PauseRunError(Exception):
    """The run stops here and can be resumed; the step that was asked for is neither played nor scored."""


class StoppedRunError(PauseRunError):
    """The person at the keyboard stopped the run."""


class Asked(NamedTuple):
    """What came of one ask: an answer or a fault, never both."""

    answer: Answer | None
    fault: TransportFaultError | None
    requests: int
    seconds: float
    """From the first request to the end, waits included."""


def _unheard(_seconds: float, _fault: TransportFaultError) -> None:
    """Tell nobody."""


def _uncounted(_usage: Usage, _text: str | None) -> None:
    """Count nothing."""


def says_nothing(answer: Answer) -> bool:
    """Return whether a reply holds nothing but thinking and blanks."""
    return not spoken(answer.text).strip()


class Asker:
    """Asks under the retry policy; one for all asks of an entry, since it knows whether the endpoint ever answered.

    * Connection, timeout, rate limit, server and malformed faults are retried with growing waits. After the last one
      the ask has failed and the fault is returned: the episode is the caller's to fail.
    * A refused request is not sent again. An endpoint that has answered before and refuses one prompt fails that ask;
      if it answered in an earlier sitting only, a small prompt tells whether it refuses this one or all.
    * The run stops (`PauseRunError`) when credit is used up, when the endpoint refuses every request (a wrong key, an
      unknown model) or the very first one, when it asks for a longer wait than the cap, when nothing or a web page
      answers or an ask fails before any request was ever completed, and when three asks in a row have failed: an
      endpoint that is not there fails no further episodes.
    * Once it has stopped, or was told to, it sends nothing more: requests that are under way are still answered, so
      that nothing that was paid for is lost.
    * A prompt that is too long for the endpoint is returned as a fault at once, for the caller to cut.
    * Empty and filtered replies are asked for again twice and then returned as they are, a content-filter error as an
      empty reply of that finish. A reply cut at its token limit is never asked for again, empty or not. Twenty asks in
      a row that end in an empty reply stop the run. Filtered ones do not: a filter may stop all prompts of one game and
      none of the others.
    * In a summary call whatever is no summary is asked for again once, and so is one that ran out of time.

    Args:
        policy: The bounds.
        pace: The most requests a minute, all asks together; None for no bound.
        sleep: Waits so many seconds; can be cancelled.
        clock: Seconds from any fixed point.
    """

    def __init__(
        self,
        policy: RetryPolicy | None = None,
        *,
        pace: float | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._policy = policy or RetryPolicy()
        self._sleep = sleep
        self._clock = clock
        self._gap = 60 / pace if pace else 0.0
        self._next = 0.0
        self._stopped: PauseRunError | None = None
        self._waits: set[asyncio.Future[None]] = set()
        self._answered = False
        self._answered_before = False
        self._failures = 0
        self._empties = 0

    def resume(self) -> None:
        """Know that the endpoint has answered in an earlier sitting of the run."""
        self._answered_before = True

    def stop(self, reason: PauseRunError) -> None:
        """Send nothing more: every further request raises this instead, and every wait ends."""
        self._stopped = self._stopped or reason
        for wait in self._waits:
            if not wait.done():
                wait.set_result(None)

    async def ask(
        self,
        model: Model,
        messages: Sequence[Message],
        max_tokens: int,
        before: Callable[[int], None],
        waiting: Callable[[float, TransportFaultError], None] = _unheard,
        billed: Callable[[Usage, str | None], None] = _uncounted,
        *,
        summary: bool = False,
    ) -> Asked:
        """Ask until there is a reply to play or the bounds are reached.

        Args:
            model: Who is asked.
            messages: The prompt.
            max_tokens: The most new tokens.
            before: Called before every request with its number in this ask, from 1.
            waiting: Called before every wait with its seconds and the fault that it follows.
            billed: Called after every request but the one that is answered for good, with what was counted and the
                text of a reply that is given up; None if there was none.
            summary: Whether it is a summary call.

        Raises:
            PauseRunError: If the run has to stop here.
        """
        try:
            return await self._ask(model, messages, max_tokens, before, waiting, billed, summary=summary)
        except PauseRunError as pause:
            self.stop(pause)
            raise

    async def _ask(
        self,
        model: Model,
        messages: Sequence[Message],
        max_tokens: int,
        before: Callable[[int], None],
        waiting: Callable[[float, TransportFaultError], None],
        billed: Callable[[Usage, str | None], None],
        *,
        summary: bool,
    ) -> Asked:
        start = self._clock()
        requests = faults = repeats = timeouts = 0
        waited = asking = 0.0
        while True:
            await self.turn()
            requests += 1
            before(requests)
            began = self._clock()
            got = await completed(model, messages, max_tokens)
            asking += self._clock() - began
            if isinstance(got, Answer):
                if repeats < self._repeats(got, summary=summary):
                    repeats += 1
                    billed(got.usage, got.text)
                    continue
                self._note_answer(got)
                return Asked(got, None, requests, self._clock() - start)
            billed(got.usage, None)
            if got.kind is FaultKind.OVERFLOW:
                self._answered, self._failures = True, 0
                return Asked(None, got, requests, self._clock() - start)
            if self._may_refuse_this_alone(got):
                await self.turn()
                requests += 1
                before(requests)
                small = await completed(model, WITHOUT_SYSTEM, max_tokens)
                billed(small.usage, None)
                self._answered = isinstance(small, Answer)
            faults += 1
            timeouts += got.kind is FaultKind.TIMEOUT
            wait = self._wait_or_pause(got, faults)
            if (
                got.kind is FaultKind.REFUSED
                or (summary and timeouts > self._policy.summary_repeats)
                or faults == self._policy.attempts
                or waited + wait > self._policy.total_wait
                or asking + waited + wait > self._policy.total_time
            ):
                self._note_failure(got, requests)
                return Asked(None, got, requests, self._clock() - start)
            waiting(wait, got)
            await self._rest(wait)
            waited += wait

    def _repeats(self, answer: Answer, *, summary: bool) -> int:
        """Return how often such an answer is asked for again."""
        if summary:
            return 0 if memory_failure(answer.text, answer.finish) is None else self._policy.summary_repeats
        return self._policy.repeats if answer.finish == "content_filter" or _empty(answer) else 0

    async def turn(self) -> None:
        """Wait until the pace allows one more request; for whoever sends one beside the first of an ask.

        Raises:
            PauseRunError: If nothing more is to be sent.
        """
        if self._gap:
            now = self._clock()
            turn = max(now, self._next)
            self._next = turn + self._gap
            if turn > now:
                await self._rest(turn - now)
        if self._stopped is not None:
            raise self._stopped

    async def _rest(self, seconds: float) -> None:
        """Wait so long, or until nothing more is to be sent."""
        stopped: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        sleeping = asyncio.ensure_future(self._sleep(seconds))
        self._waits.add(stopped)
        try:
            if self._stopped is None:
                await asyncio.wait([sleeping, stopped], return_when=asyncio.FIRST_COMPLETED)
                if sleeping.done():
                    sleeping.result()
        finally:
            self._waits.discard(stopped)
            sleeping.cancel()

    def _may_refuse_this_alone(self, fault: TransportFaultError) -> bool:
        """Return whether a resumed run met a refusal first thing, which may be of this one prompt or of all."""
        first = self._answered_before and not self._answered
        return first and fault.kind is FaultKind.REFUSED and not fault.refuses_all

    def _wait_or_pause(self, fault: TransportFaultError, faults: int) -> float:
        advice = None
        if fault.kind is FaultKind.QUOTA:
            advice = _OUT_OF_CREDIT
        elif fault.refuses_system and not self._answered and fault.kind in (FaultKind.REFUSED, FaultKind.SERVER):
            raise PauseRunError(f"{_NO_SYSTEM} ({fault.message})")
        elif fault.kind is FaultKind.REFUSED and (fault.refuses_all or not self._answered):
            advice = _REFUSED
        elif fault.kind is FaultKind.CONNECTION and not self._answered:
            advice = _NOBODY
        elif fault.advice and not self._answered:
            advice = fault.advice
        if advice is not None:
            raise PauseRunError(f"{advice}, then resume ({fault.message})")
        if fault.retry_after is not None and fault.retry_after > self._policy.retry_after_cap:
            raise PauseRunError(f"the endpoint asks to wait {fault.retry_after:.0f} s; resume then ({fault.message})")
        return self._policy.wait(faults, fault.retry_after)

    def _note_answer(self, answer: Answer) -> None:
        self._answered, self._failures = True, 0
        if answer.finish != "content_filter":
            self._empties = self._empties + 1 if _empty(answer) else 0
        if self._empties >= self._policy.empties_in_a_row:
            raise PauseRunError(
                f"{self._empties} asks in a row ended in an empty reply; check that the model answers in "
                "`content` and not only in a reasoning field, then resume"
            )

    def _note_failure(self, fault: TransportFaultError, requests: int) -> None:
        if not self._answered:
            raise PauseRunError(
                f"the endpoint completed none of {requests} requests; check the base URL and the endpoint, then resume "
                f"({fault.message})"
            )
        self._failures += 1
        if self._failures >= self._policy.failures_in_a_row:
            raise PauseRunError(
                f"{self._failures} asks in a row have failed; resume when the endpoint is well again ({fault.message})"
            )


def _empty(answer: Answer) -> bool:
    return answer.finish not in ("content_filter", "length") and says_nothing(answer)


async def completed(model: Model, messages: Sequence[Message], max_tokens: int) -> Answer | TransportFaultError:
    """Return what came of one request: the answer or the fault.

    An endpoint that tells by an error that a filter spoke, or that the token limit was reached, says the same as one
    that sends a reply without text. What was generated up to the limit is as many tokens as it allows.
    """
    try:
        answer = await model.ask(messages, max_tokens)
    except TransportFaultError as fault:
        usage = fault.usage
        if fault.kind is FaultKind.FILTERED:
            return Answer("", "content_filter", usage)
        if fault.kind is FaultKind.TRUNCATED:
            return Answer("", "length", usage._replace(tokens_out=usage.tokens_out or max_tokens))
        return fault
    if _too_long(answer.text):
        limit = f"expected a reply of at most {MAX_REPLY:,} bytes, got more"
        return TransportFaultError(FaultKind.MALFORMED, limit, usage=answer.usage)
    return answer


def _too_long(text: str) -> bool:
    """Tell whether a record cannot hold a reply; nobody who keeps to the limit of tokens sends one."""
    return len(text) * _MOST_BYTES + 2 > MAX_REPLY and len(json.dumps(text)) > MAX_REPLY
