"""A person at a game: what is shown, what is typed, and how the sitting ends."""

from __future__ import annotations

import io
import re
import sys

from rich.console import Console
from rich.markup import escape

from games.base import Config
from games.play import Episode
from games.registry import AnyGame
from games.rng import check_seed
from protocol.context import RunContext
from protocol.preset import preset_named
from runner.models.human import QUIT, RULES, AsModel, Human
from s3gym.boards import painted

_BUDGET = "paper-1"
"""The protocol whose input budget the prompts of ``--as-model`` have; no episode of a person's reaches it."""


class Desk:
    """Where a person sits: shows texts, reads lines, and knows how the sitting ended."""

    def __init__(self, console: Console, game: AnyGame) -> None:
        self._console = console
        self._game = game
        self._echo = not sys.stdin.isatty()
        self.interrupted = False
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")

    def write(self, text: str) -> None:
        """Show a text of the game."""
        self._console.print(painted(text, self._game.id))
        self._console.print()

    def announce(self, text: str) -> None:
        """Show a line of our own."""
        self._console.print(f"[bold cyan]--- {escape(text)} ---[/]", highlight=False)

    def read(self) -> str:
        """Read a line; Ctrl-C ends the sitting as the end of the input does.

        Raises:
            EOFError: If there is no more.
        """
        try:
            line = self._console.input("[bold]>[/] ")
        except (EOFError, KeyboardInterrupt) as stop:
            self.interrupted = isinstance(stop, KeyboardInterrupt)
            self._console.print()
            raise EOFError from stop
        if self._echo:
            self._console.print(painted(line, self._game.id))
        return line


def sit(desk: Desk, game: AnyGame, config: Config, as_model: bool) -> Human | AsModel:
    """Return a person for one episode, told how to answer."""
    if as_model:
        preset = preset_named(_BUDGET)
        context = RunContext(game, "history", preset.budget(preset.input_tokens)).episode(config)
        desk.announce(f"these are the messages of a run; reply in one line, as they ask; {QUIT} leaves")
        return AsModel(context, desk.announce, desk.write, desk.read)
    desk.announce("answer with the line that is asked for below the board; what stands behind Answer: is enough,")
    desk.announce(f"with or without a self-score ({RULES} shows the rules again, {QUIT} leaves)")
    return Human(game, config, desk.write, desk.read)


def last_look(desk: Desk, game: AnyGame, config: Config, seed: int, episode: Episode) -> None:
    """Show what the last action did and what it left: a model never sees that, a person may."""
    state = game.start(config, seed)
    for played in episode.steps:
        state = game.step(state, played.action).state
    desk.write(f"{episode.steps[-1].feedback}\n\n{game.observe(state)}")


def read_seed(text: str) -> int:
    """Return the seed that a text holds.

    Raises:
        ValueError: If it holds none.
    """
    if not re.fullmatch(r"[0-9]{1,19}", text, re.ASCII):
        raise ValueError(f"seed: expected an integer in [0, 2^63), got {text[:80]!r}")
    return check_seed(int(text))
