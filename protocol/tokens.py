"""A token estimate that is deterministic, offline and fair to boards."""

from __future__ import annotations

from functools import lru_cache

MESSAGE_OVERHEAD = 5
"""Estimated tokens that a chat template adds to each message (role and turn markers)."""

_LETTERS = bytes(range(ord("A"), ord("Z") + 1)) + bytes(range(ord("a"), ord("z") + 1))
_BLANKS = b" \t"
_WORDS = _LETTERS + _BLANKS
_RUNS = bytes(0x61 if byte in _LETTERS else 0x20 for byte in range(256))
"""Every letter an a, everything else a blank."""
_BLANK_DIGIT = bytes(0x20 if byte in _BLANKS else 0x30 if 0x30 <= byte <= 0x39 else 0x2E for byte in range(256))
"""Every blank a space, every digit a zero, everything else a dot."""
_RUN = b"a" * 5


def estimate(text: str) -> int:
    """Return the estimated number of tokens of a text.

    A run of ASCII letters counts ceil(length / 5); every digit, other ASCII character, newline and non-ASCII byte
    counts 1; a blank counts 1 before a digit, else 0.
    """
    data = text.encode()
    letters = data.translate(_RUNS)
    whole = letters.count(_RUN)
    # Each five letters become one other sign, from the left: what is left of a run stands at its end.
    rest = letters.replace(_RUN, b"b", whole) if whole else letters
    parts = whole + rest.count(b"a ") + rest.endswith(b"a")
    return len(data.translate(None, _WORDS)) + parts + data.translate(_BLANK_DIGIT).count(b" 0")


@lru_cache(maxsize=512)
def estimate_known(text: str) -> int:
    """Return the estimate of a short text that is likely to come again, such as an answer line."""
    return estimate(text)


def most(text: str) -> int:
    """Return what the estimate of a text cannot exceed, without counting: no byte counts more than 1."""
    return len(text) if text.isascii() else len(text.encode())


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
