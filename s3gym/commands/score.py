"""``s3gym score``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.progress import Progress

from s3gym.caching import usable_cache
from s3gym.commands.verify import REGISTRY, Keys, Protocols, open_keys, presets, show_report
from s3gym.output import REFUSED, err, out, plain, plain_errors, write_file, write_json
from s3gym.picking import complete_game, pick_game
from s3gym.score_tables import SHOWN, View, show_results
from s3gym.sheets import sheets
from scoring.accepting import accept
from scoring.cache import Cache
from scoring.entry_numbers import EntryNumbers
from scoring.flat import check_parquet, to_csv, to_parquet
from scoring.metric_terms import RUN_METRICS, RunMetric
from scoring.score import results_of
from scoring.verify import PresetOf, RefusedError


class By(StrEnum):
    """What a table is about."""

    ENTRY = "entry"
    GAME = "game"


NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Verify every bundle again, also where this very bundle was accepted before.")
]
Result = TypeVar("Result")


def each_bundle(bundles: Sequence[Path], work: Callable[[Path], Result], *, quiet: bool = False) -> list[Result]:
    """Do the work of each bundle, one after the other, with a progress bar; the first error ends it."""
    results = []
    console = err()
    with Progress(console=console, transient=True, disable=quiet or not console.is_terminal) as progress:
        task = progress.add_task("Verifying", total=len(bundles))
        for bundle in bundles:
            progress.update(task, description=f"Verifying {plain(bundle.name)}")
            results.append(work(bundle))
            progress.advance(task)
    return results


def tell_known(known: int, bundles: int) -> None:
    """Say how many bundles were not verified again, if any."""
    if known:
        err().print(
            f"{known} of {bundles} accepted before by this scorer and unchanged (--no-cache verifies them again)"
        )


def accept_all(
    bundles: Sequence[Path], keys: Path, preset_of: PresetOf, *, cache: Cache | None = None, quiet: bool = False
) -> list[EntryNumbers]:
    """Verify and measure bundles; of each only its numbers are kept.

    Raises:
        RefusedError: If a bundle is refused.
    """
    key_of = open_keys(keys)
    accepted = each_bundle(bundles, lambda bundle: accept(bundle, key_of, preset_of, cache), quiet=quiet)
    if not quiet:
        tell_known(sum(each.known for each in accepted), len(bundles))
    return [each.numbers for each in accepted]


def _metric(name: str | None) -> RunMetric | None:
    """Return the metric that rows are sorted by.

    Raises:
        ValueError: If no table shows one of this name.
    """
    found = next((metric for metric in SHOWN if metric == name), None)
    if name is not None and found is None:
        raise ValueError(f"sort: expected one of {', '.join(SHOWN)}, got {name[:80]!r}")
    return found


def complete_metric(incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield what a shell offers for a metric that is typed halfway: names with what they are."""
    yield from ((metric, RUN_METRICS[metric].meaning) for metric in SHOWN if metric.startswith(incomplete))


def score(
    bundles: Annotated[list[Path], typer.Argument(help="Bundle folders.")],
    keys: Keys = REGISTRY,
    protocol_file: Protocols = None,
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
    with plain_errors():
        view = View(tuple(pick_game(each).id for each in game or ()), by is By.GAME, _metric(sort))
        if as_json and as_csv:
            raise ValueError("form: expected --json or --csv, got both")
        if parquet is not None:
            check_parquet()
            check_folder(parquet)
        numbers = scored(bundles, keys, presets(protocol_file), no_cache, quiet=as_json or as_csv, as_json=as_json)
        results = results_of(numbers)
        if parquet is not None:
            write_file(parquet, to_parquet(results))
        if as_json:
            write_json(results.to_json())
        elif as_csv:
            write_json(to_csv(results))
        else:
            show_results(out(), sheets(results), view)


def check_folder(file: Path) -> None:
    """Check before the work that a file can be laid where it is wanted.

    Raises:
        ValueError: If it names a folder, or one that is not there.
    """
    if file.is_dir() or not file.parent.is_dir():
        raise ValueError(f"file: expected a file in a folder that is there, got {file}")


def scored(
    bundles: Sequence[Path],
    keys: Path,
    preset_of: PresetOf,
    no_cache: bool,
    *,
    quiet: bool = False,
    as_json: bool = False,
) -> list[EntryNumbers]:
    """Verify and measure bundles for a command; if one is refused, print its report and leave with the exit code.

    Args:
        bundles: Their folders.
        keys: The registry.
        preset_of: Where protocols are looked up.
        no_cache: Whether each is verified again.
        quiet: Whether nothing is said of the cache and the progress.
        as_json: Whether the report of a refusal is printed as JSON.
    """
    try:
        return accept_all(bundles, keys, preset_of, cache=usable_cache(wanted=not no_cache), quiet=quiet)
    except RefusedError as refusal:
        if as_json:
            write_json(refusal.report.to_json())
        else:
            show_report(refusal.report)
        raise typer.Exit(REFUSED) from refusal
