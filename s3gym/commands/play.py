"""``s3gym play``."""

from __future__ import annotations

import io
import re
import secrets
import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from games.base import STANDARD, Config
from games.play import Episode
from games.play import play as play_episode
from games.registry import AnyGame
from games.rng import check_seed
from protocol.context import RunContext
from protocol.preset import preset_named
from runner.models.human import QUIT, RULES, AsModel, Human
from s3gym.boards import painted
from s3gym.output import INTERRUPTED, err, out, plain_errors, write_json
from s3gym.picking import KNOWN, complete_game, pick_game
from s3gym.played import PlayResult, show_result

_BUDGET = "paper-1"
"""The protocol whose input budget the prompts of ``--as-model`` have; no episode of a person's reaches it."""
_LEVELS = 1_000_000
"""Random levels are drawn below this, so that a person can type one again."""


class _Desk:
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


def _sit(desk: _Desk, game: AnyGame, config: Config, as_model: bool) -> Human | AsModel:
    """Return a person for one episode, told how to answer."""
    if as_model:
        preset = preset_named(_BUDGET)
        context = RunContext(game, "history", preset.budget(preset.input_tokens)).episode(config)
        desk.announce(f"these are the messages of a run; reply in one line, as they ask; {QUIT} leaves")
        return AsModel(context, desk.announce, desk.write, desk.read)
    desk.announce(f"type the action alone, as behind Answer: ({RULES} shows the rules again, {QUIT} leaves)")
    return Human(game, config, desk.write, desk.read)


def _last_look(desk: _Desk, game: AnyGame, config: Config, seed: int, episode: Episode) -> None:
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


def play(
    game: Annotated[
        str,
        typer.Argument(metavar="GAME", help=f"The game: {KNOWN}.", autocompletion=complete_game, show_default=False),
    ],
    strict: Annotated[
        bool, typer.Option("--strict", help="Play under the strict config, as at a checkpoint; else under explore.")
    ] = False,
    variant: Annotated[
        str,
        typer.Option(metavar="NAME", help="Which variant of the game, where there are several: s3gym games tells."),
    ] = STANDARD,
    seed: Annotated[
        str | None,
        typer.Option(
            metavar="INTEGER", help="Which level: an integer in [0, 2^63); by default a random one below a million."
        ),
    ] = None,
    as_model: Annotated[
        bool,
        typer.Option(
            "--as-model", help="Show the very messages a model is sent, and answer with a self-score as it must."
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON; the game itself goes to standard error.")
    ] = False,
) -> None:
    """Play a game yourself, on the same text that a model gets.

    Type an action and Enter; the form of an action stands below every board. [bold]END[/] ends the episode,
    [bold]rules[/] shows the rules again, [bold]quit[/] (or Ctrl-D, Ctrl-C) leaves. Nothing can be taken back. A line is
    read as what a model writes behind its "Answer:", so an empty line is the empty action: a move in a game that knows
    one, an invalid action in the others.

    Rewards and the score are shown at the end only, since a model never sees them, with the seed and the command that
    plays the same level again.

    With [bold]--as-model[/] each message is shown as a run sends it, and a whole reply is expected, such as
    "Answer: UP, Score: 1". What the game cannot read is an invalid action, and the end tells how your self-scores
    compare with the rewards.

    [bold]Examples[/]

    s3gym play snake

    s3gym play trust --strict --seed 8 --as-model
    """
    console = err() if as_json else out()
    with plain_errors():
        chosen = pick_game(game)
        pair = chosen.variant(variant)
        config = pair.strict if strict else pair.explore
        level = secrets.randbelow(_LEVELS) if seed is None else read_seed(seed)
        desk = _Desk(console, chosen)
        person = _sit(desk, chosen, config, as_model)
        episode = play_episode(chosen, config, level, person)
        if episode.end is not None and not as_model:
            _last_look(desk, chosen, config, level, episode)
        result = PlayResult.of(chosen, config, level, as_model, person.replies, episode)
        show_result(console, result)
        if as_json:
            write_json(result.to_json())
    if desk.interrupted:
        raise typer.Exit(INTERRUPTED)
