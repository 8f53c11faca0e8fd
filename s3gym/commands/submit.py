"""``s3gym submit``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from s3gym.clock import claimed_now
from s3gym.commands.verify import Protocols, presets, show_report
from s3gym.output import REFUSED, err, out, plain, plain_errors
from s3gym.pull_request import lay_out
from scoring.findings import bundle_findings
from scoring.submitting import ENTRIES, Examined, examine, lay_in
from scoring.verify import RefusedError

SUBMISSIONS = Path("submissions")
Submissions = Annotated[Path, typer.Option("--submissions", help="The board: its registry, entries/ and log.jsonl.")]


def submit(
    bundle: Annotated[Path, typer.Argument(help="The bundle folder.")],
    submissions: Submissions = SUBMISSIONS,
    check: Annotated[
        bool, typer.Option("--check", help="Give the verdict and the log line it would get; write nothing.")
    ] = False,
    pull_request: Annotated[
        Path | None,
        typer.Option(help="Lay a pull request out here, a new folder: the files to add and the text; the board stays."),
    ] = None,
    allow_findings: Annotated[
        bool, typer.Option("--allow-findings", help="Lay out a pull request although texts look like secrets.")
    ] = False,
    protocol_file: Protocols = None,
) -> None:
    """Verify a bundle and lay it into the submissions folder, with a line in the acceptance log.

    What a team checks with --check is what the organisers check: one function on the same files. Texts that look like
    keys, private hosts, e-mail addresses or home folders are warned of first. A run that is reply by reply another
    team's is held: laid in, and shown outside the tables until the organisers release it.

    Exit code 0: accepted or held; 1: refused; 2: it could not be checked.
    """
    with plain_errors():
        try:
            examined = examine(bundle, submissions, presets(protocol_file), claimed_time=claimed_now())
        except RefusedError as refusal:
            show_report(refusal.report)
            raise typer.Exit(REFUSED) from refusal
        found = show_findings(bundle)
        show_verdict(examined)
        if pull_request is not None:
            if found and not allow_findings:
                raise ValueError(
                    "bundle: some texts look like secrets or private names, and what is published stays published; "
                    "play again without them, or give --allow-findings"
                )
            text = lay_out(bundle, examined, pull_request)
            out().print(f"Pull request laid out in {plain(str(pull_request))}; how to go on: {plain(str(text))}")
        elif check:
            out().print("Nothing was written.")
        else:
            line = lay_in(bundle, submissions, examined)
            laid = submissions / ENTRIES / line.subject.entry
            out().print(f"Laid into {plain(str(laid))}, position {line.position} of the log.")


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
