"""Replay recorded episodes and time them; two sides take turns."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from time import process_time
from typing import Generic, NamedTuple, TypeVar

from benchmarks.peers.figures import Speed

WorldT = TypeVar("WorldT")
ActionT = TypeVar("ActionT")


class Recorded(NamedTuple, Generic[ActionT]):
    """One episode to replay: choosing its actions is never timed."""

    seed: int
    actions: Sequence[ActionT]
    steps: int
    """How many steps the actions count as."""
    turns: int
    """How many turns they make: what one step of this project does."""


class Pass(NamedTuple):
    """One replay of all episodes."""

    steps: int
    turns: int
    step_seconds: float
    resets: int
    reset_seconds: float

    @property
    def seconds(self) -> float:
        """Return the whole time."""
        return self.step_seconds + self.reset_seconds


@dataclass(frozen=True, slots=True)
class Contender:
    """One game of one library, ready to be timed."""

    game: str
    library: str
    text: bool
    unit: str
    play: Callable[[], Pass]


def replayer(
    reset: Callable[[int], WorldT],
    run: Callable[[WorldT, Sequence[ActionT]], str],
    recorded: Sequence[Recorded[ActionT]],
) -> Callable[[], Pass]:
    """Return a function that replays every episode once.

    Args:
        reset: Returns a world that stands before its first step, its first text made.
        run: Plays all actions, makes the text after each, and returns the last text.
        recorded: The episodes.

    A replay whose last text is not that of the first replay is not the same play, and fails.
    """
    expected = [run(reset(episode.seed), episode.actions) for episode in recorded]
    steps, turns = sum(episode.steps for episode in recorded), sum(episode.turns for episode in recorded)

    def play() -> Pass:
        reset_seconds = step_seconds = 0.0
        for episode, last in zip(recorded, expected, strict=True):
            begun = process_time()
            world = reset(episode.seed)
            ready = process_time()
            text = run(world, episode.actions)
            step_seconds += process_time() - ready
            reset_seconds += ready - begun
            if text != last:
                raise AssertionError(
                    f"seed {episode.seed}: the replay ended with {text!r}, the first one with {last!r}"
                )
        return Pass(steps, turns, step_seconds, len(recorded), reset_seconds)

    return play


def speeds(contenders: Sequence[Contender], repetitions: int, seconds: float) -> list[Speed]:
    """Time the contenders in turn, A B A B, each repetition for about so many seconds."""
    passes = [max(1, ceil(seconds / max(contender.play().seconds, 1e-6))) for contender in contenders]
    found: list[list[Pass]] = [[] for _ in contenders]
    gc.collect()
    gc.freeze()  # else every collection in a timed part would also walk through what the other libraries imported
    try:
        for _ in range(repetitions):
            for contender, count, results in zip(contenders, passes, found, strict=True):
                gc.collect()
                results.append(_several(contender, count))
    finally:
        gc.unfreeze()
    return [speed_of(results) for results in found]


def speed_of(passes: Sequence[Pass]) -> Speed:
    """Return what was done in a second, one value a repetition."""
    return Speed(
        tuple(each.steps / each.step_seconds for each in passes),
        tuple(each.turns / each.step_seconds for each in passes),
        tuple(each.resets / each.reset_seconds for each in passes),
    )


def _several(contender: Contender, count: int) -> Pass:
    passes = [contender.play() for _ in range(count)]
    return Pass(
        sum(each.steps for each in passes),
        sum(each.turns for each in passes),
        sum(each.step_seconds for each in passes),
        sum(each.resets for each in passes),
        sum(each.reset_seconds for each in passes),
    )
