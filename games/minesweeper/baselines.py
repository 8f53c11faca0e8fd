"""Minesweeper: policies that read the observation alone, and one that sees the mines."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from games.base import Draw, Move
from games.minesweeper.board import FLAG, HIDDEN, MINE, cells, neighbours, places

if TYPE_CHECKING:
    from games.minesweeper.rules import MinesweeperState


class _Board(NamedTuple):
    rows: int
    columns: int
    mines: int
    view: str
    """The board as text; a cell is its place in it."""

    def move(self, verb: str, cell: int, score: float) -> Move:
        """Return the move that does something to a cell."""
        row, column = divmod(cells(self.rows, self.columns).index(cell), self.columns)
        return Move(f"{verb} ({row},{column})", score)


class _Clue(NamedTuple):
    """So many of these hidden cells hold a mine, if every flag is right."""

    mines: int
    cells: list[int]


def idle(observation: str, _draw: Draw) -> Move:
    """Place a flag on the first cell and remove it again."""
    board = _read(observation)
    first, *others = cells(board.rows, board.columns)
    worth = 1 / (1 + len(others))
    if board.view[first] == FLAG:
        return board.move("unflag", first, -worth)
    return board.move("flag", first, worth)


def random(observation: str, draw: Draw) -> Move:
    """Make any legal move; toss a coin whether a flag that is placed or removed is right."""
    board = _read(observation)
    hidden, flags = places(board.view, HIDDEN), places(board.view, FLAG)
    moves = [("uncover", cell, 0) for cell in hidden] + [("unflag", cell, -1) for cell in flags]
    if len(flags) < board.mines:
        moves += [("flag", cell, 1) for cell in hidden]
    verb, cell, worth = moves[draw(len(moves))]
    return board.move(verb, cell, draw(2) * worth / board.mines)


def greedy(observation: str, draw: Draw) -> Move:
    """Flag or uncover what one number makes sure; otherwise uncover a cell that is least likely a mine."""
    board = _read(observation)
    clues, left = _clues(board)
    if not left.cells:
        return board.move("unflag", places(board.view, FLAG)[0], 0)
    for clue in (*clues, left):
        if left.mines > 0 and clue.mines == len(clue.cells):
            return board.move("flag", clue.cells[0], 1 / board.mines)
    for clue in (*clues, left):
        if clue.mines <= 0:
            wins = len(left.cells) == left.mines + 1
            return board.move("uncover", clue.cells[0], left.mines / board.mines if wins else 0)
    return board.move("uncover", _safest(board, clues, left, draw), 0)


def oracle(state: MinesweeperState, _draw: Draw) -> Move:
    """Remove wrong flags, then flag every mine that was not hit."""
    config, mines = state.config, state.field.count(MINE)
    board = _Board(config.rows, config.columns, mines, state.view)
    for cell in places(state.view, FLAG):
        if state.field[cell] != MINE:
            return board.move("unflag", cell, 0)
    missing = [cell for cell in places(state.field, MINE) if state.view[cell] == HIDDEN]
    return board.move("flag", missing[0], 1 / mines)


def _read(observation: str) -> _Board:
    mines, _flags, _lives, view = observation.split("\n", 3)
    columns, *rows = view.split("\n")
    return _Board(len(rows), len(columns.split()), int(mines.split(" ")[1]), view)


def _clues(board: _Board) -> tuple[list[_Clue], _Clue]:
    """Return what every number beside hidden cells says of them, and what the number of mines says of all of them."""
    clues = []
    for cell, near in neighbours(board.rows, board.columns).items():
        if board.view[cell].isdigit():
            hidden = [other for other in near if board.view[other] == HIDDEN]
            if hidden:
                known = sum([board.view[other] in FLAG + MINE for other in near])
                clues.append(_Clue(int(board.view[cell]) - known, hidden))
    known = board.view.count(FLAG) + board.view.count(MINE)
    return clues, _Clue(board.mines - known, places(board.view, HIDDEN))


def _safest(board: _Board, clues: list[_Clue], left: _Clue, draw: Draw) -> int:
    """Return a hidden cell with the least chance of a mine; before anything is open, the one in the middle.

    The chance of a cell is the highest that a number beside it gives, or else that of all hidden cells.
    """
    every = cells(board.rows, board.columns)
    if len(left.cells) == len(every):
        return every[board.rows // 2 * board.columns + board.columns // 2]
    chances = dict[int, float]()
    for clue in clues:
        for cell in clue.cells:
            chances[cell] = max(chances.get(cell, 0), clue.mines / len(clue.cells))
    usual = left.mines / len(left.cells)
    least = min([chances.get(cell, usual) for cell in left.cells])
    best = [cell for cell in left.cells if chances.get(cell, usual) == least]
    return best[draw(len(best))]
