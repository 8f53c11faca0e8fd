"""``s3gym carried``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from s3gym.options import ProtocolFiles
from s3gym.output import out, plain_errors, write_json
from s3gym.picking import complete_game


def carried(
    folder: Annotated[Path, typer.Argument(help="A run folder, or a bundle.")],
    game: Annotated[str | None, typer.Option(help="Only this game.", autocompletion=complete_game)] = None,
    at: Annotated[
        int | None,
        typer.Option(min=0, help="Print the whole text that is carried after so many exploration episodes."),
    ] = None,
    protocol: ProtocolFiles = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all of it as JSON.")] = False,
) -> None:
    """Read what a model carries from episode to episode, while it plays or afterwards.

    For each game: the memories with what changed from one to the next, how much history the prompts left out, how
    long they were, and what a prompt cache served of them, as reported and at best. The run is not disturbed: its
    folder is only read, and nothing is verified.

    [bold]Examples[/]

    s3gym carried runs/my-entry

    s3gym carried runs/my-entry --game snake --at 6
    """
    from rich.text import Text

    from protocol.own import protocols
    from runner.printable import printable
    from runner.recording import read_recording
    from s3gym.carried_view import carried_report, show_carried

    with plain_errors():
        recording = read_recording(folder, protocols(protocol))
        run = carried_report(recording, game, at)
        if as_json:
            write_json(run.model_dump_json(indent=1))
            return
        console = out()
        for each in run.games:
            if at is None:
                show_carried(console, each)
                continue
            if len(run.games) > 1:
                console.print(Text(f"{each.game}, after {at} exploration episodes", "bold"))
            console.print(Text(printable(each.text or "(nothing)\n")), end="")
