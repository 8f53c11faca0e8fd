"""``s3gym score``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich import box
from rich.progress import Progress
from rich.table import Table

from s3gym.caching import usable_cache
from s3gym.commands.verify import REGISTRY, Keys, Protocols, open_keys, presets, show_report
from s3gym.output import REFUSED, err, out, plain, plain_errors, write_json
from scoring.accepting import accept
from scoring.cache import Cache
from scoring.entry_numbers import EntryNumbers
from scoring.flat import to_csv
from scoring.metric_terms import RunMetric
from scoring.results import EntryResult, Results, RunResult
from scoring.score import results_of
from scoring.verify import PresetOf, RefusedError

HEADINGS: dict[RunMetric, str] = {"y0": "y(0)", "avg": "Avg", "max": "Max", "auc_plus": "AUC+", "final_delta": "final"}
SHOWN: tuple[RunMetric, ...] = tuple(HEADINGS)


NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Verify every bundle again, also where this very bundle was accepted before.")
]
Result = TypeVar("Result")


def each_bundle(bundles: Sequence[Path], work: Callable[[Path], Result], *, quiet: bool = False) -> list[Result]:
    """Do the work of each bundle, one after the other, with a progress bar; the first error ends it."""
    results = []
    with Progress(console=err(), transient=True, disable=quiet) as progress:
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


def show_results(results: Results) -> None:
    """Print results for people: one table an entry, games as rows; nothing is averaged over games."""
    values = {(row.entry, row.game, row.metric): row for row in results.rows}
    ranks = {(rank.entry, rank.game): rank for rank in results.ranks if rank.metric == "auc_plus"}
    console = out()
    for entry in results.entries:
        console.print(f"\n[bold]{plain(entry.entry)}[/]  {plain(entry.model)}, {entry.pathway}, {entry.protocol}")
        if entry.outside_main_table:
            console.print(f"outside the main table: {plain(entry.outside_main_table)}", style="yellow")
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column("game")
        for metric in SHOWN:
            table.add_column(HEADINGS[metric], justify="right", no_wrap=True)
        table.add_column("rank", justify="right", no_wrap=True)
        table.add_column("remarks", overflow="fold")
        for run in entry.runs:
            cells = [values[(entry.entry, run.game, metric)] for metric in SHOWN]
            rank = ranks[(entry.entry, run.game)]
            table.add_row(
                run.game,
                *("-" if cell.value is None else f"{cell.value:.3f}" for cell in cells),
                "-" if rank.rank is None else f"{rank.rank} of {rank.n}",
                plain("; ".join(_remarks(entry, run))),
            )
        console.print(table)
    console.print(
        "y(0): before exploration. Avg, Max: over checkpoints. AUC+: area above y(0). Rank: by AUC+, within a game."
    )


def _remarks(entry: EntryResult, run: RunResult) -> list[str]:
    """Return what the row of one run has to say beyond its entry."""
    remarks = list(run.marks)
    if run.reason and run.reason != entry.outside_main_table:
        remarks.insert(0, f"not ranked: {run.reason}")
    if run.unreadable:
        remarks.append(f"unreadable replies: {run.unreadable} of {run.steps}")
    return remarks


def score(
    bundles: Annotated[list[Path], typer.Argument(help="Bundle folders.")],
    keys: Keys = REGISTRY,
    protocol_file: Protocols = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the metric rows as CSV.")] = False,
    no_cache: NoCache = False,
) -> None:
    """Verify bundles and print their metrics; nothing that is not verified is ever scored.

    A bundle that this scorer accepted before is not replayed again: its signature and the digest of every file are
    checked, and its numbers come from your own cache (s3gym cache).

    Exit code 0: all accepted and scored; 1: a bundle was refused, and nothing is scored; 2: could not.
    """
    with plain_errors():
        try:
            numbers = accept_all(
                bundles,
                keys,
                presets(protocol_file),
                cache=usable_cache(wanted=not no_cache),
                quiet=as_json or as_csv,
            )
        except RefusedError as refusal:
            if as_json:
                write_json(refusal.report.to_json())
            else:
                show_report(refusal.report)
            raise typer.Exit(REFUSED) from refusal
        results = results_of(numbers)
        if as_json:
            write_json(results.to_json())
        elif as_csv:
            write_json(to_csv(results))
        else:
            show_results(results)
