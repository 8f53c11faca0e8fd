"""The games' baselines as chat models: they see the messages and nothing else."""

from __future__ import annotations

import random
from collections.abc import Sequence

from games.base import Draw, Move
from games.registry import GAMES
from games.rng import below
from protocol.messages import Message, messages_digest
from protocol.records import Endpoint
from protocol.tokens import estimate
from runner.models.model import Answer, Usage
from runner.models.reading import read_step, read_summary

BUILTIN_NAMES = ("random", "idle", "greedy")
_NO_TIPS = "Tips:\n- This player follows a fixed plan and takes no tips."


class Builtin:
    """A baseline by name; its answers are a pure function of the messages.

    Raises:
        ValueError: If there is no such baseline.
    """

    def __init__(self, name: str) -> None:
        if name not in BUILTIN_NAMES:
            known = ", ".join(f"builtin:{each}" for each in (*BUILTIN_NAMES, "oracle"))
            raise ValueError(f"model: expected one of {known}, got builtin:{name}")
        self._name = name

    @property
    def endpoint(self) -> Endpoint:
        """Return what the manifest says of this model."""
        return Endpoint(kind="builtin", model=self._name, context_tokens=None)

    @property
    def adaptations(self) -> tuple[str, ...]:
        """Return nothing: requests are taken as they are."""
        return ()

    def ask(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        """Answer a step or a summary call."""
        text = self._answer(messages)
        tokens_in = sum(estimate(message.content) for message in messages)
        return Answer(text, "stop", Usage(tokens_in, estimate(text)), model=self._name)

    def close(self) -> None:
        """Hold nothing."""

    def _answer(self, messages: Sequence[Message]) -> str:
        if read_summary(messages) is not None:
            return _NO_TIPS
        step = read_step(messages)
        if step is not None:
            for game in GAMES:
                if game.rules == step.rules:
                    return answer_line(game.baselines[self._name](step.observation, drawer(messages)))
        return "This player knows only the games of this release."


def drawer(messages: Sequence[Message]) -> Draw:
    """Return draws that depend on the messages alone."""
    generator = random.Random(int(messages_digest(messages), 16))  # play, not cryptography
    return lambda bound: below(generator.random(), bound)


def answer_line(move: Move) -> str:
    """Return a move as the reply contract asks for it."""
    return f"Answer: {move.action}, Score: {move.score:g}"
