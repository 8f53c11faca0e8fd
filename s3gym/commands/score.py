"""``s3gym score``."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from s3gym.options import REGISTRY, Keys, NoCache, ProtocolFiles
from s3gym.output import check_folder, out, plain_errors, write_file, write_json
from s3gym.picking import complete_game


class By(StrEnum):
    """What a table is about."""

    ENTRY = "entry"
    GAME = "game"


def complete_metric(incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield what a shell offers for a metric that is typed halfway: names with what they are."""
    from s3gym.score_tables import SHOWN
    from scoring.metric_terms import RUN_METRICS

    yield from ((metric, RUN_METRICS[metric].meaning) for metric in SHOWN if metric.startswith(incomplete))


def score(
    bundles: Annotated[list[Path], typer.Argument(help="Bundle folders.")],
    keys: Keys = REGISTRY,
    protocol: ProtocolFiles = None,
    game: Annotated[
        list[str] | None,
        typer.Option(help="Only this game in the tables (repeat); files hold all.", autocompletion=complete_game),
    ] = None,
    by: Annotated[By, typer.Option(help="Of each entry its games, or of each game its entries.")] = By.ENTRY,
    sort: Annotated[
        str | None,
        typer.Option(metavar="METRIC", help="Sort rows by this metric, best first.", autocompletion=complete_metric),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the metric rows as CSV.")] = False,
    parquet: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the metric rows here, as Parquet (needs pyarrow).")
    ] = None,
    no_cache: NoCache = False,
) -> None:
    """Verify bundles and print their metrics; nothing that is not verified is ever scored.

    Of each game: the scores with their intervals, AUC+ beside what luck gives, whether there is a gain beyond noise,
    the rank, and how the model judged itself. Tables fit the terminal; why a value is missing stands below.

    A bundle that this scorer accepted before is not replayed again: its signature and the digest of every file are
    checked, and its numbers come from your own cache (s3gym cache).

    Exit code 0: all accepted and scored; 1: a bundle was refused, and nothing is scored; 2: could not.

    [bold]Examples[/]

    s3gym score runs/my-entry/bundle --keys keys

    s3gym score submissions/entries/* --by game --game snake --sort avg
    """
    from games.registry import game_named
    from protocol.own import protocols
    from s3gym.accepting import scored
    from s3gym.score_tables import View, metric_named, show_results
    from s3gym.sheets import sheets
    from s3gym.verifying import board_of
    from scoring.flat import check_parquet, to_csv, to_parquet
    from scoring.score import results_of

    with plain_errors():
        order = None if sort is None else metric_named(sort)
        view = View(tuple(game_named(each).id for each in game or ()), by is By.GAME, order)
        if as_json and as_csv:
            raise ValueError("form: expected --json or --csv, got both")
        if parquet is not None:
            check_parquet()
            check_folder(parquet)
        numbers = scored(
            bundles, keys, protocols(protocol, board_of(keys)), no_cache, quiet=as_json or as_csv, as_json=as_json
        )
        results = results_of(numbers)
        if parquet is not None:
            write_file(parquet, to_parquet(results))
        if as_json:
            write_json(results.to_json())
        elif as_csv:
            write_json(to_csv(results))
        else:
            show_results(out(), sheets(results), view)
