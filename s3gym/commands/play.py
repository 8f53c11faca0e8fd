"""``s3gym play``."""

from __future__ import annotations

import secrets
from typing import Annotated

import typer

from games.base import STANDARD
from s3gym.options import GAMES_KNOWN
from s3gym.output import INTERRUPTED, err, out, plain_errors, write_json
from s3gym.picking import complete_game

_LEVELS = 1_000_000
"""Random levels are drawn below this, so that a person can type one again."""


def play(
    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME", help=f"The game: {GAMES_KNOWN}.", autocompletion=complete_game, show_default=False
        ),
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

    Answer with the line that is asked for below every board: "Answer: UP, Score: 1". What stands behind "Answer:" is
    enough, also the action alone: "UP, Score: 1" or "UP". The rules tell what the self-score is; without one you are
    not judged on it. [bold]END[/] ends the episode, [bold]rules[/] shows the rules again, [bold]quit[/] (or Ctrl-D,
    Ctrl-C) leaves. Nothing can be taken back. An empty line is the empty action: a move in a game that knows one, an
    invalid action in the others.

    Rewards and the score are shown at the end only, since a model never sees them, with the seed and the command that
    plays the same level again.

    With [bold]--as-model[/] each message is shown as a run sends it, and a whole reply is expected, such as
    "Answer: UP, Score: 1". What the game cannot read is an invalid action, and the end tells how your self-scores
    compare with the rewards.

    [bold]Examples[/]

    s3gym play snake

    s3gym play trust --strict --seed 8 --as-model
    """
    from games.play import play as play_episode
    from games.registry import game_named
    from s3gym.played import PlayResult, show_result
    from s3gym.sitting import Desk, last_look, read_seed, sit

    console = err() if as_json else out()
    with plain_errors():
        chosen = game_named(game)
        pair = chosen.variant(variant)
        config = pair.strict if strict else pair.explore
        level = secrets.randbelow(_LEVELS) if seed is None else read_seed(seed)
        desk = Desk(console, chosen)
        person = sit(desk, chosen, config, as_model)
        episode = play_episode(chosen, config, level, person)
        if episode.end is not None and not as_model:
            last_look(desk, chosen, config, level, episode)
        result = PlayResult.of(chosen, config, level, as_model, person.replies, episode)
        show_result(console, result)
        if as_json:
            write_json(result.to_json())
    if desk.interrupted:
        raise typer.Exit(INTERRUPTED)
