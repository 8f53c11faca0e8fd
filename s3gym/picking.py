"""The game that a user names: found, completed by the shell, or refused with the nearest name."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from games.registry import AnyGame


def pick_game(name: str) -> AnyGame:
    """Return the game with this id.

    Raises:
        ValueError: If there is none; the message holds the nearest name, if one is near.
    """
    from games.registry import GAMES, game_named

    try:
        return game_named(name)
    except ValueError as error:
        ids = {key: game.id for game in GAMES for key in (game.id, game.title.lower())}
        near = get_close_matches(name.strip().lower(), ids, n=1)
        hint = f"did you mean {ids[near[0]]}?" if near else "s3gym games tells what they are"
        raise ValueError(f"{error}; {hint}") from None


def complete_game(incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield what a shell offers for a game that is typed halfway: ids with titles."""
    from games.registry import GAMES

    for game in GAMES:
        if game.id.startswith(incomplete):
            yield game.id, game.title
