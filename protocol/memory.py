"""From the reply of a summary call to the memory that is carried on."""

from __future__ import annotations

from protocol.reply import strip_thinking
from protocol.tokens import clip

_LABEL = "tips:"


def memory_text(reply: str, memory_tokens: int) -> str:
    """Return the memory that a summary reply gives: without thinking and a leading "Tips:", cut to its budget.

    Empty if the reply holds nothing; an empty memory is never carried on.
    """
    return clip(uncut_memory(reply), memory_tokens)


def uncut_memory(reply: str) -> str:
    """Return the memory that a summary reply gives before it is cut to a budget."""
    text = strip_thinking(reply).replace("\r\n", "\n").strip()
    if text[: len(_LABEL)].lower() == _LABEL:
        text = text[len(_LABEL) :].lstrip()
    return text
