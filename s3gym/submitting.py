"""What is told of a bundle before it is laid into a board."""

from __future__ import annotations

from pathlib import Path

from s3gym.output import err, out, plain
from s3gym.verifying import show_report
from scoring.findings import bundle_findings
from scoring.submitting import Examined


def show_findings(bundle: Path) -> int:
    """Warn of every text in a bundle that looks like a secret or a private name; return how many there are."""
    looked = bundle_findings(bundle)
    for each in looked.findings:
        err().print(f"[yellow]warning:[/] {plain(each)}")
    out().print(
        f"{looked.records} records and all other texts looked through for secrets: {len(looked.findings)} found."
    )
    return len(looked.findings)


def show_verdict(examined: Examined) -> None:
    """Print the report of a bundle that a board takes, and whether it is held."""
    show_report(examined.verified.report)
    if examined.held is not None:
        out().print(
            f"[bold yellow]held[/] {plain(examined.held)}. It is shown outside the tables until it is released."
        )
