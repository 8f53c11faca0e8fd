"""Bundles as commands verify and measure them: one after the other, with a bar, by the help of the cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import typer
from rich.progress import Progress

from s3gym.caching import usable_cache
from s3gym.locating import bundle_at
from s3gym.output import REFUSED, err, plain
from s3gym.verifying import open_keys, tell_report
from scoring.accepting import accept
from scoring.cache import Cache
from scoring.entry_numbers import EntryNumbers
from scoring.verify import PresetOf, RefusedError

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
    found = [bundle_at(bundle) for bundle in bundles]
    try:
        return accept_all(found, keys, preset_of, cache=usable_cache(wanted=not no_cache), quiet=quiet)
    except RefusedError as refusal:
        tell_report(refusal.report, as_json=as_json)
        raise typer.Exit(REFUSED) from refusal
