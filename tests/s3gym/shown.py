"""What a person sees of results: the tables of a terminal, read back."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from scoring.results import Results

GOLDEN = Path(__file__).resolve().parents[1] / "golden_round" / "results.json"
_RULE = re.compile("─+")


def golden() -> Results:
    """Return the results of a pinned round with failures, a missing baseline, missing games and ties."""
    return Results.model_validate_json(GOLDEN.read_text(encoding="utf-8"))


def screen(show: Callable[[Console], None], width: int) -> str:
    """Return what a terminal of this width shows, without colours."""
    console = Console(file=io.StringIO(), width=width, soft_wrap=True, emoji=False, color_system=None)
    show(console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


class Seen(NamedTuple):
    """Tables that stand below each other and have the same rows, as one."""

    headings: tuple[str, ...]
    """Both lines of a heading joined by a blank; the first column's left out."""
    rows: dict[str, tuple[str, ...]]
    """Cells by the label of the row."""


def tables(text: str) -> Seen:
    """Return all tables of a text as one: rows of one label are joined."""
    lines = text.split("\n")
    headings: list[str] = []
    rows: dict[str, tuple[str, ...]] = {}
    for place, line in enumerate(lines):
        if not _RULE.fullmatch(line):
            continue
        body = lines[place + 1 : lines.index("", place)]
        top = lines[place - 2] if lines[place - 2].startswith(" ") else ""
        spans = _spans([top, lines[place - 1], *body])
        headings += [f"{top[low:high].strip()} {lines[place - 1][low:high].strip()}".strip() for low, high in spans[1:]]
        for each in body:
            label, *cells = (each[low:high].strip() for low, high in spans)
            rows[label] = (*rows.get(label, ()), *cells)
    return Seen(tuple(headings), rows)


def _spans(rows: Sequence[str]) -> list[tuple[int, int]]:
    """Return where columns begin and end: two places are blank between them in every row."""
    width = max(map(len, rows))
    full = [any(len(row) > place and row[place] != " " for row in rows) for place in range(width)]
    starts = [place for place in range(width) if full[place] and not any(full[max(0, place - 2) : place])]
    return list(zip(starts, [*starts[1:], width], strict=True))


def words(text: str) -> str:
    """Return text with its line ends and rows of blanks as single blanks."""
    return " ".join(text.split())
