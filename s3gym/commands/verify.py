"""``s3gym verify``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from s3gym.options import REGISTRY, Keys, ProtocolFiles
from s3gym.output import ACCEPTED, REFUSED, out, plain_errors, write_file


def verify(
    bundle: Annotated[Path, typer.Argument(help="The bundle folder.")],
    keys: Keys = REGISTRY,
    protocol: ProtocolFiles = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    report_file: Annotated[Path | None, typer.Option("--report", help="Also write the JSON report here.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Replay games in so many processes; the report is the same.")] = 1,
    time_limit: Annotated[
        float | None,
        typer.Option(min=0, help="Give up after so many seconds: exit code 2, which refuses nothing."),
    ] = None,
    cached: Annotated[
        bool,
        typer.Option(
            "--cache", help="Take the report of this very bundle from your cache where it was accepted before."
        ),
    ] = False,
) -> None:
    """Verify a bundle offline: signature, files, records, completeness, separation, replay, contexts, claims.

    Every episode is played again from the raw replies, and every reward, score and prompt digest is recomputed.
    Exit code 0: accepted; 1: refused, with the step, file, episode and step number; 2: it could not be checked.
    """
    from protocol.own import protocols
    from s3gym.caching import usable_cache
    from s3gym.locating import bundle_at
    from s3gym.verifying import board_of, open_keys, tell_report, until
    from scoring.accepting import accept
    from scoring.crew import Alone, Workers, never
    from scoring.verify import RefusedError

    with plain_errors():
        try:
            accepted = accept(
                bundle_at(bundle),
                open_keys(keys),
                protocols(protocol, board_of(keys)),
                usable_cache(wanted=cached),
                crew=Alone() if workers == 1 else Workers(workers),
                tick=never if time_limit is None else until(time_limit),
            )
            report, known = accepted.numbers.report, accepted.known
        except RefusedError as refusal:
            report, known = refusal.report, False
        if report_file is not None:
            write_file(report_file, report.to_json())
        tell_report(report, as_json=as_json)
        if known and not as_json:
            out().print("from the cache: signature and file digests were checked now, the rest when first accepted")
    raise typer.Exit(ACCEPTED if report.verdict == "accepted" else REFUSED)
