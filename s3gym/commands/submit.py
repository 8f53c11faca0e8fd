"""``s3gym submit``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from s3gym.commands.verify import Protocols, presets, show_report
from s3gym.output import REFUSED, out, plain, plain_errors
from scoring.submitting import submit as submit_bundle
from scoring.verify import RefusedError

SUBMISSIONS = Path("submissions")
Submissions = Annotated[Path, typer.Option("--submissions", help="The submissions folder: keys/, entries/, log.jsonl.")]


def submit(
    bundle: Annotated[Path, typer.Argument(help="The bundle folder.")],
    submissions: Submissions = SUBMISSIONS,
    protocol_file: Protocols = None,
) -> None:
    """Verify a bundle and lay it into the submissions folder, with a line in the acceptance log.

    The organisers run the same verification; what is refused here is refused there.
    """
    with plain_errors():
        try:
            verified, line = submit_bundle(bundle, submissions, presets(protocol_file))
        except RefusedError as refusal:
            show_report(refusal.report)
            raise typer.Exit(REFUSED) from refusal
    show_report(verified.report)
    out().print(f"Laid into {plain(str(submissions / 'entries' / line.entry))}, position {line.position} of the log.")
