"""``s3gym doctor``."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from s3gym.configuring import read_settings
from s3gym.doctor.examining import Orders, examine
from s3gym.doctor.findings import Finding, Report
from s3gym.flags import ConfigFile, takes_settings
from s3gym.output import ACCEPTED, REFUSED, plain_errors, write_json

_STYLES = {"pass": "green", "warn": "yellow", "fail": "bold red"}


@takes_settings
def doctor(
    *,
    config: ConfigFile = None,
    registry: Annotated[Path, typer.Option("--keys", help="Folder of registered team keys (TEAM.json).")] = Path(
        "submissions/keys"
    ),
    samples: Annotated[
        bool, typer.Option("--samples/--no-samples", help="Ask for a first step of each game as well.")
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    **flags: object,
) -> None:
    """Check a set-up before a run, with the flags of s3gym run: this machine, the endpoint, the model.

    One line a check: pass, warn or fail, with what to do. A few requests are sent, three and one a game, to learn
    what the endpoint takes and how its replies are read; nothing is scored, kept or made. Exit code 0: nothing
    failed; 1: something did.

    [bold]Examples[/]

    s3gym doctor --model my-model --base-url http://localhost:8000/v1

    s3gym doctor --config run.toml --no-samples
    """
    console = Console(emoji=False, highlight=False)
    with plain_errors():
        settings = read_settings(config, flags)
        told = _silent if as_json else lambda finding: _show(console, finding)
        report = asyncio.run(examine(Orders(settings, registry, samples), told))
    if as_json:
        write_json(report.model_dump_json(indent=1))
    else:
        _conclude(console, report)
    raise typer.Exit(ACCEPTED if report.passed else REFUSED)


def _silent(_finding: Finding) -> None:
    """Show nothing."""


def _show(console: Console, finding: Finding) -> None:
    """Print a finding: one line, or in a terminal as many as its width needs, indented."""
    words = Text.assemble((f"{finding.check}: ", "bold"), finding.found)
    remedy = f"do: {finding.remedy}" if finding.remedy is not None else ""
    if not console.is_terminal:
        line = "; ".join([f"{finding.verdict}  {words.plain}", *([remedy] if remedy else [])])
        console.print(Text(line), soft_wrap=True)
        return
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_row(Text(finding.verdict, _STYLES[finding.verdict]), words)
    if remedy:
        grid.add_row("", Text(remedy))
    console.print(grid)


def _conclude(console: Console, report: Report) -> None:
    counts = [
        (verdict, sum(each.verdict == verdict for each in report.findings)) for verdict in ("fail", "warn", "pass")
    ]
    console.print("\n" + ", ".join(f"{count} {verdict}" for verdict, count in counts))
    if report.requests:
        cost = "" if report.cost is None else f", {report.cost:.4f} {report.currency}"
        console.print(
            f"This took {report.requests} requests, {report.tokens_in:,} prompt tokens, {report.tokens_out:,} reply "
            f"tokens{cost}."
        )
