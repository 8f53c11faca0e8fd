"""The command line: ``s3gym``."""

from __future__ import annotations

from importlib import metadata
from typing import Annotated

import typer

from s3gym.commands import demo, keys, play, rounds, run, score, serve, site, submit, verify
from s3gym.output import write_json

app = typer.Typer(
    name="s3gym",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help=(
        "Does a language model turn its own experience into better play? Run it in seven small games, verify any "
        "bundle by replaying every episode, and rank the results.\n\n"
        "Start with: [bold]s3gym demo[/]"
    ),
    epilog="Exit codes: 0 done or accepted, 1 refused, 2 could not, 3 paused (the same command goes on).",
)


def _version(value: bool) -> None:
    if value:
        write_json(f"s3gym {metadata.version('s3gym')}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    del version


app.command()(keys.keygen)
app.command()(run.run)
app.command()(verify.verify)
app.command()(score.score)
app.command()(submit.submit)
app.command()(play.play)
app.command()(demo.demo)
app.command("serve-builtin")(serve.serve_builtin)
app.add_typer(site.app, name="site")
app.add_typer(rounds.app, name="round")


def main() -> None:
    """Run the command line."""
    app()
