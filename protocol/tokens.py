"""A token estimate that is deterministic, offline and fair to boards."""

from __future__ import annotations

import re

MESSAGE_OVERHEAD = 5
"""Estimated tokens that a chat template adds to each message (role and turn markers)."""

_LETTERS = re.compile(rb"[A-Za-z]{1,5}")
_BLANK_BEFORE_DIGIT = re.compile(rb"[ \t](?=[0-9])")
_BLANKS = b" \t"
_LETTER_BYTES = bytes(range(ord("A"), ord("Z") + 1)) + bytes(range(ord("a"), ord("z") + 1))


def estimate(text: str) -> int:
    """Return the estimated number of tokens of a text.

    A run of ASCII letters counts ceil(length / 5); every digit, other ASCII character, newline and non-ASCII byte
    counts 1; a blank counts 1 before a digit, else 0.
    """
    data = text.encode()
    others = len(data.translate(None, _LETTER_BYTES + _BLANKS))
    return others + len(_LETTERS.findall(data)) + len(_BLANK_BEFORE_DIGIT.findall(data))


def clip(text: str, tokens: int) -> str:
    """Return the longest run of whole first lines, or failing that of characters, within an estimate."""
    if estimate(text) <= tokens:
        return text
    lines = text.split("\n")
    kept, total = 0, 0
    for line in lines:
        total += estimate(line) + (1 if kept else 0)
        if total > tokens:
            break
        kept += 1
    if kept and "".join(lines[:kept]).strip():
        return "\n".join(lines[:kept]).rstrip()
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if estimate(text[:middle]) <= tokens else (low, middle - 1)
    return text[:low].rstrip()
