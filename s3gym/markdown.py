"""Markdown in which no text from outside is anything but text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from runner.printable import printable

_RUN = re.compile("`+")
_PLAIN = re.compile(r"(?!.*//)(?:[A-Za-z0-9 ,;:()=%+'/-]|\.(?![A-Za-z]))+")
"""What no dialect makes a link, a mention or mark-up of, within a line."""


def literal(text: str) -> str:
    """Return text as a code span: whole, on one line, and never read as Markdown, HTML, a link or a mention.

    Characters that are not printable are escaped. Not for cells of a table, where a bar would part it.
    """
    shown = printable(text).replace("\n", "\\n")
    fence = _fence(shown, 1)
    # A span that begins or ends with a backtick needs blanks, and one blank on either side is taken away again.
    edge = shown[:1] + shown[-1:]
    pad = " " if "`" in edge or (edge == "  " and shown.strip(" ")) else ""
    return f"{fence}{pad}{shown}{pad}{fence}" if shown else "(empty)"


def said(text: str) -> str:
    """Return text within a line: as it is where it is plain words and numbers, else as a code span."""
    return text if _PLAIN.fullmatch(text) else literal(text)


def code_block(lines: Iterable[str]) -> str:
    """Return lines of a terminal as a block."""
    text = printable("\n".join(lines))
    fence = _fence(text, 3)
    return f"{fence}console\n{text}\n{fence}"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of our own words and numbers."""
    lines = [headings, ["---", *("---:" for _ in headings[1:])], *rows]
    assert all("|" not in cell for line in lines for cell in line), "a bar would part a cell"
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _fence(text: str, least: int) -> str:
    longest = max((len(run) for run in _RUN.findall(text)), default=0)
    return "`" * max(least, longest + 1)
