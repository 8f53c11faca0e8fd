"""A person in place of a model: the same text, one step at a time."""

from __future__ import annotations

from collections.abc import Callable

from games.base import Config
from games.play import Turn
from games.registry import AnyGame
from protocol.prompts import user_text
from protocol.reply import read_reply

QUIT = "quit"


def printable(text: str) -> str:
    """Return text as a terminal may show it: whatever could drive it is escaped, line ends excepted."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char == "\n" else char.encode("unicode_escape").decode() for char in text
    )


class Human:
    """A policy for ``games.play`` that shows what a model would be told and reads an action.

    Args:
        game: The game.
        config: Its config.
        write: Shows a text.
        read: Reads a line; raises EOFError when there is no more.
    """

    def __init__(self, game: AnyGame, config: Config, write: Callable[[str], None], read: Callable[[], str]) -> None:
        self._write = write
        self._read = read
        self._form = game.action_form
        self._opening = f"{game.rules}\n\n{game.numbers(config)}"

    def __call__(self, turn: Turn) -> str | None:
        """Return the action for a turn; None to stop."""
        if turn.step == 0:
            self._write(printable(self._opening))
        self._write(printable(user_text(turn.feedback, turn.observation, self._form)))
        try:
            action = self._read()
        except EOFError:
            return None
        if action.strip().lower() == QUIT:
            return None
        said = read_reply(action).action
        return action if said is None else said
