"""Prompts of a real run to try an endpoint with: short, long, and with an answer in it."""

from __future__ import annotations

from games.base import Draw, State
from games.registry import AnyGame
from games.rng import below, hashed
from protocol.carry import Carry, Cut
from protocol.context import EpisodeContext, RunContext
from protocol.reply import canonical_line, read_reply
from runner.entry import Plan

_MOST_EPISODES = 200
SEED = 1
"""The level that is shown; levels of a protocol have other seeds."""


class Opening:
    """The first step of an exploration episode, and what may follow on it.

    Args:
        game: The game.
        plan: The protocol and the pathway.
        input_tokens: The budget of the prompt.
        system_role: Whether there is a system message.
        carried: Estimated tokens of earlier play that the prompt carries.
    """

    def __init__(self, game: AnyGame, plan: Plan, input_tokens: int, *, system_role: bool, carried: int = 0) -> None:
        self._game = game
        config = plan.preset.config(game, "explore")
        run = RunContext(game, "history", plan.preset.budget(input_tokens), system_role=system_role)
        for seed in range(SEED + 1, SEED + 1 + _MOST_EPISODES):
            if run.carry.tokens(run.cut) >= carried:
                break
            run.explored(*_played(run, game, game.start(config, seed)))
        run.cut = _first_fit(run.carry, carried)
        self.context: EpisodeContext = run.episode(config)
        self.state: State = game.start(config, SEED)
        self.context.turn("", game.observe(self.state))

    def follow(self) -> None:
        """Go on to the second step, as if the built-in player had answered the first."""
        step = _step(self.context, self._game, self.state, 0)
        self.state = step[0]
        self.context.turn(step[1], self._game.observe(self.state), self._game.recall(self.state))


def _first_fit(carry: Carry, tokens: int) -> Cut:
    """Return the earliest place after which so many tokens are left at most: step by step, to come close to it."""
    cut = Cut()
    while carry.tokens(cut) > tokens:
        following = Cut(cut.episodes, cut.steps + 1)
        cut = following if carry.valid(following) else Cut(cut.episodes + 1)
    return cut


def _played(run: RunContext, game: AnyGame, state: State) -> tuple[EpisodeContext, str]:
    """Return an episode of the built-in player, and the feedback at its end."""
    context, feedback = run.episode(state.config), ""
    while state.end is None:
        context.turn(feedback, game.observe(state), game.recall(state))
        state, feedback = _step(context, game, state, state.steps)
    return context, feedback


def _step(context: EpisodeContext, game: AnyGame, state: State, number: int) -> tuple[State, str]:
    action, score = game.baselines["greedy"](game.observe(state), _draw(game.id, number))
    context.answered(canonical_line(read_reply(f"Answer: {action}, Score: {score:g}")))
    played = game.step(state, action)
    return played.state, played.feedback


def _draw(game: str, number: int) -> Draw:
    draws = iter(range(1, 2**62))
    return lambda bound: below(hashed(game, number, next(draws)) / 2**256, bound)
