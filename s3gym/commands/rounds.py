"""``s3gym round``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from s3gym.output import out, plain, plain_errors

app = typer.Typer(no_args_is_help=True, help="Rounds: a protocol on fresh seeds.")


@app.command("new")
def new(
    preset_id: Annotated[str, typer.Argument(metavar="ID", help="Id of the new preset, such as paper-2.")],
    base: Annotated[str, typer.Option("--from", help="The protocol to take everything but the seeds from.")],
    title: Annotated[str | None, typer.Option(help="Title; by default that of the old protocol.")] = None,
    folder: Annotated[Path, typer.Option("--out", help="Where ID.toml goes.")] = Path(),
) -> None:
    """Make a new round: the same protocol, fresh seeds, checked for colliding levels.

    A released preset never changes, so a round is always a new preset with an id of its own.
    """
    from protocol.durable import new_file
    from protocol.preset import preset_named, preset_names
    from protocol.rounds import new_round

    with plain_errors():
        if preset_id in preset_names():
            raise ValueError(f"round: expected a new id, got {preset_id!r}, which is released")
        old = preset_named(base)
        _, text = new_round(old, preset_id, title or old.title)
        path = folder / f"{preset_id}.toml"
        new_file(path, text.encode())
    out().print(f"{plain(str(path))}: protocol {plain(preset_id)}, no two of its levels collide.")
