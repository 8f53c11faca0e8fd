"""Several episodes at once, within a bound, stopping together."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import TypeVar

from runner.retry import PauseRunError

Result = TypeVar("Result")


class Seats:
    """How much is played at once.

    An episode or a summary call takes a seat for as long as it lasts, so that at one seat games and episodes follow
    each other as in a run without any concurrency, and a server's prompt cache serves one episode after the other.

    Args:
        count: How many episodes are played at once.
    """

    def __init__(self, count: int = 1) -> None:
        if count < 1:
            raise ValueError(f"concurrency: expected at least 1, got {count}")
        self.runs = asyncio.Semaphore(count)
        """Taken by a game's run."""
        self.episodes = asyncio.Semaphore(count)
        """Taken by an episode or a summary call."""


async def together(parts: Sequence[Coroutine[object, object, Result]]) -> list[Result]:
    """Run all parts at once and return their results in order.

    A pause in one part lets the others come to their own next request, where they pause too: what is under way is
    paid for. Any other error cancels the others.

    Raises:
        PauseRunError: If a part paused.
    """
    tasks = [asyncio.ensure_future(part) for part in parts]
    waiting = set(tasks)
    try:
        while waiting:
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_EXCEPTION)
            for task in done:
                error = task.exception()
                if error is not None and not isinstance(error, PauseRunError):
                    raise error
        return [task.result() for task in tasks]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
