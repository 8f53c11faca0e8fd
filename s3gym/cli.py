"""The command line: ``s3gym``."""

from __future__ import annotations

import inspect
import sys
from importlib import metadata
from typing import Annotated

import typer

from s3gym.commands import (
    audit,
    cache,
    carried,
    compare,
    demo,
    doctor,
    games,
    keys,
    log,
    play,
    registry,
    replay,
    report,
    rerun,
    rounds,
    run,
    score,
    serve,
    site,
    submissions,
    submit,
    verify,
)
from s3gym.output import COULD_NOT, err, plain, write_json
from s3gym.streams import prepare_streams

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
app.command()(doctor.doctor)
app.command()(run.run)
app.command()(carried.carried)
app.command()(verify.verify)
app.command()(score.score)
app.command("compare")(compare.compare_entries)
app.command()(report.report)
app.command()(submit.submit)
app.command()(audit.audit)
app.command()(replay.replay)
app.command()(rerun.rerun)
app.command()(games.games)
app.command()(play.play)
app.command()(demo.demo)
app.command("serve-builtin")(serve.serve_builtin)
app.add_typer(site.app, name="site")
app.add_typer(cache.app, name="cache")
app.add_typer(rounds.app, name="round")
app.add_typer(registry.app, name="registry")
app.add_typer(log.app, name="log")
app.add_typer(submissions.app, name="submissions")


def _join_help(commands: typer.Typer) -> None:
    """Make each paragraph of a help text one line, so that any terminal wraps it to its own width."""
    for command in commands.registered_commands:
        text = inspect.cleandoc((command.callback and command.callback.__doc__) or "")
        command.help = "\n\n".join(paragraph.replace("\n", " ") for paragraph in text.split("\n\n"))
    for group in commands.registered_groups:
        if group.typer_instance is not None:
            _join_help(group.typer_instance)


_join_help(app)


def main() -> None:
    """Run the command line; what the terminal's encoding does not know is escaped."""
    prepare_streams()
    try:
        app()
    except OSError as error:
        # Nothing but standard output is left that could refuse: every command tells of its own files.
        err().print(f"[bold red]error:[/] standard output: {plain(str(error))}")
        sys.exit(COULD_NOT)
