"""Spoil input for a while: ``python -m tests.fuzz [TARGET ...]``, for S3GYM_FUZZ_SECONDS seconds (60).

Prints how many inputs each reader took and refused. An input that is met with any error but a refusal, or that takes
longer than SLOW seconds, is kept in a file that is named, and the exit code is 1. S3GYM_FUZZ_SEED begins elsewhere.
"""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.bundles import Board
from tests.fuzz.target import Seeds, Target
from tests.fuzz.targets import gather, targets

SLOW = 10.0
"""Seconds that no input may take."""
ROUND = 10
"""Turns of one reader before the next has its own."""
QUIET = list(HealthCheck)


class TooSlowError(Exception):
    """An input took longer than any may."""


@contextmanager
def watched() -> Iterator[None]:
    """Raise in the middle of work that takes too long."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise TooSlowError(f"more than {SLOW:g} seconds")

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, SLOW)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


class Found:
    """What came of spoiling."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.taken: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.crashes: dict[str, str] = {}

    def meet(self, target: Target, data: bytes) -> None:
        """Let a reader meet an input, and keep what it cannot stand."""
        try:
            with watched():
                taken = target.meet(data)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is what is looked for
            where = traceback.extract_tb(error.__traceback__)[-1]
            crash = f"{target.name}: {type(error).__name__} at {Path(where.filename).name}:{where.lineno}"
            if crash not in self.crashes:
                file = self._folder / hashlib.sha256(data).hexdigest()[:16]
                file.write_bytes(data)
                self.crashes[crash] = str(file)
                sys.stdout.write(f"{crash}: {str(error)[:300]!a}\n  {len(data)} bytes in {file}\n")
                sys.stdout.flush()
            return
        (self.taken if taken else self.refused)[target.name] += 1


def spoil(target: Target, seeds: Seeds, number: int, found: Found) -> None:
    """Give one reader a round of inputs."""

    @seed(number)
    @settings(
        max_examples=ROUND * target.share,
        database=None,
        deadline=None,
        suppress_health_check=QUIET,
        phases=[Phase.generate],
    )
    @given(target.inputs(seeds))
    def meet(data: bytes) -> None:
        found.meet(target, data)

    meet()


def main(arguments: list[str]) -> int:
    """Spoil input until the time is over, in turns."""
    end = time.monotonic() + float(os.environ.get("S3GYM_FUZZ_SECONDS", "60"))
    start = int(os.environ.get("S3GYM_FUZZ_SEED", "0"))
    kept = Path(tempfile.mkdtemp(prefix="s3gym-fuzz-"))
    found = Found(kept)
    with tempfile.TemporaryDirectory() as place:
        board = Board(Path(place) / "board")
        chosen = targets(board, Path(place))
        seeds = gather([board.bundle("history"), board.bundle("summary")], Path(place))
        chosen = tuple(target for target in chosen if not arguments or target.name in arguments)
        number = start
        while chosen and time.monotonic() < end:
            for target in chosen:
                if time.monotonic() < end:
                    spoil(target, seeds, number, found)
            number += 1
    for target in chosen:
        sys.stdout.write(
            f"{target.name:28} {found.taken[target.name]:8} taken {found.refused[target.name]:8} refused\n"
        )
    if not chosen:
        sys.stdout.write("no such reader\n")
    return 1 if found.crashes or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
