"""A small honest learner: no network, no weights, nothing but what the chat messages say.

It judges past steps by the scoring rules and the feedback. Where there is a board it weighs statements about what an
action does there; where there is none it tells kinds of episodes apart and looks ahead in them. What it knows comes
from the carried history, or from the tips that it wrote itself; without them it plays at random.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import cos, exp, log, pi, sqrt
from typing import NamedTuple

from games.base import Draw, Move
from runner.models.learning.judging import judge, nearest_points, read_scoring
from runner.models.learning.kinds import NO_RECORD, Kinds, learn_kinds, stories
from runner.models.learning.seeing import look
from runner.models.learning.tips import Known, read_tips, write_tips
from runner.models.learning.weighing import (
    CAUTION,
    MAX_OPTIONS,
    NO_BELIEFS,
    UNKNOWN,
    Beliefs,
    action_keys,
    learn_beliefs,
    state_keys,
)
from runner.models.reading import ENV, NO_ACTION, PastEpisode, StepPrompt, SummaryPrompt, read_history

MAX_STEPS = 2000
"""At most so many of the newest carried steps are learned from."""
BOLDNESS = 0.6
"""How much it tries on a board: the spread of what it draws, in stakes, for a thing seen once."""
START_HEAT = 0.5
"""How much it tries without a board before it knows anything, in stakes."""
COOLING = 10
"""After so many steps of evidence that heat starts to fall."""
LEAST_HEAT = 0.0125
_GRAIN = 1 << 53

NOTHING_KNOWN = Known(NO_BELIEFS, NO_RECORD)

Propose = Callable[[], str]
"""Offers an action to try where the rules do not list them."""


class _Mind(NamedTuple):
    beliefs: Beliefs
    kinds: Kinds


def next_move(prompt: StepPrompt, draw: Draw, propose: Propose) -> Move:
    """Return the action for a step and what it is expected to earn at once."""
    mind = _mind(prompt.rules, prompt.carried)
    actions = _candidates(prompt, mind, propose)
    if look(prompt.observation).board is None:
        return _by_kinds(prompt, mind.kinds, actions, draw)
    return _by_beliefs(prompt, mind.beliefs, actions, draw)


def tips(prompt: SummaryPrompt) -> str:
    """Return what the history of a summary call teaches, on top of the earlier tips."""
    return write_tips(learn(prompt.rules, prompt.history, read_tips(prompt.earlier)), prompt.words)


@lru_cache(maxsize=8)
def _mind(rules: str, carried: str) -> _Mind:
    known = learn(rules, carried, NOTHING_KNOWN) if carried.startswith(ENV) else read_tips(carried)
    return _Mind(known.beliefs, Kinds(known.record))


def learn(rules: str, history: str, earlier: Known) -> Known:
    """Return what a carried history teaches, on top of what was known before."""
    scoring = read_scoring(rules)
    newest: list[PastEpisode] = []
    left = MAX_STEPS
    for episode in reversed(read_history(history)):
        if left > 0:
            newest.insert(0, episode[-left:])
            left -= len(episode)
    with_board = [episode for episode in newest if look(episode[0].observation).board is not None]
    without = [episode for episode in newest if look(episode[0].observation).board is None]
    return Known(learn_beliefs(with_board, scoring, earlier.beliefs), learn_kinds(without, scoring, earlier.record))


def _candidates(prompt: StepPrompt, mind: _Mind, propose: Propose) -> list[str]:
    """Return the actions to choose among, without those that were in vain in this very observation."""
    scoring = read_scoring(prompt.rules)
    actions = list(scoring.alternatives[:MAX_OPTIONS])
    if not actions:
        worths = {key.action: weight.worth for key, weight in mind.beliefs.weights.items() if key.kind == "action"}
        weighed = sorted(worths, key=lambda action: -worths[action])
        known = [action for action in (*weighed[:MAX_OPTIONS], *mind.kinds.actions) if action != NO_ACTION]
        actions = list(dict.fromkeys([*known, propose()]))
    judged = judge(prompt.own, scoring, prompt.observation)
    vain = {
        step.action
        for step, one in zip(prompt.own, judged, strict=True)
        if one.vain and step.observation == prompt.observation
    }
    return [action for action in actions if action not in vain] or actions


def _by_beliefs(prompt: StepPrompt, beliefs: Beliefs, actions: list[str], draw: Draw) -> Move:
    """Choose by worths drawn from what is believed: the less is known of an action, the wider the draw."""
    weights, scoring = beliefs.weights, read_scoring(prompt.rules)
    best, best_draw = actions[0], float("-inf")
    for action in actions:
        known = [weights.get(key, UNKNOWN) for key in action_keys(prompt.observation, action, beliefs.shifts)]
        doubt = sqrt(sum([1 / (weight.times + CAUTION) for weight in known]))
        drawn = sum([weight.worth for weight in known]) + BOLDNESS * scoring.stakes * doubt * _normal(draw)
        if drawn > best_draw:
            best, best_draw = action, drawn
    keys = [*state_keys(prompt.observation), *action_keys(prompt.observation, best, beliefs.shifts)]
    expected = sum([weights.get(key, UNKNOWN).at_once for key in keys])
    return Move(best, nearest_points(expected, scoring) if weights else 0.0)


def _by_kinds(prompt: StepPrompt, kinds: Kinds, actions: list[str], draw: Draw) -> Move:
    """Choose among the worths ahead, the less at random the more evidence there is."""
    scoring = read_scoring(prompt.rules)
    story = stories(prompt.own, scoring, kinds.record.events)
    worths = kinds.worths(story)
    heat = scoring.stakes * max(LEAST_HEAT, START_HEAT / sqrt(1 + kinds.steps / COOLING))
    best = max([worths.get(action, 0.0) for action in actions])
    shares = [exp((worths.get(action, 0.0) - best) / heat) for action in actions]
    rest = draw(_GRAIN) / _GRAIN * sum(shares)
    chosen = actions[-1]
    for action, share in zip(actions, shares, strict=True):
        rest -= share
        if rest < 0:
            chosen = action
            break
    event = kinds.likeliest(story, chosen)
    return Move(chosen, event.points if event else 0.0)


def _normal(draw: Draw) -> float:
    """Return a draw from the standard normal distribution (Box and Muller, 1958)."""
    return sqrt(-2 * log((draw(_GRAIN) + 1) / _GRAIN)) * cos(2 * pi * draw(_GRAIN) / _GRAIN)
