"""The loop of a run without files, journal or records: contexts, a built-in model and the game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from games.base import Config, playable
from protocol.context import EpisodeContext, RunContext
from protocol.memory import memory_text
from protocol.messages import Message
from protocol.reply import canonical_line, read_reply
from protocol.summary import SummaryPrompt
from runner.models.model import Answer

OUTPUT_TOKENS = 14_000


class Asks(Protocol):
    """What the loop needs of a model."""

    def answer(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        """Return a completed reply."""


class Played(NamedTuple):
    """One episode and the context it was played in."""

    context: EpisodeContext
    last_feedback: str
    score: float
    scores: list[tuple[float | None, float]]
    """Self-score and reward by step."""


def play_episode(run: RunContext, model: Asks, config: Config, seed: int) -> Played:
    """Play one episode with what the run carries."""
    game, context = run.game, run.episode(config)
    state, feedback, scores = game.start(config, seed), "", []
    while state.end is None:
        context.turn(feedback, game.observe(state))
        reply = read_reply(model.answer(context.messages(), OUTPUT_TOKENS).text)
        context.answered(canonical_line(reply))
        state, feedback, reward = game.step(state, playable(reply.action))
        scores.append((reply.score, float(reward)))
    return Played(context, feedback, sum(reward for _, reward in scores), scores)


def strict_scores(run: RunContext, model: Asks, config: Config, seeds: Iterable[int]) -> list[float]:
    """Return the score of every strict seed."""
    return [play_episode(run, model, config, seed).score for seed in seeds]


def explore(run: RunContext, model: Asks, config: Config, seed: int) -> Played:
    """Play one exploration episode and carry it on: as history, or in new tips."""
    played = play_episode(run, model, config, seed)
    run.explored(played.context, played.last_feedback)
    if run.pathway == "summary":
        prompt = SummaryPrompt(run)
        prompt.remember(tips_of(model, prompt.messages(), run.budget.memory_tokens))
    return played


def tips_of(model: Asks, messages: list[Message], memory_tokens: int) -> str:
    """Return the memory that a summary call gives."""
    return memory_text(model.answer(messages, OUTPUT_TOKENS).text, memory_tokens)
