"""The games as ``s3gym games`` shows them."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter
from rich.console import Console
from rich.table import Table
from rich.text import Text

from games.base import Config, Variant
from games.registry import AnyGame
from protocol.digests import canonical
from protocol.players import BLIND
from s3gym.boards import painted

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
            baselines=(*game.baselines, BLIND),
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


def show_card(console: Console, game: AnyGame) -> None:
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
        ("  baselines", ", ".join([*game.baselines, BLIND, *(["oracle"] if game.oracle else [])])),
    ):
        table.add_row(name, Text(value))
    console.print(Text.assemble((game.id, "bold"), "  ", game.title))
    console.print(table)
    console.print()


def show_rules(console: Console, game: AnyGame) -> None:
    """Print all that a player is told of a game before the first board."""
    console.print(Text.assemble((game.id, "bold"), f"  {game.title}, rules version {game.rules_version}\n"))
    console.print(painted(game.rules, game.id))
    for config in game.configs:
        console.print(Text(f"\nUnder the {config.id} config:", style="bold"))
        console.print(painted(game.numbers(config), game.id))
    console.print()
