"""``s3gym submit``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from s3gym.options import SUBMISSIONS, ProtocolFiles, Submissions
from s3gym.output import REFUSED, out, plain, plain_errors


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
    protocol: ProtocolFiles = None,
) -> None:
    """Verify a bundle and lay it into the submissions folder, with a line in the acceptance log.

    What a team checks with --check is what the organisers check: one function on the same files. Texts that look like
    keys, private hosts, e-mail addresses or home folders are warned of first. A run that is reply by reply another
    team's is held: laid in, and shown outside the tables until the organisers release it. What was
    measured is kept in your cache (s3gym cache), so that s3gym site build need not verify it again.

    Exit code 0: accepted or held; 1: refused; 2: it could not be checked.
    """
    from protocol.own import protocols
    from s3gym.caching import usable_cache
    from s3gym.clock import claimed_now
    from s3gym.locating import bundle_at
    from s3gym.pull_request import lay_out
    from s3gym.submitting import show_findings, show_verdict
    from s3gym.verifying import show_report
    from scoring.accepting import measure_and_keep
    from scoring.submitting import ENTRIES, examine, lay_in
    from scoring.verify import RefusedError

    with plain_errors():
        bundle = bundle_at(bundle)
        try:
            examined = examine(bundle, submissions, protocols(protocol, submissions), claimed_time=claimed_now())
        except RefusedError as refusal:
            show_report(refusal.report)
            raise typer.Exit(REFUSED) from refusal
        cache = usable_cache()
        if cache is not None:
            measure_and_keep(examined.verified, cache)
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
