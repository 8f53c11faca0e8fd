"""``s3gym doctor``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from s3gym.flags import ConfigFile, takes_settings
from s3gym.output import ACCEPTED, REFUSED, err, plain_errors, write_json


@takes_settings
def doctor(
    *,
    config: ConfigFile = None,
    registry: Annotated[Path, typer.Option("--keys", help="Folder of registered team keys (TEAM.json).")] = Path(
        "submissions/keys"
    ),
    samples: Annotated[
        bool, typer.Option("--samples/--no-samples", help="Ask for a first step of each game as well.")
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    **flags: object,
) -> None:
    """Check a set-up before a run, with the flags of s3gym run: this machine, the endpoint, the model.

    One line a check: pass, warn or fail, with what to do. A few requests are sent, three and one a game, to learn
    what the endpoint takes and how its replies are read; nothing is scored, kept or made. Exit code 0: nothing
    failed; 1: something did.

    [bold]Examples[/]

    s3gym doctor --model my-model --base-url http://localhost:8000/v1

    s3gym doctor --config run.toml --no-samples
    """
    import asyncio

    from rich.console import Console

    from s3gym.configuring import read_settings
    from s3gym.doctor.asking import unheard
    from s3gym.doctor.examining import Orders, examine
    from s3gym.doctor.shown import Waiting, conclude, show_finding, silent

    console = Console(emoji=False, highlight=False)
    with plain_errors():
        settings = read_settings(config, flags)
        told = silent if as_json else lambda finding: show_finding(console, finding)
        orders = Orders(settings, registry, samples, unheard if as_json else Waiting(err()))
        report = asyncio.run(examine(orders, told))
    if as_json:
        write_json(report.model_dump_json(indent=1))
    else:
        conclude(console, report)
    raise typer.Exit(ACCEPTED if report.passed else REFUSED)
