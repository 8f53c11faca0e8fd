"""What the costs that say to be our own estimates must say: their replies and prompts are estimated again.

A reply is estimated when its line is read, a prompt when it is rebuilt, so that only numbers are held for the step that
compares them. Where an endpoint reported all usage nothing is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from typing import Protocol

from games.base import Config
from games.play import Turn
from protocol.context import ContextOverflowError, EpisodeContext, RunContext
from protocol.record import Record
from protocol.records import CostRecord, EpisodeRecord, MemoryRecord
from protocol.tokens import estimate
from protocol.whole import whole_tokens
from scoring.checks.places import CostPlace, cost_place, step_place, summary_place


class Replies:
    """What the replies of a game's estimated costs are estimated at."""

    def __init__(self, costs: Iterable[CostRecord]) -> None:
        self.tokens = {cost_place(cost): 0 for cost in costs if cost.estimated}
        """By place; 0 where there is no reply."""

    def note(self, record: Record) -> None:
        """Estimate what was replied in an episode or to a summary call."""
        if isinstance(record, EpisodeRecord):
            for number, step in enumerate(record.steps):
                self._note(step_place(record, number), step.reply)
        elif isinstance(record, MemoryRecord):
            self._note(summary_place(record.index), record.reply or "")

    def keeping(self, kept: type[Record]) -> Callable[[Record], Record]:
        """Return what notes a record and returns what is kept of it."""

        def keep(record: Record) -> Record:
            self.note(record)
            return record if type(record) is kept else kept.model_validate(record, from_attributes=True)

        return keep

    def _note(self, place: CostPlace, reply: str) -> None:
        if place in self.tokens:
            self.tokens[place] = estimate(reply)


class _Prompt(Protocol):
    @property
    def tokens(self) -> int:
        """Return its estimate."""


class Prompts:
    """What the prompts of a game's estimated costs are estimated at.

    Args:
        asked: Where these costs stand.
    """

    def __init__(self, asked: Set[CostPlace]) -> None:
        self.tokens: dict[CostPlace, tuple[int, ...]] = {}
        """By place, what the prompt that was sent last is estimated at. Two numbers where nobody can tell which that
        was: as the rule builds it, and cut once more, in a further request, after a server refused it."""
        self._asked = asked
        self._episodes = {place[:-1] for place in asked}

    def note(self, place: CostPlace, prompt: _Prompt) -> None:
        """Estimate the prompt of a step or summary call."""
        if place in self._asked:
            self.tokens[place] = (prompt.tokens,)

    def whole(
        self, record: EpisodeRecord, run: RunContext, config: Config, turns: Sequence[Turn], lines: Sequence[str]
    ) -> None:
        """Estimate all prompts of an episode, none of which was cut."""
        if step_place(record, 0)[:-1] in self._episodes:
            for number, tokens in enumerate(whole_tokens(run, config, turns, lines)):
                self.tokens[step_place(record, number)] = (tokens,)

    def failed(self, record: EpisodeRecord, context: EpisodeContext) -> None:
        """Estimate the prompt that no reply came to, of which nothing is recorded but how it failed.

        A server may have refused it as too long. Then it was cut once more and sent again, if there was anything to
        cut, and the estimate is of what was sent last. After an overflow that is certain; after a fault of the
        transport it may have been so.
        """
        place = step_place(record, len(record.steps))
        if place not in self._asked:
            return
        sent = context.tokens
        try:
            context.shrink()
        except ContextOverflowError:
            self.tokens[place] = (sent,)
        else:
            cut = context.tokens
            self.tokens[place] = (cut,) if record.failure == "context_overflow" else (sent, cut)
