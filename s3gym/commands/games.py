"""``s3gym games``."""

from __future__ import annotations

from typing import Annotated

import typer
from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter
from rich.console import Console
from rich.table import Table
from rich.text import Text

from games.base import Config, Variant
from games.registry import GAMES, AnyGame
from protocol.digests import canonical
from s3gym.boards import painted
from s3gym.output import out, plain_errors, write_json
from s3gym.picking import KNOWN, complete_game, pick_game

_VALUES: TypeAdapter[dict[str, JsonValue]] = TypeAdapter(dict[str, JsonValue])


class ConfigEntry(BaseModel):
    """One config of a game."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    values: dict[str, JsonValue]
    numbers: str
    """The same in the words that a player is told."""

    @classmethod
    def of(cls, game: AnyGame, config: Config) -> ConfigEntry:
        """Return the entry of a config."""
        return cls(values=_VALUES.validate_json(canonical(config)), numbers=game.numbers(config))


class VariantEntry(BaseModel):
    """One pair of configs of a game."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    name: str
    explore: ConfigEntry
    strict: ConfigEntry
    differs: tuple[str, ...]
    """The values in which the two configs differ, their ids aside."""

    @classmethod
    def of(cls, game: AnyGame, variant: Variant[Config]) -> VariantEntry:
        """Return the entry of a variant."""
        explore, strict = ConfigEntry.of(game, variant.explore), ConfigEntry.of(game, variant.strict)
        differs = [name for name, value in explore.values.items() if value != strict.values[name]]
        return cls(
            name=variant.name,
            explore=explore,
            strict=strict,
            differs=tuple(name for name in differs if name != "id"),
        )


class GameEntry(BaseModel):
    """One game."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    id: str
    title: str
    rules_version: int
    action_form: str
    baselines: tuple[str, ...]
    oracle: bool
    """Whether there is also a player that is shown the true state."""
    variants: tuple[VariantEntry, ...]
    """The standard one first."""
    rules: str

    @classmethod
    def of(cls, game: AnyGame) -> GameEntry:
        """Return the entry of a game."""
        return cls(
            id=game.id,
            title=game.title,
            rules_version=game.rules_version,
            action_form=game.action_form,
            baselines=tuple(game.baselines),
            oracle=game.oracle is not None,
            variants=tuple(VariantEntry.of(game, variant) for variant in game.variants),
            rules=game.rules,
        )


class GameList(BaseModel):
    """All games that were asked for."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    schema_id: str = "s3gym-games-1"
    games: tuple[GameEntry, ...]


def _only_in(config: Config, other: Config, game: AnyGame) -> str:
    """Return the lines that a player is told under one config and not under the other."""
    elsewhere = game.numbers(other).split("\n")
    return "\n".join(line for line in game.numbers(config).split("\n") if line not in elsewhere)


def _show_card(console: Console, game: AnyGame) -> None:
    """Print a game on a few lines."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, style="dim")
    table.add_column()
    explore, strict = game.explore, game.strict
    steps = dict.fromkeys(f"{config.max_steps}" for config in (explore, strict))
    for name, value in (
        ("  action", game.action_form),
        ("  steps", " / ".join(steps)),
        ("  explore", _only_in(explore, strict, game)),
        ("  strict", _only_in(strict, explore, game)),
        *[
            (f"  {variant.name}", f"another variant; its strict config: {_only_in(variant.strict, strict, game)}")
            for variant in game.variants[1:]
        ],
        ("  rules", f"version {game.rules_version}"),
        ("  baselines", ", ".join([*game.baselines, *(["oracle"] if game.oracle else [])])),
    ):
        table.add_row(name, Text(value))
    console.print(Text.assemble((game.id, "bold"), "  ", game.title))
    console.print(table)
    console.print()


def _show_rules(console: Console, game: AnyGame) -> None:
    """Print all that a player is told of a game before the first board."""
    console.print(Text.assemble((game.id, "bold"), f"  {game.title}, rules version {game.rules_version}\n"))
    console.print(painted(game.rules, game.id))
    for config in game.configs:
        console.print(Text(f"\nUnder the {config.id} config:", style="bold"))
        console.print(painted(game.numbers(config), game.id))
    console.print()


def games(
    game: Annotated[
        str | None,
        typer.Argument(metavar="GAME", help=f"One game, with its rules: {KNOWN}.", autocompletion=complete_game),
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
    with plain_errors():
        chosen = GAMES if game is None else (pick_game(game),)
        if as_json:
            write_json(GameList(games=tuple(map(GameEntry.of, chosen))).model_dump_json(indent=1))
            return
        console = out()
        for each in chosen:
            if rules or game is not None:
                _show_rules(console, each)
            else:
                _show_card(console, each)
        if game is None and not rules:
            console.print("The rules of one: s3gym games GAME. Play it yourself: s3gym play GAME", highlight=False)
