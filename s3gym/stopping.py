"""Ctrl-C: the first one sends nothing more and waits for what is paid for, the second stops at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from typing import TypeVar

from runner.retry import Asker, StoppedRunError
from s3gym.output import err

Result = TypeVar("Result")


def stoppable(
    playing: Coroutine[object, object, Result], askers: Sequence[Asker], runner: asyncio.Runner | None = None
) -> Result:
    """Run a coroutine to its end.

    Args:
        playing: What is run.
        askers: Whoever sends requests in it.
        runner: Who runs it, where several follow each other; by default one of its own.

    Raises:
        StoppedRunError: After one Ctrl-C, when what was under way is in the journal.
        KeyboardInterrupt: After two.
    """
    presses = 0

    async def main() -> Result:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        def pressed() -> None:
            nonlocal presses
            presses += 1
            if presses > 1 and task is not None:
                task.cancel()
                return
            err().print("[bold yellow]stopping:[/] waiting for the replies under way; Ctrl-C again stops at once.")
            for asker in askers:
                asker.stop(StoppedRunError("stopped"))

        with suppress(NotImplementedError, ValueError, RuntimeError):
            # Where the loop takes no signals (Windows, a thread), Ctrl-C stops at once.
            loop.add_signal_handler(signal.SIGINT, pressed)
        try:
            return await playing
        finally:
            with suppress(NotImplementedError, ValueError, RuntimeError):
                loop.remove_signal_handler(signal.SIGINT)

    try:
        return asyncio.run(main()) if runner is None else runner.run(main())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
