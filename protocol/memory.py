"""From the reply of a summary call to the memory that is carried on."""

from __future__ import annotations

from collections.abc import Mapping

from protocol.records import Finish, MemoryFailure
from protocol.spoken import spoken
from protocol.tokens import clip

_LABEL = "tips:"
_NO_SUMMARY: Mapping[Finish, MemoryFailure] = {
    "content_filter": "filtered",
    "refusal": "refused",
    "length": "truncated",
}


def memory_failure(reply: str, finish: Finish) -> MemoryFailure | None:
    """Return why a completed reply is no summary; None if it is one.

    What was filtered, declined or cut at its token limit never becomes the memory, whatever text came of it.
    """
    return _NO_SUMMARY.get(finish) or (None if uncut_memory(reply) else "empty")


def memory_text(reply: str, memory_tokens: int) -> str:
    """Return the memory that a summary reply gives: without thinking and a leading "Tips:", cut to its budget.

    Empty if the reply holds nothing; an empty memory is never carried on.
    """
    return clip(uncut_memory(reply), memory_tokens)


def uncut_memory(reply: str) -> str:
    """Return the memory that a summary reply gives before it is cut to a budget."""
    text = spoken(reply).replace("\r\n", "\n").strip()
    if text[: len(_LABEL)].lower() == _LABEL:
        text = text[len(_LABEL) :].lstrip()
    return text
