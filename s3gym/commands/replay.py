"""``s3gym replay``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from s3gym.options import GAMES_KNOWN, REGISTRY, Keys, ProtocolFiles
from s3gym.output import REFUSED, plain_errors
from s3gym.picking import complete_game


def replay(
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="The bundle folder.", show_default=False)],
    episode: Annotated[
        str | None,
        typer.Option(help="Its name, as in the list and in refusals: 'explore 4', 'strict x=3 #1' (or strict-x3-1)."),
    ] = None,
    game: Annotated[
        str | None, typer.Option(help=f"Only this game: {GAMES_KNOWN}.", autocompletion=complete_game)
    ] = None,
    step: Annotated[
        int | None,
        typer.Option(
            help="Counted from 0, as in refusals: begin there; where the output is no terminal, print it alone."
        ),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Show long replies whole.")] = False,
    keys: Keys = REGISTRY,
    protocol: ProtocolFiles = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON lines: the episode, then its steps; or every episode.")
    ] = False,
) -> None:
    """Look into a bundle: list its episodes, or go through one step by step.

    The bundle is verified first, and everything shown is played again by the rules from the raw replies: state,
    action, self-score, reward, feedback. A terminal shows one step at a time: Enter goes on, b back, a number to that
    step, q leaves. Elsewhere all steps are printed.

    A bundle that is refused for its content is shown too, with what it claims beside what the rules give; one whose
    signature does not hold, or whose records cannot be read, is not. Exit code 0: accepted; 1: refused; 2: it could not
    be checked, or has no such episode.

    [bold]Examples[/]

    s3gym replay runs/my-entry/bundle --keys keys

    s3gym replay runs/my-entry/bundle --keys keys --game snake --episode "strict x=3 #1" --step 5
    """
    from protocol.own import protocols
    from s3gym.inspecting import show_inspected, warn_refused
    from s3gym.locating import bundle_at
    from s3gym.verifying import board_of, open_keys, tell_report
    from scoring.inspection import inspect
    from scoring.verify import RefusedError

    with plain_errors():
        try:
            inspected = inspect(bundle_at(bundle), open_keys(keys), protocols(protocol, board_of(keys)))
        except RefusedError as refusal:
            tell_report(refusal.report, as_json=as_json)
            raise typer.Exit(REFUSED) from refusal
        if not inspected.accepted:
            warn_refused(inspected.report)
        show_inspected(inspected, episode, game, step, full, as_json)
    if not inspected.accepted:
        raise typer.Exit(REFUSED)
