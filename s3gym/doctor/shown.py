"""What a check-up prints."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from s3gym.doctor.findings import Finding, Report

_STYLES = {"pass": "green", "warn": "yellow", "fail": "bold red"}


def silent(_finding: Finding) -> None:
    """Show nothing."""


def show_finding(console: Console, finding: Finding) -> None:
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


def conclude(console: Console, report: Report) -> None:
    """Print how many findings there are of each kind, and what looking took."""
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
