"""``s3gym log``: the acceptance log."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from s3gym.options import SUBMISSIONS, ProtocolFiles, Submissions
from s3gym.output import ACCEPTED, REFUSED, err, out, plain, plain_errors, write_json

app = typer.Typer(
    no_args_is_help=True, help="The acceptance log: what happened to each entry, in an order that it proves."
)


@app.command("show")
def show(
    submissions: Submissions = SUBMISSIONS,
    as_json: Annotated[bool, typer.Option("--json", help="Print the lines as JSON.")] = False,
) -> None:
    """Show the lines of a log whose chain holds; the bundles are not looked at (s3gym log verify does)."""
    from rich.table import Table

    from scoring.acceptance import LOG, head_of, read_log
    from scoring.registry import open_keyring

    with plain_errors():
        lines = read_log(submissions / LOG)
        words = open_keyring(submissions).words
    if as_json:
        write_json(json.dumps([line.model_dump(mode="json") for line in lines]))
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("position", "action", "entry", "team", "key", "registry", "time, as claimed", "reason"):
        table.add_column(heading, overflow="fold")
    for line in lines:
        version = "unsigned" if line.registry is None else str(line.registry.version)
        subject = line.subject
        cells = (str(line.position), line.action, subject.entry, subject.team, subject.keyid[:16], version)
        table.add_row(*cells, line.claimed_time or "", plain(line.reason or ""))
    console = out()
    console.print(table)
    console.print(f"{len(lines)} lines, head {head_of(lines)}; {words}")


@app.command("verify")
def verify(
    submissions: Submissions = SUBMISSIONS,
    head: Annotated[
        str | None,
        typer.Option(help="A head that you saw earlier: the log must still hold it, so nothing was cut off."),
    ] = None,
    protocol: ProtocolFiles = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> None:
    """Check a whole board: every line, its place, the bundle it tells of, its key at that position, registry, re-runs.

    Of a re-run: the organisers' signature, the entry and bundle it names, that the entry stands or is held, that its
    round is fresh, its files, seeds and starts. Neither its rewards nor those of a bundle are computed again here
    (s3gym site build does both). The last lines of a log can be cut off without a trace in the rest: note the head that
    is printed and give it next time.

    Exit code 0: all holds; 1: not, and where; 2: there is no board to check.
    """
    from protocol.own import protocols
    from scoring.log_check import check_board

    with plain_errors():
        found = check_board(submissions, head, protocols(protocol, submissions))
    if as_json:
        write_json(found.report.model_dump_json(indent=1))
        raise typer.Exit(REFUSED if found.faults else ACCEPTED)
    console = out()
    for fault in found.faults:
        err().print(f"[bold red]refused[/] \\[{fault.code}] {plain(fault.line())}")
    console.print(f"{len(found.lines)} lines, {found.bundles} bundles compared, head {found.head}")
    if found.confirmations:
        console.print(f"{found.confirmations} re-runs compared with their entries")
    console.print(f"Keys: {found.registry}")
    if found.absent:
        console.print(f"Tombstones without a bundle: {plain(', '.join(found.absent))}")
    if found.backwards:
        console.print(f"{found.backwards} claimed times run backwards; the order of the lines decides, times do not.")
    if found.faults:
        raise typer.Exit(REFUSED)
    console.print("[bold green]The log holds.[/]")
