"""A person in place of a model: the same text, one step at a time."""

from __future__ import annotations

from collections.abc import Callable

from games.base import Config, playable
from games.play import Turn
from games.registry import AnyGame
from protocol.context import EpisodeContext
from protocol.messages import Message
from protocol.prompts import system_text, user_text
from protocol.reply import Reply, canonical_line, read_reply
from runner.models.model import Answer
from runner.printable import printable
from runner.retry import RetryPolicy, says_nothing

QUIT = "quit"
RULES = "rules"

Write = Callable[[str], None]
"""Shows a text."""

Read = Callable[[], str]
"""Reads a line; raises EOFError when there is no more."""


class Human:
    """A policy for ``games.play`` that shows what a model would be told and reads an action.

    A line is the answer line that the text asks for, or what stands in it behind ``Answer:``, so an empty line is the
    empty action.

    Args:
        game: The game.
        config: Its config.
        write: Shows a text.
        read: Reads a line.
    """

    def __init__(self, game: AnyGame, config: Config, write: Write, read: Read) -> None:
        self._write = write
        self._read = read
        self._form = game.action_form
        self._opening = f"{system_text(game.rules)}\n\n{game.numbers(config)}"
        self.replies: list[Reply] = []
        """What was read of each line that was played."""

    def __call__(self, turn: Turn) -> str | None:
        """Return the action for a turn; None to stop."""
        if turn.step == 0:
            self._write(printable(self._opening))
        self._write(printable(user_text(turn.feedback, turn.observation, self._form)))
        line = self._line()
        if line is None:
            return None
        reply = read_reply(line)
        if reply.action is None:
            reply = read_reply(f"Answer: {line}")
        self.replies.append(reply)
        return playable(reply.action)

    def _line(self) -> str | None:
        """Return the line to play; None to stop."""
        while (line := next_line(self._read)) is not None and _is_word(line, RULES):
            self._write(printable(self._opening))
        return line


class AsModel:
    """A policy for ``games.play`` that shows the very messages a model is sent and reads a reply under its contract.

    Each message is shown once: those before it stand in every later prompt as they are. An empty reply is asked for
    again as often as a run does, and an unreadable one is an invalid action.

    Args:
        context: The prompt of the episode, as it grows.
        announce: Shows a line that is not part of a message.
        write: Shows a message.
        read: Reads a line.
    """

    def __init__(self, context: EpisodeContext, announce: Write, write: Write, read: Read) -> None:
        self._context = context
        self._announce = announce
        self._write = write
        self._read = read
        self._shown: list[Message] = []
        self.replies: list[Reply] = []
        """What was read of each reply that was played."""

    def __call__(self, turn: Turn) -> str | None:
        """Return the action for a turn; None to stop."""
        self._context.turn(turn.feedback, turn.observation)
        self._show(self._context.messages())
        text = self._reply()
        if text is None:
            return None
        reply = read_reply(text)
        self.replies.append(reply)
        self._context.answered(canonical_line(reply))
        return playable(reply.action)

    def _show(self, messages: list[Message]) -> None:
        known = len(self._shown) if messages[: len(self._shown)] == self._shown else 0
        if known:
            self._announce(f"messages 1 to {known}: as before")
        for number, message in enumerate(messages[known:], known + 1):
            self._announce(f"message {number}: {message.role}")
            self._write(printable(message.content))
        self._shown = messages

    def _reply(self) -> str | None:
        """Return the reply to play; None to stop."""
        for left in range(RetryPolicy().repeats, -1, -1):
            line = next_line(self._read)
            if line is None or not says_nothing(Answer(line, "stop")):
                return line
            if left:
                self._announce("an empty reply is asked for again")
        return ""


def next_line(read: Read) -> str | None:
    """Return the next line; None if there is no more or the person wants to leave."""
    try:
        line = read()
    except EOFError:
        return None
    return None if _is_word(line, QUIT) else line


def _is_word(line: str, word: str) -> bool:
    return line.strip().lower() == word
