"""Writes what was learned as tips that a person can read, and reads it back from them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import sqrt
from typing import NamedTuple

from protocol.tokens import estimate
from runner.models.learning.kinds import MAX_EVENTS, MAX_KINDS, START, Event, Record, Table
from runner.models.learning.weighing import Beliefs, Key, Weight

TOKENS_A_WORD = 2
"""The limit that goes with a number of words, in estimated tokens."""

RETAIN, AVOID, NEXT = "Strategies to retain:", "Mistakes to avoid:", "Directions for next time:"
_SHOWN = 0.005
"""Smaller weights would be printed as nothing."""
_NOTHING = "- Nothing is known yet."

_MAX_LINE = 10_000
_MAX_WEIGHT_LINE = 1_000
"""Longer lines are not of this hand; they are passed over unread."""

_SIGNED = r"([+-]\d{1,6}\.\d\d)"
_COUNT = r"(\d{1,6})"
_WEIGHT = re.compile(
    rf"- (?:Always|When (.+)): (?:(any action)|(that action)|the action (.*)) {_SIGNED}, at once {_SIGNED} "
    rf"\({_COUNT} times\)",
    re.ASCII,
)
_SHIFT = re.compile(r"- The action (.*) moves (\S) by (-?\d{1,3}) rows and (-?\d{1,3}) columns\.", re.ASCII)
_EVENT = re.compile(rf"- E{_COUNT} means {_SIGNED} \({_COUNT} times\): (.+)", re.ASCII)
_LONGEST = re.compile(rf"- An episode lasts up to {_COUNT} steps\.", re.ASCII)
_KIND = re.compile(rf"- A kind of {_COUNT} episodes: (.+)\.", re.ASCII)
_ENTRY = re.compile(r"after (start|E\d{1,6}) (.+) brings (E\d{1,6} x\d{1,6}(?:, E\d{1,6} x\d{1,6})*)", re.ASCII)
_BRINGS = re.compile(rf"(E\d{{1,6}}) x{_COUNT}", re.ASCII)


class Known(NamedTuple):
    """All that the learner knows."""

    beliefs: Beliefs
    record: Record


class _Tip(NamedTuple):
    section: str
    line: str


def write_tips(known: Known, words: int) -> str:
    """Return tips in three sections, the best evidence first, of at most so many words."""
    kept: dict[str, list[str]] = {RETAIN: [], AVOID: [], NEXT: []}
    left = words * TOKENS_A_WORD - sum(estimate(f"{heading}\n{_NOTHING}\n") for heading in kept)
    left_words = words - sum(len(f"{heading} {_NOTHING}".split()) for heading in kept)
    for section, line in _tips(known):
        tokens, length = estimate(f"{line}\n"), len(line.split())
        if tokens <= left and length <= left_words:
            left, left_words = left - tokens, left_words - length
            kept[section].append(line)
    return "\n".join(line for heading, lines in kept.items() for line in (heading, *(lines or [_NOTHING])))


def _tips(known: Known) -> Iterator[_Tip]:
    beliefs, record = known
    if record.kinds:
        yield from _kind_tips(record)
    if not beliefs.weights:
        return
    for (action, mark), (down, right) in beliefs.shifts.items():
        yield _Tip(NEXT, f"- The action {action} moves {mark} by {down} rows and {right} columns.")
    ranked = sorted(beliefs.weights.items(), key=lambda item: -abs(item[1].worth) * sqrt(item[1].times))
    for key, weight in ranked:
        if max(abs(weight.worth), abs(weight.at_once)) >= _SHOWN:
            yield _Tip(RETAIN if weight.worth > 0 else AVOID, _weight_line(key, weight))


def _weight_line(key: Key, weight: Weight) -> str:
    when = f"When {key.statement}" if key.statement else "Always"
    who = {"state": "any action", "link": "that action", "action": f"the action {key.action}"}[key.kind]
    return f"- {when}: {who} {weight.worth:+.2f}, at once {weight.at_once:+.2f} ({weight.times} times)"


def _kind_tips(record: Record) -> Iterator[_Tip]:
    names = {event: f"E{index}" for index, event in enumerate(record.events, 1)}
    yield _Tip(NEXT, f"- An episode lasts up to {record.longest} steps.")
    for event, (points, times) in record.events.items():
        yield _Tip(RETAIN if points > 0 else AVOID, f"- {names[event]} means {points:+.2f} ({times} times): {event}")
    for size, table in sorted(record.kinds, key=lambda kind: -kind[0]):
        entries = []
        for (before, action), counts in table.items():
            brings = ", ".join(f"{names[event]} x{times}" for event, times in counts.items())
            entries.append(f"after {names.get(before, START)} {action} brings {brings}")
        yield _Tip(NEXT, f"- A kind of {size} episodes: {'; '.join(entries)}.")


def read_tips(text: str) -> Known:
    """Return what tips say in the form in which they are written here; everything else in them is passed over."""
    lines = [line for line in text.split("\n") if len(line) <= _MAX_LINE]
    weights: dict[Key, Weight] = {}
    shifts: dict[tuple[str, str], tuple[int, int]] = {}
    for line in lines:
        if len(line) > _MAX_WEIGHT_LINE:
            continue
        if match := _WEIGHT.fullmatch(line):
            weights[_key(match)] = Weight(float(match[5]), float(match[6]), int(match[7]))
        elif match := _SHIFT.fullmatch(line):
            shifts[match[1], match[2]] = (int(match[3]), int(match[4]))
    return Known(Beliefs(weights, shifts), _read_record(lines))


def _key(match: re.Match[str]) -> Key:
    statement = match[1] or ""
    if match[2]:
        return Key("state", statement, "")
    return Key("link", statement, "") if match[3] else Key("action", statement, match[4])


def _read_record(lines: list[str]) -> Record:
    names: dict[str, str] = {}
    events: dict[str, Event] = {}
    longest = 0
    for line in lines:
        if len(events) <= MAX_EVENTS and (match := _EVENT.fullmatch(line)):
            names[f"E{int(match[1])}"] = match[4]
            events[match[4]] = Event(float(match[2]), max(1, int(match[3])))
        elif match := _LONGEST.fullmatch(line):
            longest = int(match[1])
    kinds = [(max(1, int(match[1])), _read_table(match[2], names)) for match in map(_KIND.fullmatch, lines) if match]
    return Record(tuple(kinds[:MAX_KINDS]), events, longest)


def _read_table(text: str, names: dict[str, str]) -> Table:
    table: dict[tuple[str, str], dict[str, int]] = {}
    for match in map(_ENTRY.fullmatch, text.split("; ")):
        if match and (match[1] == START or match[1] in names):
            brings = {names[name]: int(times) for name, times in _BRINGS.findall(match[3]) if name in names}
            if any(brings.values()):
                table[names.get(match[1], START), match[2]] = brings
    return table
