"""Who does the work of verification: this process alone, or worker processes of its own.

Either way the same function is given the same jobs and the results come back in the order of the jobs, so a report does
not depend on who worked. Workers are plain processes of this machine, begun afresh (``spawn``) and joined by pipes;
what travels are typed records that were parsed here. Neither they nor this process open a socket.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures import TimeoutError as NotYetError
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from typing import Protocol, TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")
Tick = Callable[[], None]
"""Called often while work goes on; it may raise to break it off."""

MAX_WORKERS = 64
_LOOK = 0.2
"""Seconds between two looks at the clock while workers are busy."""


def never() -> None:
    """Let the work go on."""


class Crew(Protocol):
    """Does jobs and hands back their results in order."""

    def results(self, work: Callable[[Job, Tick], Result], jobs: Sequence[Job], tick: Tick) -> Iterator[Result]:
        """Yield the result of each job."""


class Alone:
    """This process does one job after the other."""

    def results(self, work: Callable[[Job, Tick], Result], jobs: Sequence[Job], tick: Tick) -> Iterator[Result]:
        """Yield the result of each job, done when it is asked for."""
        for job in jobs:
            yield work(job, tick)


@dataclass(frozen=True, slots=True)
class Workers:
    """So many worker processes.

    Raises:
        ValueError: If the number is out of range.
    """

    count: int

    def __post_init__(self) -> None:
        if not 1 <= self.count <= MAX_WORKERS:
            raise ValueError(f"workers: expected 1 to {MAX_WORKERS}, got {self.count}")

    def results(self, work: Callable[[Job, Tick], Result], jobs: Sequence[Job], tick: Tick) -> Iterator[Result]:
        """Yield the result of each job; ``work`` must be a function of a module, with jobs that can be sent."""
        if not jobs:
            return
        before = set(multiprocessing.active_children())
        pool = ProcessPoolExecutor(min(self.count, len(jobs)), multiprocessing.get_context("spawn"))
        done = 0
        try:
            for future in [pool.submit(work, job, never) for job in jobs]:
                yield _wait(future, tick)
                done += 1
        except BrokenProcessPool as error:
            raise OSError("workers: a worker process ended before its work was done; try again with fewer") from error
        finally:
            pool.shutdown(wait=done == len(jobs), cancel_futures=True)
            if done < len(jobs):
                _end(set(multiprocessing.active_children()) - before)


def _wait(future: Future[Result], tick: Tick) -> Result:
    while True:
        tick()
        try:
            return future.result(_LOOK)
        except NotYetError:
            if future.done():
                return future.result()


def _end(workers: set[BaseProcess]) -> None:
    """End workers that nobody waits for any more."""
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join()
