"""Kinds of episodes: what an action brings after what came before, told apart by how episodes went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import exp, log
from typing import NamedTuple

from runner.models.learning.judging import Scoring, judge
from runner.models.reading import PastEpisode

START = "start"
"""What comes before the first step."""

Table = Mapping[tuple[str, str], Mapping[str, int]]
"""How often which event followed, by (event before, action)."""

MAX_KINDS = 12
MAX_EVENTS = 12
MAX_HORIZON = 12
MAX_ACTIONS = 16
_OTHER = "anything else"
_NEW_KIND = 1.0
"""A kind never met weighs like so many episodes."""
_FROM_ALL = 2.0
"""How many steps the record of an action over all episodes stands for, in judging it after a certain event."""
_FROM_KINDS = 0.5
"""How many steps the record over all kinds stands for, in judging one kind."""
_UNHEARD = 1e-3
"""The chance of an event that no record holds."""


class Event(NamedTuple):
    """Something that feedback says."""

    points: float
    """Mean over the times it happened."""
    times: int


class Story(NamedTuple):
    """One step of an episode: the action and what it brought."""

    action: str
    event: str


class Record(NamedTuple):
    """What was learned about kinds of episodes, as plain values."""

    kinds: tuple[tuple[int, Table], ...]
    """For each kind, the number of its episodes and its table."""
    events: Mapping[str, Event]
    longest: int
    """Steps of the longest episode."""


NO_RECORD = Record((), {}, 0)


def stories(episode: PastEpisode, scoring: Scoring, events: Mapping[str, Event]) -> list[Story]:
    """Return an episode as actions and known events."""
    judged = judge(episode, scoring)
    return [Story(step.action, _named(one.event, events)) for step, one in zip(episode, judged, strict=True)]


def _named(event: str, events: Mapping[str, Event]) -> str:
    return event if event in events else _OTHER


def _renamed(table: Table, events: Mapping[str, Event]) -> dict[tuple[str, str], Counter[str]]:
    """Return a table in which every event is one of these."""
    renamed: dict[tuple[str, str], Counter[str]] = {}
    for (before, action), counts in table.items():
        pair = (before if before == START else _named(before, events), action)
        for event, times in counts.items():
            renamed.setdefault(pair, Counter())[_named(event, events)] += times
    return renamed


def learn_kinds(episodes: Sequence[PastEpisode], scoring: Scoring, prior: Record) -> Record:
    """Return the kinds that the episodes fall into, one by one, on top of those met before."""
    if not episodes:
        return prior
    events = _events(episodes, scoring, prior)
    told = [stories(episode, scoring, events) for episode in episodes]
    sizes = [size for size, _ in prior.kinds]
    tables = [_renamed(table, events) for _, table in prior.kinds]
    pool = _Pool([*tables, *(_table(story) for story in told)])
    for story in told:
        fits = [log(size) + pool.fit(table, story) for size, table in zip(sizes, tables, strict=True)]
        best = max(range(len(fits)), key=fits.__getitem__, default=-1)
        if best < 0 or (len(fits) < MAX_KINDS and log(_NEW_KIND) + pool.fit({}, story) > fits[best]):
            best = len(sizes)
            sizes.append(0)
            tables.append({})
        sizes[best] += 1
        for pair, counts in _table(story).items():
            tables[best].setdefault(pair, Counter()).update(counts)
    longest = max(prior.longest, *(len(episode) for episode in episodes))
    return Record(tuple(zip(sizes, tables, strict=True)), events, longest)


def _events(episodes: Sequence[PastEpisode], scoring: Scoring, prior: Record) -> Mapping[str, Event]:
    """Return the most frequent events, the others in one."""
    totals = {name: (event.points * event.times, event.times) for name, event in prior.events.items()}
    for episode in episodes:
        for one in judge(episode, scoring):
            points, times = totals.get(one.event, (0.0, 0))
            totals[one.event] = (points + one.points, times + 1)
    ranked = sorted(totals.keys() - {_OTHER}, key=lambda name: (-totals[name][1], name))
    kept = {name: Event(totals[name][0] / totals[name][1], totals[name][1]) for name in ranked[:MAX_EVENTS]}
    others = [totals[name] for name in (*ranked[MAX_EVENTS:], _OTHER) if name in totals]
    if others:
        times = sum(times for _, times in others)
        kept[_OTHER] = Event(sum(points for points, _ in others) / times, times)
    return kept


def _table(story: Sequence[Story]) -> dict[tuple[str, str], Counter[str]]:
    table: dict[tuple[str, str], Counter[str]] = {}
    before = START
    for action, event in story:
        table.setdefault((before, action), Counter())[event] += 1
        before = event
    return table


class _Pool:
    """The record over all kinds, which every single kind is judged against."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self._after: dict[tuple[str, str], Counter[str]] = {}
        self._all: dict[str, Counter[str]] = {}
        for table in tables:
            for pair, counts in table.items():
                self._after.setdefault(pair, Counter()).update(counts)
                self._all.setdefault(pair[1], Counter()).update(counts)

    @property
    def actions(self) -> tuple[str, ...]:
        """Return every recorded action, most frequent first."""
        return tuple(sorted(self._all, key=lambda action: -self._all[action].total()))

    def chances(self, table: Table, before: str, action: str) -> dict[str, float]:
        """Return how likely each event is, shrunk from one kind to all kinds to the action alone."""
        overall = self._all.get(action, Counter())
        total = overall.total()
        after, own = self._after.get((before, action), Counter()), table.get((before, action), {})
        ever, here = sum(after.values()), sum(own.values())
        chances = {}
        for event, times in overall.items():
            everywhere = (after.get(event, 0) + _FROM_ALL * times / total) / (ever + _FROM_ALL)
            chances[event] = (own.get(event, 0) + _FROM_KINDS * everywhere) / (here + _FROM_KINDS)
        return chances

    def fit(self, table: Table, story: Sequence[Story]) -> float:
        """Return the log chance of a story under a kind."""
        total, before = 0.0, START
        for action, event in story:
            total += log(max(_UNHEARD, self.chances(table, before, action).get(event, 0.0)))
            before = event
        return total


class Kinds:
    """Looks ahead in the kinds that fit how an episode has gone so far."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self._kinds = (*record.kinds, (_NEW_KIND, {}))
        self._pool = _Pool([table for _, table in record.kinds])
        self.actions = self._pool.actions[:MAX_ACTIONS]
        """The actions that something is known of, most frequent first."""
        self._ahead: dict[tuple[int, str, int], Mapping[str, float]] = {}

    @property
    def steps(self) -> int:
        """Return how many steps stand behind this."""
        return sum(event.times for event in self.record.events.values())

    def worths(self, story: Sequence[Story]) -> Mapping[str, float]:
        """Return what each known action is worth up to the end of the episode, over the kinds that it may be of."""
        before = story[-1].event if story else START
        horizon = min(MAX_HORIZON, max(1, self.record.longest - len(story)))
        worths = dict.fromkeys(self.actions, 0.0)
        for index, share in enumerate(self._shares(story)):
            if share > _UNHEARD:
                for action, worth in self._look(index, before, horizon).items():
                    worths[action] += share * worth
        return worths

    def likeliest(self, story: Sequence[Story], action: str) -> Event | None:
        """Return the event that an action most likely brings now; None if nothing is known of the action."""
        before = story[-1].event if story else START
        chances: dict[str, float] = {}
        for share, (_, table) in zip(self._shares(story), self._kinds, strict=True):
            for event, chance in self._pool.chances(table, before, action).items():
                chances[event] = chances.get(event, 0.0) + share * chance
        return self.record.events[max(chances, key=chances.__getitem__)] if chances else None

    def _shares(self, story: Sequence[Story]) -> list[float]:
        """Return how likely the episode is of each kind."""
        fits = [log(size) + self._pool.fit(table, story) for size, table in self._kinds]
        shares = [exp(fit - max(fits)) for fit in fits]
        return [share / sum(shares) for share in shares]

    def _look(self, kind: int, before: str, horizon: int) -> Mapping[str, float]:
        known = self._ahead.get((kind, before, horizon))
        if known is None:
            table = self._kinds[kind][1]
            worths = dict.fromkeys(self.actions, 0.0)
            for action in self.actions:
                for event, chance in self._pool.chances(table, before, action).items():
                    later = max(self._look(kind, event, horizon - 1).values()) if horizon > 1 else 0.0
                    worths[action] += chance * (self.record.events[event].points + later)
            known = self._ahead[kind, before, horizon] = worths
        return known
