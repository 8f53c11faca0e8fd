"""Text handling that does not depend on the Python version: ASCII-strict after one documented folding."""

from __future__ import annotations

from collections.abc import Iterable

_FOLDS = {ord("０") + digit: str(digit) for digit in range(10)}
_FOLDS |= dict.fromkeys(map(ord, "−–—－﹣‐‑"), "-")
_FOLDS |= {ord("（"): "(", ord("）"): ")", ord("，"): ",", ord("；"): ";", ord("："): ":", ord("\u3000"): " "}


def fold(text: str) -> str:
    """Fold full-width digits and punctuation and the Unicode minus signs to ASCII; leave the rest alone."""
    return text if text.isascii() else text.translate(_FOLDS)


_AROUND = " \t\n\r\f\v()[]{}<>\"'`*.,;:!"


def word(text: str) -> str:
    """Return a text in upper case without blanks, brackets, quotes and punctuation around it; empty if not ASCII."""
    bare = fold(text).strip(_AROUND)
    return bare.upper() if bare.isascii() else ""


def board(rows: Iterable[Iterable[str]]) -> str:
    """Return a board with one blank between cells and one line a row."""
    return "\n".join([" ".join(row) for row in rows])
