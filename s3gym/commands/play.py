"""``s3gym play``."""

from __future__ import annotations

import secrets
from typing import Annotated

import typer

from games.base import number
from games.play import play as play_episode
from games.registry import game_named
from games.rng import SEED_LIMIT
from runner.models.human import Human
from s3gym.output import out, plain, plain_errors


def play(
    game: Annotated[str, typer.Argument(help="The game: snake or trust.")],
    strict: Annotated[bool, typer.Option("--strict", help="Play under the strict config.")] = False,
    seed: Annotated[int | None, typer.Option(help="Which level; by default a random one.")] = None,
) -> None:
    """Play a game yourself, on the same text that a model gets. The score is shown at the end only.

    Type an action and Enter; [bold]END[/] ends the episode, [bold]quit[/] leaves.
    """
    console = out()
    with plain_errors():
        chosen = game_named(game)
        config = chosen.strict if strict else chosen.explore
        level = secrets.randbelow(SEED_LIMIT) if seed is None else seed
        human = Human(chosen, config, lambda text: console.print(f"{plain(text)}\n"), lambda: console.input("> "))
        episode = play_episode(chosen, config, level, human)
        if episode.steps:
            console.print(plain(episode.steps[-1].feedback))
        ending = episode.end or "left before the end"
        console.print(
            f"[bold]{ending}[/] after {len(episode.steps)} steps, score {number(episode.score):g} (seed {level})"
        )
