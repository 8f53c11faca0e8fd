"""Blind play: the best plan that a seeded search finds for a player that never looks at the game.

A plan is a cycle of actions, played by the number of the step alone: one action means the same text at every step, as
many as an episode has steps means a whole schedule. What a plan scores is what a game gives for knowing its rules
without reading its boards. Hill climbing with restarts; equal arguments give equal plans on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import NamedTuple

from games.base import Config, Draw, State
from games.play import Turn
from games.registry import AnyGame
from games.rng import bounded, stream

FIRST = 1_000_000
"""The first seed that plans are chosen on: none that a baseline is measured on."""
_GLANCE = 8
"""A plan that is far behind on one start in so many is not played on the rest."""
_FAR = 0.8
_PATIENCE = 150
"""Plans in a row that are no better, after which the search begins anew."""


class Words(NamedTuple):
    """What the actions of a plan are made of."""

    tokens: tuple[str, ...]
    most: int = 1
    """Tokens that one action may hold."""
    joint: str = "; "
    """What stands between two tokens of an action."""


Plan = tuple[tuple[str, ...], ...]
"""The tokens of each action of the cycle."""


class Found(NamedTuple):
    """A plan and its mean score on the seeds that it was chosen on."""

    plan: Plan
    score: float


def actions(words: Words, plan: Plan) -> tuple[str, ...]:
    """Return the text of each action of a plan."""
    return tuple([words.joint.join(tokens) for tokens in plan])


def policy(cycle: Sequence[str]) -> Callable[[Turn], str]:
    """Return the player that plays a cycle of actions."""
    return lambda turn: cycle[turn.step % len(cycle)]


def score(game: AnyGame, state: State, cycle: Sequence[str]) -> float:
    """Return the score of an episode from a state on, without making a text of any board."""
    step, length, total = game.step, len(cycle), 0.0
    while state.end is None:
        state, _, reward = step(state, cycle[state.steps % length])
        total += float(reward)
    return total


def search(
    game: AnyGame, config: Config, words: Words, *, evaluations: int, seeds: int = 100, known: Sequence[Plan] = ()
) -> Found:
    """Return the best plan among some that are tried.

    Args:
        game: The game.
        config: The config it is played under.
        words: What actions are made of.
        evaluations: How many plans are tried.
        seeds: How many starts each is played on.
        known: Plans to begin with.
    """
    draw = bounded(stream("blind", game.rules_version, config.id, FIRST, "search"))
    starts = [game.start(config, seed) for seed in range(FIRST, FIRST + seeds)]

    def mean(plan: Plan, least: float) -> float:
        cycle = actions(words, plan)
        glance = [score(game, state, cycle) for state in starts[::_GLANCE]]
        if fmean(glance) < _FAR * least:
            return fmean(glance)
        rest = [score(game, state, cycle) for place, state in enumerate(starts) if place % _GLANCE]
        return fmean(glance + rest)

    waiting = list(known)
    best = here = Found((), float("-inf"))
    failures = 0
    for _ in range(evaluations):
        if waiting:
            plan = waiting.pop(0)
        elif not here.plan or failures >= _PATIENCE:
            plan, here, failures = _random(words, config.max_steps, draw), Found((), float("-inf")), 0
        else:
            plan = here.plan
            for _ in range(1 + draw(3)):
                plan = _changed(plan, words, config.max_steps, draw)
        found = Found(plan, mean(plan, here.score))
        failures = 0 if found.score > here.score else failures + 1
        here = max(found, here, key=lambda each: each.score)
        best = max(best, here, key=lambda each: each.score)
    return best


def _random(words: Words, most_actions: int, draw: Draw) -> Plan:
    lengths = (1, 2, 3, 5, most_actions)
    return tuple([_action(words, draw) for _ in range(lengths[draw(len(lengths))])])


def _action(words: Words, draw: Draw) -> tuple[str, ...]:
    return tuple([words.tokens[draw(len(words.tokens))] for _ in range(1 + draw(words.most))])


def _changed(plan: Plan, words: Words, most_actions: int, draw: Draw) -> Plan:
    """Return a plan with one change: of a token, of an action, or of the length of the cycle."""
    kind, place = draw(10), draw(len(plan))
    before, action, after = plan[:place], plan[place], plan[place + 1 :]
    if kind == 0:
        return (*before, _action(words, draw), *after)
    if kind == 1 and len(plan) < most_actions:
        return (*before, action, plan[draw(len(plan))], *after)
    if kind == 2 and len(plan) > 1:
        return (*before, *after)
    if kind == 3:
        other = draw(len(plan))
        order = list(plan)
        order[place], order[other] = order[other], order[place]
        return tuple(order)
    return (*before, _edited(action, words, draw), *after)


def _edited(action: tuple[str, ...], words: Words, draw: Draw) -> tuple[str, ...]:
    token, place = words.tokens[draw(len(words.tokens))], draw(len(action))
    kind = draw(4)
    if kind == 0 and len(action) < words.most:
        return (*action[:place], token, *action[place:])
    if kind == 1 and len(action) > 1:
        return (*action[:place], *action[place + 1 :])
    if kind == 2:
        moved, rest = action[place], (*action[:place], *action[place + 1 :])
        other = draw(len(action))
        return (*rest[:other], moved, *rest[other:])
    return (*action[:place], token, *action[place + 1 :])
