"""The game that a user names: completed by the shell."""

from __future__ import annotations

from collections.abc import Iterator


def complete_game(incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield what a shell offers for a game that is typed halfway: ids with titles."""
    from games.registry import GAMES

    for game in GAMES:
        if game.id.startswith(incomplete):
            yield game.id, game.title
