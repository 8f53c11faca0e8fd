"""``s3gym compare``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from s3gym.options import REGISTRY, Keys, NoCache, ProtocolFiles
from s3gym.output import out, plain_errors, warn, write_json


def compare_entries(
    a: Annotated[str, typer.Argument(metavar="A", help="A bundle folder; with --results an entry id.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The one that is taken off it.")],
    results_file: Annotated[
        Path | None,
        typer.Option("--results", metavar="FILE", help="Compare two entries of what s3gym score --json printed."),
    ] = None,
    keys: Keys = REGISTRY,
    protocol: ProtocolFiles = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the comparison as JSON.")] = False,
    no_cache: NoCache = False,
) -> None:
    """Compare two entries of one protocol, game by game: A minus B, with intervals.

    All entries of a round play the same strict seeds, so the luck of the seeds cancels within a pair. Which of the two
    is higher is told only where 0 lies outside the 95% interval of their differences. Nothing is averaged over games.
    Of the pathways of one model it is always Summary Memory minus History ICL, and a warning stands where the two
    differ before anything was carried.

    The bundles are verified first, as by s3gym score. With --results nothing is verified: a file can say anything.

    Exit code 0: compared; 1: a bundle was refused; 2: they cannot be compared, as under different protocols.

    [bold]Examples[/]

    s3gym compare runs/mine-summary/bundle runs/mine-history/bundle --keys keys

    s3gym compare alpha-history birch-history --results results.json
    """
    from protocol.own import protocols
    from s3gym.accepting import scored
    from s3gym.comparing import compare
    from s3gym.comparison_view import show_comparison
    from s3gym.results_file import read_results
    from s3gym.verifying import board_of
    from s3gym.wording import conditions
    from scoring.score import results_of
    from scoring.verify import scorer_version

    with plain_errors():
        if results_file is None:
            numbers = scored(
                [Path(a), Path(b)], keys, protocols(protocol, board_of(keys)), no_cache, quiet=as_json, as_json=as_json
            )
            results = results_of(numbers)
            one, other = (each.entry.entry for each in numbers)
        else:
            results, one, other = read_results(results_file), a, b
            if results.scorer != scorer_version():
                warn(f"{results_file}: made by scorer {results.scorer}, this is {scorer_version()}")
        comparison = compare(results, one, other)
        if as_json:
            write_json(comparison.model_dump_json(indent=1))
            return
        show_comparison(out(), comparison, {each.entry: conditions(each) for each in results.entries})
        if results_file is not None:
            warn("these numbers come from a file; nothing was verified here")
