"""The one written list of games."""

from __future__ import annotations

from typing import cast

from games.base import Config, Game, State
from games.chess.rules import CHESS
from games.minesweeper.rules import MINESWEEPER
from games.near import nearest
from games.nullify.rules import NULLIFY
from games.pvz.rules import PVZ
from games.snake.rules import SNAKE
from games.tetris.rules import TETRIS
from games.trust.rules import TRUST

AnyGame = Game[Config, State]
"""A game whose own types are forgotten: a state is only ever given back to the game that made it."""

GAMES: tuple[AnyGame, ...] = (
    cast("AnyGame", CHESS),
    cast("AnyGame", MINESWEEPER),
    cast("AnyGame", NULLIFY),
    cast("AnyGame", TETRIS),
    cast("AnyGame", SNAKE),
    cast("AnyGame", PVZ),
    cast("AnyGame", TRUST),
)


def game_named(name: str) -> AnyGame:
    """Return the game with this id.

    Raises:
        ValueError: If there is none; the message holds the nearest name, if one is near.
    """
    for game in GAMES:
        if game.id == name:
            return game
    ids = {key: game.id for game in GAMES for key in (game.id, game.title.lower())}
    found = nearest(name, ids)
    meant = "" if found is None else f"; did you mean {ids[found]}?"
    raise ValueError(f"game: expected one of {', '.join(game.id for game in GAMES)}, got {name!r}{meant}")
