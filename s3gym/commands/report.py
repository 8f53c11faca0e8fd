"""``s3gym report``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from s3gym.options import REGISTRY, Keys, NoCache, ProtocolFiles
from s3gym.output import check_folder, out, plain, plain_errors, write_file, write_json


def report(
    bundle: Annotated[Path, typer.Argument(metavar="ENTRY", help="The bundle that is reported.")],
    others: Annotated[
        list[Path] | None, typer.Argument(metavar="[OTHERS]", help="Bundles that it is ranked among.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the page here instead of printing it.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    keys: Keys = REGISTRY,
    protocol: ProtocolFiles = None,
    no_cache: NoCache = False,
) -> None:
    """Write one page on one entry, in Markdown: what was measured, what may be said of it, and how to check it.

    All bundles are verified first, as by s3gym score. The page says in how many games there is a gain beyond noise,
    how the model judged itself against one that always says 0, what the run took, what failed, where it departs from
    the protocol, and what signature and replay do and do not show.

    Exit code 0: written; 1: a bundle was refused, and nothing is written; 2: could not.

    [bold]Examples[/]

    s3gym report runs/my-entry/bundle --keys keys

    s3gym report submissions/entries/mine submissions/entries/* -o report.md
    """
    from protocol.own import protocols
    from s3gym.accepting import scored
    from s3gym.locating import bundle_at
    from s3gym.reporting import report_text
    from s3gym.sheets import sheets
    from s3gym.verifying import board_of
    from scoring.score import results_of

    with plain_errors():
        if output is not None:
            check_folder(output)
            if output.exists() and not force:
                raise ValueError(f"output: {output} is there already; choose another file, or give --force")
        bundle = bundle_at(bundle)
        bundles = [bundle, *(each for each in map(bundle_at, others or ()) if each.resolve() != bundle.resolve())]
        numbers = scored(bundles, keys, protocols(protocol, board_of(keys)), no_cache)
        results = results_of(numbers)
        mine = numbers[0].entry
        (sheet,) = (each for each in sheets(results) if each.entry.entry == mine.entry)
        field = sum((each.protocol, each.pathway) == (mine.protocol, mine.pathway) for each in results.entries)
        own = [] if mine.released else [Path(f"{mine.protocol}.toml")]
        text = report_text(sheet, numbers[0].report, field, _commands(bundle, keys, protocol or own))
        if output is None:
            write_json(text)
            return
        write_file(output, text)
    out().print(f"Report: {plain(str(output))}")


def _commands(bundle: Path, keys: Path, files: list[Path] | None) -> list[str]:
    """Return what checks the entry anywhere: no path of this machine's folders stands in it."""
    rounds = [word for file in files or () for word in ("--protocol", _told(file))]
    return [
        f"$ {shlex.join(['s3gym', command, _told(bundle), '--keys', _told(keys), *rounds])}"
        for command in ("verify", "score")
    ]


def _told(path: Path) -> str:
    return path.name if path.is_absolute() else path.as_posix()
