"""Small policies as chat models: they see the messages and nothing else."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from games.base import Config, Draw, Move
from games.blind import blind
from games.near import hint
from games.registry import GAMES, AnyGame, game_named
from games.rng import bounded
from protocol.messages import Message, messages_digest, tokens_of
from protocol.players import BLIND, BUILTIN, BUILTIN_NAMES, LEARNER
from protocol.records import Endpoint, Finish
from protocol.tokens import clip, estimate
from runner.models import learner
from runner.models.model import Answer, FaultKind, TransportFaultError, Usage
from runner.models.probe import PROBE_ANSWER, is_probe
from runner.models.reading import StepPrompt, read_step, read_summary

_WAYS: Mapping[str, str] = {
    "random": "plays a random legal action",
    "idle": "plays the least active legal action",
    BLIND: "plays a fixed schedule of actions, whatever it sees,",
    "greedy": "follows a fixed heuristic",
}
_NO_TIPS = """\
Strategies to retain:
- None: this player {way} and learns nothing from a history.
Mistakes to avoid:
- None was looked for.
Directions for next time:
- None: it takes no tips either."""


class Builtin:
    """A built-in model by name; its answers are a pure function of the messages.

    Raises:
        ValueError: If there is no such model.
    """

    def __init__(self, name: str) -> None:
        if name not in BUILTIN_NAMES:
            known = [f"{BUILTIN}{each}" for each in (*BUILTIN_NAMES, "oracle")]
            got = f"{BUILTIN}{name}"
            raise ValueError(f"model: expected one of {', '.join(known)}, got {got}{hint(got, known)}")
        self._name = name

    @property
    def endpoint(self) -> Endpoint:
        """Return what the manifest says of this model."""
        return Endpoint(kind="builtin", model=self._name, context_tokens=None)

    @property
    def adaptations(self) -> tuple[str, ...]:
        """Return nothing: requests are taken as they are."""
        return ()

    async def ask(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        """Answer a step or a summary call.

        Raises:
            TransportFaultError: If the messages are neither, or not of a game of this release.
        """
        return self.answer(messages, max_tokens)

    def answer(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        """Answer a step or a summary call, at once.

        Raises:
            TransportFaultError: If the messages are neither, or not of a game of this release.
        """
        whole = self._answer(messages)
        text = clip(whole, max_tokens)
        # Tips are made to fit: they end with a whole line, and by the player's own doing.
        finish: Finish = "stop" if text == whole or read_summary(messages) is not None else "length"
        return Answer(text, finish, Usage(tokens_of(messages), estimate(text)), model=self._name)

    async def close(self) -> None:
        """Hold nothing."""

    def _answer(self, messages: Sequence[Message]) -> str:
        if is_probe(messages):
            return PROBE_ANSWER
        summary = read_summary(messages)
        if summary is not None:
            return learner.tips(summary) if self._name == LEARNER else _NO_TIPS.format(way=_WAYS[self._name])
        step = read_step(messages)
        if step is None:
            raise _refused("expected the messages of a step or of a summary call")
        game, draw = game_of(step), drawer(messages)
        if self._name == LEARNER:
            return answer_line(learner.next_move(step, draw, lambda: _play(game, "random", step, draw).action))
        if self._name == BLIND:
            return answer_line(blind(game.id, _config(game, step), len(step.own)))
        return answer_line(_play(game, self._name, step, draw))


def game_of(step: StepPrompt) -> AnyGame:
    """Return the game whose rules a prompt holds.

    Raises:
        TransportFaultError: If they are those of no game of this release.
    """
    for game in GAMES:
        if game.rules == step.rules:
            return game
    raise _refused("expected the rules of a game of this release before the reply contract")


def _play(game: AnyGame, baseline: str, step: StepPrompt, draw: Draw) -> Move:
    try:
        return game.baselines[baseline](step.observation, draw)
    except (ValueError, LookupError, AttributeError) as error:
        raise _refused(f"the current state is no observation of {game.id}") from error


_LONGEST_OPENING = 8_000
"""Characters that hold the numbers of any config and the feedback that may follow them."""


def _config(game: AnyGame, step: StepPrompt) -> Config:
    """Return the config whose numbers a prompt holds.

    Raises:
        TransportFaultError: If they are those of no config of this release, under no step limit of its own or less.
    """
    told = step.opening[-_LONGEST_OPENING:]
    for numbers, config in _configs(game.id):
        if numbers in told:
            return config
    raise _refused(f"expected the numbers of a config of {game.id} of this release before the current state")


@lru_cache(maxsize=len(GAMES))
def _configs(game_id: str) -> tuple[tuple[str, Config], ...]:
    """Return every config of a game under every step limit that a preset may set, each with its numbers."""
    game = game_named(game_id)
    limited: list[Config] = [
        replace(config, max_steps=steps)  # type: ignore[type-var]  # every config is a dataclass
        for config in game.configs
        for steps in range(config.max_steps, 0, -1)
    ]
    return tuple([(f"{game.numbers(config)}\n\n", config) for config in limited])


def drawer(messages: Sequence[Message]) -> Draw:
    """Return draws that depend on the messages alone."""
    return bounded(random.Random(int(messages_digest(messages), 16)))


def answer_line(move: Move) -> str:
    """Return a move as the reply contract asks for it."""
    return f"Answer: {move.action}, Score: {move.score:g}"


def _refused(message: str) -> TransportFaultError:
    return TransportFaultError(FaultKind.REFUSED, f"builtin model: {message}")
