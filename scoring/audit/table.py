"""Read a foreign table of results; it is untrusted, and the work on it is bounded."""

from __future__ import annotations

import csv
import io
from fractions import Fraction

from scoring.audit.grids import MAX_STEPS, Grid, episode_grid, published_grid
from scoring.audit.printed import PrintedRow
from scoring.published.tables import GAMES, number

COLUMNS = ("game", "model", "avg", "max", "auc_plus")
MAX_BYTES = 1_000_000
MAX_ROWS = 2_000
MAX_TEXT = 200


def parse_rows(text: str, name: str) -> tuple[PrintedRow, ...]:
    """Return the rows of a CSV text; columns other than those asked for are passed over.

    Raises:
        ValueError: If a column is missing, a number is no plain decimal, or the table is too large.
    """
    if len(text) > MAX_BYTES:
        raise ValueError(f"{name}: expected at most {MAX_BYTES:,} characters, got {len(text):,}; split the table")
    try:
        lines = list(csv.reader(io.StringIO(text), strict=True))
    except csv.Error as error:
        raise ValueError(f"{name}: not a CSV file: {error}") from error
    header = [cell.strip().lower() for cell in lines[0]] if lines else []
    lacking = [column for column in COLUMNS if header.count(column) != 1]
    if lacking:
        raise ValueError(
            f"{name}, line 1: expected each of {', '.join(COLUMNS)} once, got {','.join(header)[:MAX_TEXT]!r}"
        )
    if len(lines) - 1 > MAX_ROWS:
        raise ValueError(f"{name}: expected at most {MAX_ROWS:,} rows, got {len(lines) - 1:,}; split the table")
    places = [header.index(column) for column in COLUMNS]
    rows = []
    for count, cells in enumerate(lines[1:], 2):
        if len(cells) != len(header):
            raise ValueError(f"{name}, line {count}: expected {len(header)} cells, got {len(cells)}")
        game, model, *numbers = (cells[place].strip() for place in places)
        values = [number(text, f"{name}, line {count}") for text in numbers]
        rows.append(PrintedRow(GAMES.get(game, game.lower())[:MAX_TEXT], model[:MAX_TEXT], *values))
    return tuple(rows)


def parse_grid(text: str, episodes: int) -> tuple[str, Grid]:
    """Return a game and its grid from ``GAME=STEP`` or ``GAME=STEP:LOW:HIGH``, of one episode's score in points.

    Raises:
        ValueError: If it has another form, or the step is not positive.
    """
    game, mark, rest = text.partition("=")
    parts = rest.split(":")
    try:
        step, low, high = (Fraction(part) for part in (parts if len(parts) == 3 else [*parts, "0", "1000000"]))
    except (ValueError, ZeroDivisionError):
        mark, step, low, high = "", Fraction(1), Fraction(0), Fraction(1)
    if not (game and mark) or step <= 0 or low >= high or max(map(abs, (1 / step, low, high))) > 10**9:
        raise ValueError(f"--grid: expected GAME=STEP or GAME=STEP:LOW:HIGH with STEP > 0 and LOW < HIGH, got {text!r}")
    if (high - low) / step > MAX_STEPS // episodes:
        raise ValueError(
            f"--grid: expected at most {MAX_STEPS // episodes:,} steps from LOW to HIGH, got {text!r}; "
            "give a range that scores can have"
        )
    return GAMES.get(game, game.lower()), episode_grid(step, low, high, episodes)


def grid_of(game: str, given: dict[str, Grid], episodes: int) -> Grid:
    """Return the grid of a game: the one that was given, else that of the published table.

    Raises:
        ValueError: If the game is unknown.
    """
    grid = given.get(game) or published_grid(game, episodes)
    if grid is None:
        raise ValueError(f"{game}: the steps of its scores are not known; give them with --grid {game}=STEP")
    return grid
