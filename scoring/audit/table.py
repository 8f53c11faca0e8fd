"""Read a foreign table of results; it is untrusted, and the work on it is bounded."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from scoring.audit.curves import key_of
from scoring.audit.grids import MAX_STEPS, Grid, episode_grid, published_grid
from scoring.audit.printed import PrintedRow
from scoring.audit.sheet import read_sheet
from scoring.published.tables import GAMES, number

NUMBERS = ("avg", "max", "auc_plus")
COLUMNS = ("game", "model", *NUMBERS)
MAX_ROWS = 2_000


def parse_rows(text: str, name: str) -> tuple[PrintedRow, ...]:
    """Return the rows of a CSV text; columns other than those asked for and pathway are passed over.

    Raises:
        ValueError: If a column is missing, a number is no plain decimal, or the table is too large.
    """
    lines = read_sheet(text, name, COLUMNS, ("pathway",)).lines
    if len(lines) > MAX_ROWS:
        raise ValueError(f"{name}: expected at most {MAX_ROWS:,} rows, got {len(lines):,}; split the table")
    rows = []
    for line in lines:
        avg, top, area = (number(line.cells[column], f"{name}, line {line.number}, {column}") for column in NUMBERS)
        run = key_of(line)
        rows.append(PrintedRow(run.game, run.model, avg, top, area, run.pathway, line.number))
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


def known_grid(game: str, given: Mapping[str, Grid], episodes: int) -> Grid | None:
    """Return the grid of a game: the one that was given, else that of the published table, else None."""
    return given.get(game) or published_grid(game, episodes)


def grid_of(game: str, given: Mapping[str, Grid], episodes: int) -> Grid:
    """Return the grid of a game.

    Raises:
        ValueError: If the game is unknown.
    """
    grid = known_grid(game, given, episodes)
    if grid is None:
        raise ValueError(f"{game}: the steps of its scores are not known; give them with --grid {game}=STEP")
    return grid
