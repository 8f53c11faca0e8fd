"""What actions on a board are worth: a ridge regression on statements about past steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple

from runner.models.learning.judging import Scoring, judge
from runner.models.learning.seeing import Cell, Shifts, links, look, statements
from runner.models.reading import PastEpisode

Kind = Literal["state", "action", "link"]


class Key(NamedTuple):
    """What a weight is about."""

    kind: Kind
    """``state``: any action; ``action``: this action; ``link``: every action of which the statement holds."""
    statement: str
    """Empty: always."""
    action: str
    """Empty, unless the kind is ``action``."""


class Weight(NamedTuple):
    """What a statement adds."""

    worth: float
    """To the points from this step on, later ones discounted."""
    at_once: float
    """To the points of this very step."""
    times: int
    """How many steps stand behind it."""


@dataclass(frozen=True, slots=True)
class Beliefs:
    """What was learned about boards."""

    weights: Mapping[Key, Weight] = field(default_factory=dict)
    shifts: Shifts = field(default_factory=dict)


NO_BELIEFS = Beliefs()
UNKNOWN = Weight(0.0, 0.0, 0)

DISCOUNT = 0.75
TRACE = 0.6
"""How far a step's worth rests on what really followed, against what is believed of the next state."""
CAUTION = 5.0
"""How many steps without effect stand against the first step of evidence."""
ROUNDS = 6
SWEEPS = 2
MAX_OPTIONS = 16


def state_keys(observation: str) -> list[Key]:
    """Return what is weighed of an observation alone."""
    return [Key("state", "", ""), *(Key("state", said, "") for said in statements(observation))]


def action_keys(observation: str, action: str, shifts: Shifts) -> list[Key]:
    """Return what is weighed of an action in an observation."""
    return [Key("action", "", action), *(Key("link", said, "") for said in links(observation, action, shifts))]


def learn_beliefs(episodes: Sequence[PastEpisode], scoring: Scoring, prior: Beliefs) -> Beliefs:
    """Return what the episodes teach, on top of what was believed before."""
    if not episodes:
        return prior
    shifts = {**prior.shifts, **_shifts(episodes)}
    places: dict[Key, int] = {key: place for place, key in enumerate(prior.weights)}
    rows = _rows(episodes, scoring, shifts, places)
    fit = _Fit(rows, [prior.weights.get(key, UNKNOWN) for key in places])
    at_once = fit.solve([row.points for row in rows], [weight.at_once for weight in fit.prior], ROUNDS)
    worth = fit.worths()
    weights = {key: Weight(worth[at], at_once[at], fit.times[at]) for key, at in places.items()}
    return Beliefs(weights, shifts)


def _shifts(episodes: Sequence[PastEpisode]) -> Shifts:
    """Return how each action most often shifts a symbol that stands once, where it shifts it at all."""
    seen: dict[tuple[str, str], Counter[Cell]] = {}
    for episode in episodes:
        for step, after in pairwise(episode):
            before, now = look(step.observation).board, look(after.observation).board
            places = dict(now.marks) if now else {}
            for mark, (row, column) in before.marks if before else ():
                place = places.get(mark, (row, column))
                if place != (row, column):
                    shift = (place[0] - row, place[1] - column)
                    seen.setdefault((step.action, mark), Counter())[shift] += 1
    return {key: counts.most_common(1)[0][0] for key, counts in seen.items()}


class _Row(NamedTuple):
    """One past step as the regression sees it; weights by their place."""

    taken: list[int]
    state: list[int]
    choices: list[list[int]]
    points: float
    goes_on: bool


def _rows(episodes: Sequence[PastEpisode], scoring: Scoring, shifts: Shifts, places: dict[Key, int]) -> list[_Row]:
    steps = [step for episode in episodes for step in episode]
    states = [[places.setdefault(key, len(places)) for key in state_keys(step.observation)] for step in steps]
    taken = [
        [places.setdefault(key, len(places)) for key in action_keys(step.observation, step.action, shifts)]
        for step in steps
    ]
    seen = Counter(step.action for step in steps)
    options = scoring.alternatives or tuple(action for action, _ in seen.most_common())
    rows: list[_Row] = []
    for episode in episodes:
        for index, judged in enumerate(judge(episode, scoring)):
            at = len(rows)
            choices = [
                [places[key] for key in action_keys(episode[index].observation, action, shifts) if key in places]
                for action in options[:MAX_OPTIONS]
            ]
            rows.append(_Row(states[at] + taken[at], states[at], choices, judged.points, index + 1 < len(episode)))
    return rows


class _Fit:
    """Ridge regression by coordinate descent, pulled towards prior weights by the steps that stand behind them."""

    def __init__(self, rows: list[_Row], prior: list[Weight]) -> None:
        self.prior = prior
        self._rows = rows
        self._users: list[list[int]] = [[] for _ in prior]
        for index, row in enumerate(rows):
            for place in row.taken:
                self._users[place].append(index)
        self._pull = [CAUTION + weight.times for weight in prior]
        self.times = [weight.times + len(users) for weight, users in zip(prior, self._users, strict=True)]

    def worths(self) -> list[float]:
        """Return weights for the points from a step on, by fitted iteration over what the best next action is worth."""
        prior = [weight.worth for weight in self.prior]
        weights = prior
        for _ in range(ROUNDS):
            weights = self.solve(self._targets(weights), prior, SWEEPS, weights)
        return weights

    def _targets(self, weights: list[float]) -> list[float]:
        targets = [0.0] * len(self._rows)
        followed = believed = 0.0
        for index in range(len(self._rows) - 1, -1, -1):
            row = self._rows[index]
            ahead = DISCOUNT * ((1 - TRACE) * believed + TRACE * followed) if row.goes_on else 0.0
            targets[index] = followed = row.points + ahead
            best = max([sum([weights[at] for at in choice]) for choice in row.choices], default=0.0)
            believed = sum([weights[at] for at in row.state]) + best
        return targets

    def solve(
        self, targets: list[float], prior: list[float], sweeps: int, start: list[float] | None = None
    ) -> list[float]:
        """Return the weights that predict the targets, starting from ``start``, else from the prior."""
        weights = list(start or prior)
        rest = [
            target - sum([weights[at] for at in row.taken]) for target, row in zip(targets, self._rows, strict=True)
        ]
        for _ in range(sweeps):
            for place, users in enumerate(self._users):
                if not users:
                    continue
                pull = self._pull[place]
                gain = sum([rest[user] for user in users]) + pull * (prior[place] - weights[place])
                step = gain / (len(users) + pull)
                weights[place] += step
                for user in users:
                    rest[user] -= step
        return weights
