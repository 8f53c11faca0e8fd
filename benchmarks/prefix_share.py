"""The share of prompt tokens that a prefix cache can serve, by pathway and game.

Run with ``python -m benchmarks.prefix_share``. A built-in player plays whole runs offline; no timing. Prompts are laid
out so that what stays the same stands first, and history is cut seldom and deep: a change that moves something early in
a prompt shows here at once.
"""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.table import Table

from games.registry import GAMES
from protocol.budgets import budgets
from protocol.context import Pathway
from protocol.preset import preset_named, preset_names
from protocol.records import Endpoint
from runner.entry import Plan
from runner.forecast import PLAYERS, Forecast, forecast

PATHWAYS: tuple[Pathway, ...] = ("history", "summary")
ANY = Endpoint(kind="openai_chat", model="any", context_tokens=None)


def shares(protocol: str, pathway: Pathway, player: str) -> list[Forecast]:
    preset = preset_named(protocol)
    games = tuple(game.id for game in GAMES if game.id in preset.games)
    plan = Plan(entry="any", team="any", model="any", preset=preset, games=games, pathway=pathway)
    return forecast(plan, budgets(preset, ANY), player=player)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.prefix_share", description=__doc__)
    parser.add_argument("--protocol", choices=preset_names(), default="paper-1")
    parser.add_argument("--player", choices=PLAYERS, default="greedy")
    chosen = parser.parse_args()
    table = Table(title=f"{chosen.protocol}, {chosen.player} player")
    for heading in ("game", *[f"{pathway}: {what}" for pathway in PATHWAYS for what in ("prompt tokens", "cacheable")]):
        table.add_column(heading, justify="left" if heading == "game" else "right")
    found = [shares(chosen.protocol, pathway, chosen.player) for pathway in PATHWAYS]
    for row in zip(*found, strict=True):
        cells = [text for each in row for text in (f"{each.tokens_in:,}", f"{each.cached_share:.1%}")]
        table.add_row(row[0].game, *cells)
    Console().print(table)


if __name__ == "__main__":
    main()
