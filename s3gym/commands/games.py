"""``s3gym games``."""

from __future__ import annotations

from typing import Annotated

import typer

from s3gym.options import GAMES_KNOWN
from s3gym.output import out, plain_errors, write_json
from s3gym.picking import complete_game


def games(
    game: Annotated[
        str | None,
        typer.Argument(metavar="GAME", help=f"One game, with its rules: {GAMES_KNOWN}.", autocompletion=complete_game),
    ] = None,
    rules: Annotated[bool, typer.Option("--rules", help="Show the rules of every game.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print all of it as JSON.")] = False,
) -> None:
    """List the games, or show the rules of one: the words that a model is told, and the numbers of every config.

    A model explores under [bold]explore[/], where mistakes cost little, and is examined under [bold]strict[/]. The list
    shows what is told of each where the two differ, and the built-in players that stand as baselines. Where a game has
    further variants, which some protocols play, it shows what each changes under strict rules.

    [bold]Examples[/]

    s3gym games

    s3gym games snake
    """
    from games.registry import GAMES, game_named
    from s3gym.game_cards import GameEntry, GameList, show_card, show_rules

    with plain_errors():
        chosen = GAMES if game is None else (game_named(game),)
        if as_json:
            write_json(GameList(games=tuple(map(GameEntry.of, chosen))).model_dump_json(indent=1))
            return
        console = out()
        for each in chosen:
            if rules or game is not None:
                show_rules(console, each)
            else:
                show_card(console, each)
        if game is None and not rules:
            console.print("The rules of one: s3gym games GAME. Play it yourself: s3gym play GAME", highlight=False)
