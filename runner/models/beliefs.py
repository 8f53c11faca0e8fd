"""What actions are worth: a ridge regression on statements about past steps; knows no game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Literal, NamedTuple

from runner.models.judging import Scoring, judge
from runner.models.reading import PastEpisode
from runner.models.seeing import Cell, Shifts, links, look, statements

Kind = Literal["state", "action", "link"]


class Key(NamedTuple):
    """What a weight is about."""

    kind: Kind
    """``state``: whatever the action; ``action``: this action; ``link``: any action of which the statement holds."""
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
    """All that was learned."""

    weights: Mapping[Key, Weight] = field(default_factory=dict)
    shifts: Shifts = field(default_factory=dict)
    spread: float = 1.0
    """By how much worths are typically off, in points."""


NOTHING = Beliefs()

DISCOUNT = 0.85
TRACE = 0.6
"""How far a step's worth rests on what really followed, against what is believed of the next state."""
CAUTION = 5.0
"""How many steps without effect stand against the first step of evidence."""
ROUNDS = 6
SWEEPS = 2
MAX_STEPS = 1500
MAX_OPTIONS = 16
_NOTHING_KNOWN = Weight(0.0, 0.0, 0)


def state_keys(observation: str) -> list[Key]:
    """Return what is weighed of an observation alone."""
    return [Key("state", "", ""), *(Key("state", said, "") for said in statements(observation))]


def action_keys(observation: str, action: str, shifts: Shifts) -> list[Key]:
    """Return what is weighed of an action in an observation."""
    keys = [Key("action", "", action), *(Key("action", said, action) for said in statements(observation))]
    return [*keys, *(Key("link", said, "") for said in links(observation, action, shifts))]


def options(scoring: Scoring, episodes: Sequence[PastEpisode]) -> tuple[str, ...]:
    """Return the actions to choose among: those that the rules list, else the most frequent past ones."""
    if scoring.alternatives:
        return scoring.alternatives[:MAX_OPTIONS]
    seen = Counter(step.action for episode in episodes for step in episode)
    return tuple(action for action, _ in seen.most_common(MAX_OPTIONS))


def find_shifts(episodes: Sequence[PastEpisode], prior: Shifts) -> Shifts:
    """Return how actions shift the symbols that stand once, by the most frequent shift that is none at all."""
    seen: dict[tuple[str, str], Counter[Cell]] = {}
    for episode in episodes:
        for step, after in zip(episode, episode[1:], strict=False):
            before, now = look(step.observation).board, look(after.observation).board
            if before is None or now is None:
                continue
            places = dict(now.marks)
            for mark, (row, column) in before.marks:
                if mark in places and places[mark] != (row, column):
                    shift = (places[mark][0] - row, places[mark][1] - column)
                    seen.setdefault((step.action, mark), Counter())[shift] += 1
    found = {key: counts.most_common(1)[0][0] for key, counts in seen.items()}
    return {**prior, **found}


class _Row(NamedTuple):
    """One past step as the regression sees it: places of weights."""

    taken: list[int]
    state: list[int]
    choices: list[list[int]]
    points: float
    goes_on: bool


def learn(episodes: Sequence[PastEpisode], scoring: Scoring, prior: Beliefs = NOTHING) -> Beliefs:
    """Return what the episodes teach, on top of what was believed before."""
    episodes = _newest(episodes)
    if not episodes:
        return prior
    shifts = find_shifts(episodes, prior.shifts)
    places: dict[Key, int] = {key: place for place, key in enumerate(prior.weights)}
    rows = _rows(episodes, scoring, shifts, places)
    fit = _Fit(rows, [prior.weights.get(key, _NOTHING_KNOWN) for key in places])
    at_once = fit.solve([row.points for row in rows], [weight.at_once for weight in fit.prior], ROUNDS * SWEEPS)
    worth = fit.worths()
    spread = sqrt(sum(rest * rest for rest in fit.rest) / len(rows))
    weights = {key: Weight(worth[at], at_once[at], fit.times[at]) for key, at in places.items()}
    return Beliefs(weights, shifts, max(spread, 1e-3))


def _newest(episodes: Sequence[PastEpisode]) -> list[PastEpisode]:
    kept: list[PastEpisode] = []
    left = MAX_STEPS
    for episode in reversed(episodes):
        if left <= 0:
            break
        kept.append(episode[-left:])
        left -= len(episode)
    return kept[::-1]


def _rows(episodes: Sequence[PastEpisode], scoring: Scoring, shifts: Shifts, places: dict[Key, int]) -> list[_Row]:
    chosen = options(scoring, episodes)
    taken: list[list[int]] = []
    states: list[list[int]] = []
    for episode in episodes:
        for step in episode:
            state = [places.setdefault(key, len(places)) for key in state_keys(step.observation)]
            own = action_keys(step.observation, step.action, shifts)
            states.append(state)
            taken.append(state + [places.setdefault(key, len(places)) for key in own])
    rows: list[_Row] = []
    for episode in episodes:
        points = judge(episode, scoring)
        for index, step in enumerate(episode):
            choices = [action_keys(step.observation, action, shifts) for action in chosen]
            known = [[places[key] for key in keys if key in places] for keys in choices]
            at = len(rows)
            rows.append(_Row(taken[at], states[at], known, points[index], index + 1 < len(episode)))
    return rows


class _Fit:
    """Ridge regression by coordinate descent towards the prior weights."""

    def __init__(self, rows: list[_Row], prior: list[Weight]) -> None:
        self.prior = prior
        self.rest: list[float] = []
        self._rows = rows
        self._users: list[list[int]] = [[] for _ in prior]
        for index, row in enumerate(rows):
            for place in row.taken:
                self._users[place].append(index)
        self._pull = [CAUTION + weight.times for weight in prior]
        self.times = [weight.times + len(users) for weight, users in zip(prior, self._users, strict=True)]

    def worths(self) -> list[float]:
        """Return weights for the points from a step on, by fitted iteration."""
        prior = [weight.worth for weight in self.prior]
        weights = prior
        targets = [row.points for row in self._rows]
        for turn in range(ROUNDS):
            if turn or any(prior):
                targets = self._targets(weights)
            weights = self.solve(targets, prior, SWEEPS, weights)
        return weights

    def _targets(self, weights: list[float]) -> list[float]:
        targets = [0.0] * len(self._rows)
        ahead = believed = 0.0
        for index in range(len(self._rows) - 1, -1, -1):
            row = self._rows[index]
            target = row.points
            if row.goes_on:
                target += DISCOUNT * ((1 - TRACE) * believed + TRACE * ahead)
            targets[index] = ahead = target
            best = max([sum([weights[at] for at in choice]) for choice in row.choices], default=0.0)
            believed = sum([weights[at] for at in row.state]) + best
        return targets

    def solve(
        self, targets: list[float], prior: list[float], sweeps: int, start: list[float] | None = None
    ) -> list[float]:
        """Return the weights that predict the targets, pulled towards the prior; keep what is left over in ``rest``."""
        weights = list(start or prior)
        rest = [
            target - sum([weights[at] for at in row.taken]) for target, row in zip(targets, self._rows, strict=True)
        ]
        for _ in range(sweeps):
            for place, users in enumerate(self._users):
                if not users:
                    continue
                old, pull = weights[place], self._pull[place]
                gain = sum([rest[user] for user in users]) + pull * (prior[place] - old)
                step = gain / (len(users) + pull)
                weights[place] = old + step
                for user in users:
                    rest[user] -= step
        self.rest = rest
        return weights
