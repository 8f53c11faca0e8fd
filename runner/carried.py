"""What a model carried from episode to episode, found by going through a recording as the run itself went."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from games.base import State
from games.registry import game_named
from protocol.context import Dropped
from protocol.prefix import PrefixCache
from protocol.records import EpisodeRecord, MemoryRecord
from protocol.schedule import Slot, schedule
from runner.desk import CONTEXT_OVERFLOW, Known, Sendable
from runner.entry import run_of
from runner.journal import Outcome
from runner.recording import Recording
from runner.retry import PauseRunError
from runner.together import Seats


class Prompted(NamedTuple):
    """One prompt that was answered, or failed."""

    place: str
    """The name of its episode, or of its summary call: ``explore 4``, ``strict x=3 #1``, ``summary 4``."""
    step: int | None
    """None for a summary call."""
    tokens: int
    """Estimated."""
    dropped: Dropped
    cacheable: int
    """Estimated tokens that stood at the start of an earlier prompt too."""
    tokens_in: int | None
    """As the endpoint reports them."""
    tokens_cached: int | None
    failed: bool


@dataclass(slots=True)
class Carried:
    """What one game's run carried so far."""

    game: str
    episodes: int
    """Of the whole run."""
    prompts: list[Prompted] = field(default_factory=list)
    finished: list[EpisodeRecord] = field(default_factory=list)
    memories: list[MemoryRecord] = field(default_factory=list)
    under_way: list[str] = field(default_factory=list)
    """The steps and summary calls that are next."""
    texts: dict[int, str] = field(default_factory=dict)
    """The carried text of the first prompt after so many exploration episodes, for those that were asked for."""


class _Ended(PauseRunError):  # nothing is wrong
    """The recording goes no further here."""


class _Reader:
    """Stands in for the model, with the recorded outcomes, and notes every prompt."""

    def __init__(
        self, carried: Carried, outcomes: Mapping[str, Outcome], at: int | None, told: Callable[[], None]
    ) -> None:
        self._carried = carried
        self._outcomes = outcomes
        self._at = at
        self._told = told
        self._cache = PrefixCache()

    async def ask(self, key: str, prompt: Sendable, _state: State | None = None, *, summary: bool = False) -> Known:  # noqa: ARG002  # the interface
        """Return what came of a prompt.

        Raises:
            PauseRunError: If that is not recorded yet.
            ValueError: If another prompt is recorded.
        """
        place, step = self._place(key)
        if step == 0:
            self._keep_text(place, prompt)
        outcome = self._outcome(key)
        if outcome.fault is None:
            if outcome.cut == "server_overflow":
                prompt.drop_to(Dropped(outcome.dropped_episodes, outcome.dropped_steps, outcome.window))
            if outcome.context != prompt.digest:
                raise ValueError(
                    f"{key}: expected the prompt that was recorded, got another: it was played with other rules or "
                    "prompts, or was changed. Use the release of this package that it was played with."
                )
        self._note(place, step, prompt, outcome)
        return Known(outcome, 1)

    def refuse(self, key: str, prompt: Sendable) -> Known:
        """Return what was noted of a prompt that could not be made to fit."""
        outcome = self._outcome(key)
        if outcome.fault != CONTEXT_OVERFLOW:
            raise ValueError(f"{key}: expected a prompt that does not fit, got one that was answered")
        self._note(*self._place(key), prompt, outcome)
        return Known(outcome, 0)

    def _outcome(self, key: str) -> Outcome:
        outcome = self._outcomes.get(key)
        if outcome is None:
            self._carried.under_way.append(key.removeprefix(f"{self._carried.game} "))
            raise _Ended(key)
        return outcome

    def _place(self, key: str) -> tuple[str, int | None]:
        place = key.removeprefix(f"{self._carried.game} ")
        name, found, step = place.rpartition(" step ")
        return (name, int(step)) if found else (place, None)

    def _keep_text(self, place: str, prompt: Sendable) -> None:
        at = self._at
        if at is None or not (place == f"explore {at}" or place.startswith(f"strict x={at} ")):
            return
        # Before the first step a prompt is the system text, what is carried, the numbers, and the state.
        self._carried.texts.setdefault(at, "".join(prompt.parts()[1:-2]))

    def _note(self, place: str, step: int | None, prompt: Sendable, outcome: Outcome) -> None:
        self._carried.prompts.append(
            Prompted(
                place,
                step,
                prompt.tokens,
                prompt.dropped,
                self._cache.serve(prompt.parts()),
                outcome.tokens_in,
                outcome.tokens_cached,
                outcome.fault is not None,
            )
        )
        self._told()


class _Watching:
    """Keeps finished episodes and memories."""

    def __init__(self, carried: Carried) -> None:
        self._carried = carried

    def stepped(self, game: str, slot: Slot, step: int) -> None:
        """Do nothing."""

    def finished(self, record: EpisodeRecord) -> None:
        """Keep it."""
        self._carried.finished.append(record)

    def remembered(self, record: MemoryRecord) -> None:
        """Keep it."""
        self._carried.memories.append(record)

    def waiting(self, what: str, seconds: float, why: str) -> None:
        """Do nothing."""

    def warned(self, message: str) -> None:
        """Do nothing."""


def carried_by(
    recording: Recording, game: str, *, at: int | None = None, told: Callable[[], None] = lambda: None
) -> Carried:
    """Return what one game's run carried, as far as it is recorded.

    Args:
        recording: The recording.
        game: The game.
        at: Keep the text that was carried after so many exploration episodes.
        told: Called after each prompt.

    Raises:
        ValueError: If the recording is of another release, or was changed.
    """
    plan = recording.plan
    carried = Carried(game, len(schedule(plan.preset, game)))
    reader = _Reader(carried, recording.outcomes, at, told)
    # A pause means that the run is not finished; what was played so far is noted.
    with suppress(PauseRunError):
        asyncio.run(run_of(plan, game_named(game), recording.room, reader, _Watching(carried), Seats()))
    return carried
