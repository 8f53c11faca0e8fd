"""Chess: how an action is read. The rule is written in the README."""

from __future__ import annotations

import re

from games.text import fold

MOST_CHARACTERS = 4_000

_MARK = r"""[ \t\n\r\f\v()\[\]{}<>"'`*,;:]"""
_NUMBER = r"[+-]?[0-9]{1,6}"
_LABEL = r"[A-Za-z](?![A-Za-z])"
_UNLABELLED = r"(?:[^A-Za-z]|[A-Za-z]{2,})*+"

_HEAD = re.compile(r"(?:[^A-Za-z0-9]|[A-Za-z]{2,})*+", re.ASCII)
"""What may stand before the first label: no digit."""
_ENTRY = re.compile(
    rf"""({_LABEL})
    (?: (?: {_MARK} | [=|\u2192] | -+(?=>) | -(?=[ \t\n\r\f\v]*[(\[{{]) )*+
        ({_NUMBER}) {_MARK}++ ({_NUMBER})
        (?: {_MARK} | [.!|&] | [Aa][Nn][Dd](?![A-Za-z]) )*+
        (?= {_LABEL} | \Z )
    |   {_UNLABELLED}
    )""",
    re.ASCII | re.VERBOSE,
)
"""A label with its two numbers, or a label with anything else up to the next one."""


Prediction = tuple[str, int, int]
"""What one entry of an action says: a letter, a row and a column, as written."""


def predictions(action: str) -> tuple[list[Prediction], int]:
    """Return the predictions of an action in the order written, and how many further entries cannot be read."""
    if len(action) > MOST_CHARACTERS:
        return [], 0
    text = _HEAD.sub("", fold(action), count=1)
    if text[:1].isdigit():
        return [], 0
    entries = _ENTRY.findall(text)
    read = [(label, int(row), int(column)) for label, row, column in entries if row]
    return read, len(entries) - len(read)
