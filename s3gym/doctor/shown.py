"""What a check-up prints."""

from __future__ import annotations

from rich.console import Console
from rich.status import Status
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


class Waiting:
    """Shows what is waited for on standard error: in a terminal while it lasts, elsewhere as one line."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._status: Status | None = None

    def __call__(self, what: str, seconds: float) -> None:
        """Show it, with the seconds so far; nothing takes it away."""
        if not self._console.is_terminal:
            if what and not seconds >= 1:
                self._console.print(Text(f"waiting: {what}"), soft_wrap=True)
            return
        if not what:
            if self._status is not None:
                self._status.stop()
            self._status = None
            return
        words = Text(f"{what}, {seconds:.0f} s")
        if self._status is None:
            self._status = self._console.status(words)
            self._status.start()
        else:
            self._status.update(words)


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
