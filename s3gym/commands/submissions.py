"""``s3gym submissions``: what the organisers do with an entry after it was accepted or held."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from s3gym.options import SUBMISSIONS, ProtocolFiles, Submissions
from s3gym.output import REFUSED, out, plain, plain_errors

if TYPE_CHECKING:
    from scoring.acceptance import Action

app = typer.Typer(no_args_is_help=True, help="Entries of a board (organisers).")
Entry = Annotated[str, typer.Argument(help="The entry id.")]
Reason = Annotated[str, typer.Option(help="Why; it is published.")]


@app.command("release")
def release(entry: Entry, reason: Reason, submissions: Submissions = SUBMISSIONS) -> None:
    """Let a held entry into the tables: somebody has looked, and the coincidence is an honest one."""
    _change("released", entry, reason, submissions)


@app.command("withdraw")
def withdraw(entry: Entry, reason: Reason, submissions: Submissions = SUBMISSIONS) -> None:
    """Take an entry out of the tables at its team's wish; a tombstone with the reason stays, for good."""
    _change("withdrawn", entry, reason, submissions)


@app.command("disqualify")
def disqualify(entry: Entry, reason: Reason, submissions: Submissions = SUBMISSIONS) -> None:
    """Take an entry out of the tables as the organisers; a tombstone with the reason stays, for good."""
    _change("disqualified", entry, reason, submissions)


@app.command("proposed")
def proposed(
    proposal: Annotated[Path, typer.Argument(help="A checkout of the pull request: data, nothing in it is run.")],
    changes: Annotated[Path, typer.Option(help="What it changes: git diff --no-renames --name-status -z BASE...HEAD.")],
    submissions: Submissions = SUBMISSIONS,
    protocol: ProtocolFiles = None,
) -> None:
    """Check a pull request against a board: it adds whole entries and changes nothing else, and each is examined.

    Exit code 0: every entry would be accepted or held; 1: refused; 2: it could not be checked.
    """
    from protocol.own import protocols
    from s3gym.pull_request import BOARD, MAX_CHANGES, added_entries, check_folder
    from s3gym.submitting import show_findings, show_verdict
    from s3gym.verifying import show_report
    from scoring.submitting import ENTRIES, examine
    from scoring.verify import RefusedError

    with plain_errors():
        if not changes.is_file():
            raise ValueError(f"changes: expected the list of changes, found none at {changes}")
        entries = added_entries(changes.read_bytes()[: MAX_CHANGES + 1])
        for entry in entries:
            bundle = proposal / BOARD / ENTRIES / entry
            out().print(f"[bold]{plain(entry)}[/]")
            try:
                examined = examine(bundle, submissions, protocols(protocol, submissions))
            except RefusedError as refusal:
                show_report(refusal.report)
                raise typer.Exit(REFUSED) from refusal
            check_folder(entry, examined)
            show_findings(bundle)
            show_verdict(examined)


def _change(action: Action, entry: str, reason: str, submissions: Submissions) -> None:
    from s3gym.clock import claimed_now
    from scoring.acceptance import TOMBSTONES
    from scoring.confirmation import CONFIRMATIONS
    from scoring.submitting import change_entry

    with plain_errors():
        if not 1 <= len(reason.strip()) <= 500:
            raise ValueError("reason: expected 1 to 500 characters")
        line = change_entry(submissions, action, entry, reason.strip(), claimed_time=claimed_now())
    out().print(f"{plain(entry)}: {action}, position {line.position} of the log.")
    reruns = submissions / CONFIRMATIONS / entry
    if action in TOMBSTONES and reruns.exists():
        out().print(f"Its re-runs vouch for nothing any more: remove {plain(str(reruns))}; the history keeps them.")
