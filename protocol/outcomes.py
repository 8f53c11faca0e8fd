"""What kind of reply a step holds: derived, never claimed."""

from __future__ import annotations

from enum import StrEnum

from protocol.records import Finish
from protocol.reply import Reply, strip_thinking


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
    return ReplyKind.UNREADABLE if strip_thinking(text).strip() else ReplyKind.EMPTY
