"""Text handling that does not depend on the Python version: ASCII-strict after one documented folding.

How an action is read, the same in all games, is written in docs/reference/actions.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

_FOLDS = {ord("０") + digit: str(digit) for digit in range(10)}
_FOLDS |= dict.fromkeys(map(ord, "−–—－﹣‐‑"), "-")
_FOLDS |= {ord("（"): "(", ord("）"): ")", ord("，"): ",", ord("；"): ";", ord("："): ":", ord("\u3000"): " "}
_FOLDS |= {ord("\N{DEGREE SIGN}"): " ", ord("\N{RIGHTWARDS ARROW}"): "="}


def fold(text: str) -> str:
    """Fold full-width digits and punctuation, minus signs, arrows and degree signs to ASCII; leave the rest alone."""
    return text if text.isascii() else text.translate(_FOLDS)


_MARKS = " \t\r\f\v()[]{}<>\"'`*,:|&"
_MARK = rf"(?:[{re.escape(_MARKS)}]|[.!](?![0-9]))"
_LINK = rf"{_MARK}*+ (?: =++ | -++(?=>) | -(?=[ \t\r\f\v]*+[(\[{{]) ) (?={_MARK}*+[+-]?[0-9])"
_TOKEN = re.compile(
    rf"""(?:
        ([A-Za-z]++) (?:{_LINK})?+
    |   ((?:(?<![A-Za-z])[+-])?[0-9]{{1,6}}) (?={_MARK}|\Z)
    |   ((?:[^{re.escape(_MARKS)}.!]|[.!](?=[0-9]))++)
    ) {_MARK}*+""",
    re.ASCII | re.VERBOSE,
)
"""A word, with the link to the number after it; an integer; or anything else; and the marks behind it."""
_BREAKS = ";\n"
_BREAK = re.compile(f"[{_BREAKS}]")
_DIGIT = re.compile("[0-9]")
_AND = "AND"
_SHORT = 64
"""What has so few characters is remembered, since the same few actions come again and again."""

Token = str | int | None
"""A word in upper case, an integer, or None for anything else."""


class Order(NamedTuple):
    """What an action says: a word in upper case, empty if there is none, and numbers."""

    word: str
    numbers: tuple[int, ...]


def order(text: str, names: tuple[str, ...] = (), unit: str = "") -> Order | None:
    """Return the one order that an action holds, or None if it holds anything else.

    Args:
        text: What a player wrote.
        names: A name for each number that there must be; it may stand before the number.
        unit: A word that may stand after the last number.
    """
    return _remembered(text, names, unit) if len(text) <= _SHORT else _order(text, names, unit)


def word(text: str) -> str:
    """Return the one word that an action holds, in upper case; empty if it holds anything else."""
    found = order(text)
    return found.word if found else ""


def orders(text: str, names: tuple[str, ...]) -> Iterator[Order | None]:
    """Yield the entries of a list, each a letter and as many numbers as there are names; None for an unreadable one."""
    for part in _BREAK.split(fold(text)):
        letter, found, numbered = "", list[Token](), False
        for letters, digits, other in _TOKEN.findall(part):
            if len(letters) != 1:
                found.append(_token(letters, digits))
                numbered = numbered or bool(digits) or _DIGIT.search(other) is not None
                continue
            if letter:
                yield _entry(letter, found, names, _AND)
            elif numbered:
                found = [None]
                break
            letter, found = letters.upper(), []
        if letter:
            yield _entry(letter, found, names, _AND)
        elif found:
            yield None


def _order(text: str, names: tuple[str, ...], unit: str) -> Order | None:
    bare = fold(text).lstrip(_MARKS + _BREAKS).rstrip(f"{_MARKS}{_BREAKS}.!")
    matches = islice(_TOKEN.finditer(bare), 2 * len(names) + 3)
    found = [_token(match[1], match[2]) for match in matches]
    first = found[0] if found else None
    name = names[0] if names else ""
    if not isinstance(first, str) or first == name:
        return _entry("", found, names, unit)
    return _entry(first, found[1:], names, unit)


_remembered = lru_cache(maxsize=1024)(_order)


def _token(letters: str | None, digits: str | None) -> Token:
    return letters.upper() if letters else int(digits) if digits else None


def _entry(word: str, found: Sequence[Token], names: tuple[str, ...], unit: str) -> Order | None:
    """Return the order of a word and the tokens after it, or None if they are not its numbers and nothing else."""
    said = found if len(found) == len(names) else _unnamed(found, names, unit)
    numbers = [token for token in said if isinstance(token, int)]
    if len(said) != len(names) or len(numbers) != len(names) or not (word or numbers):
        return None
    return Order(word, tuple(numbers))


def _unnamed(found: Sequence[Token], names: tuple[str, ...], unit: str) -> Sequence[Token]:
    """Return tokens without the name before each number and the unit after the last one."""
    said, at = list[Token](), 0
    for name in names:
        at += found[at : at + 1] == [name]
        said += found[at : at + 1]
        at += 1
    return said + list(found[at + (bool(unit) and found[at : at + 1] == [unit]) :])


def board(rows: Iterable[Iterable[str]]) -> str:
    """Return a board with one blank between cells and one line a row."""
    return "\n".join([" ".join(row) for row in rows])
