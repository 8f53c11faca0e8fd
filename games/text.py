"""Text handling that does not depend on the Python version: ASCII-strict after one documented folding."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_FOLDS = {ord("０") + digit: str(digit) for digit in range(10)}
_FOLDS |= dict.fromkeys(map(ord, "−–—－﹣‐‑"), "-")
_FOLDS |= {ord("（"): "(", ord("）"): ")", ord("，"): ",", ord("；"): ";", ord("："): ":", ord("\u3000"): " "}


def fold(text: str) -> str:
    """Fold full-width digits and punctuation and the Unicode minus signs to ASCII; leave the rest alone."""
    return text if text.isascii() else text.translate(_FOLDS)


_AROUND = " \t\n\r\f\v()[]{}<>\"'`*.,;:!"


@lru_cache(maxsize=1024)
def word(text: str) -> str:
    """Return a text in upper case without blanks, brackets, quotes and punctuation around it; empty if not ASCII."""
    bare = fold(text).strip(_AROUND)
    return bare.upper() if bare.isascii() else ""


_BETWEEN = re.compile(r"[ \t\n\r\f\v(){}\[\]<>\"'`*,;:]+")
_INTEGER = re.compile(r"[+-]?[0-9]{1,6}")


def integers(text: str, most: int) -> tuple[int, ...] | None:
    """Return the integers of a text that holds nothing else, or None.

    Blanks, brackets, quotes, commas, colons and semicolons may stand around and between them, a full stop at the end.
    An integer has at most six digits and may have a sign.

    Args:
        text: What a player wrote.
        most: How many integers there may be.
    """
    bare = fold(text).strip(_AROUND)
    if not bare:
        return ()
    parts = _BETWEEN.split(bare, maxsplit=most)
    if len(parts) > most or not all(map(_INTEGER.fullmatch, parts)):
        return None
    return tuple(map(int, parts))


def board(rows: Iterable[Iterable[str]]) -> str:
    """Return a board with one blank between cells and one line a row."""
    return "\n".join([" ".join(row) for row in rows])
