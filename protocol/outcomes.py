"""What kinds of replies steps hold: derived, never claimed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from protocol.records import Finish
from protocol.reply import Reply, second_answer
from protocol.spoken import spoken


class ReplyKind(StrEnum):
    """A closed list; every step is of exactly one kind."""

    ANSWERED = "answered"
    UNREADABLE = "unreadable"
    TRUNCATED = "truncated"
    """Cut at the token limit before an answer."""
    EMPTY = "empty"
    FILTERED = "filtered"


CHANNEL_FAULTS = frozenset({ReplyKind.TRUNCATED, ReplyKind.EMPTY, ReplyKind.FILTERED})
"""Kinds that measure the endpoint rather than the model when there are many of them."""


def reply_kind(text: str, finish: Finish, reply: Reply) -> ReplyKind:
    """Return the kind of a reply from its raw text, its finish reason and what was read from it."""
    if finish == "content_filter":
        return ReplyKind.FILTERED
    if reply.action is not None:
        return ReplyKind.ANSWERED
    if finish == "length":
        return ReplyKind.TRUNCATED
    return ReplyKind.UNREADABLE if spoken(text).strip() else ReplyKind.EMPTY


class ReplyCounts(NamedTuple):
    """How some replies are to be taken."""

    steps: int
    kinds: Mapping[ReplyKind, int]
    """Steps by the kind of their reply; every kind is there."""
    cut_off: int
    """Replies that ended at the token limit, answered or not."""
    second_answers: int
    """Replies with another answer line above the one that was played."""
    missing_scores: int


def count_replies(replies: Iterable[tuple[str, Finish, Reply]]) -> ReplyCounts:
    """Return the counts of replies: of each the raw text, the finish reason and what was read from it."""
    kinds: Counter[ReplyKind] = Counter()
    answered = cut_off = second = missing = 0
    for text, finish, reply in replies:
        kind = reply_kind(text, finish, reply)
        # Nearly all are of this kind, and to find a kind in a counter takes longer than all else here.
        if kind is ReplyKind.ANSWERED:
            answered += 1
        else:
            kinds[kind] += 1
        cut_off += finish == "length"
        second += second_answer(text)
        missing += reply.score is None
    total = answered + kinds.total()
    kinds[ReplyKind.ANSWERED] += answered
    return ReplyCounts(total, {kind: kinds[kind] for kind in ReplyKind}, cut_off, second, missing)
