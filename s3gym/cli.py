"""The command line: ``s3gym``.

Every command is written down in `COMMANDS`, and its module is imported when it is called. So the whole list, a version
and a completion cost no more than this file.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from s3gym.output import COULD_NOT, err, plain, write_json
from s3gym.streams import prepare_streams

if TYPE_CHECKING:
    from types import TracebackType

    from typer._click import Command, Context


class Listed(NamedTuple):
    """A command as the list of all shows it."""

    place: str
    """Where it is: a module of s3gym.commands and a name in it, of a function, or of a Typer with commands below it."""
    help: str
    """The first paragraph of its own help; a test compares the two."""


COMMANDS: Mapping[str, Listed] = {
    "keygen": Listed("keys:keygen", "Make a team's signing key and its registration."),
    "doctor": Listed(
        "doctor:doctor",
        "Check a set-up before a run, with the flags of s3gym run: this machine, the endpoint, the model.",
    ),
    "run": Listed(
        "run:run",
        "Play an entry and write its signed bundle; run the same command again to go on after any interruption.",
    ),
    "carried": Listed(
        "carried:carried", "Read what a model carries from episode to episode, while it plays or afterwards."
    ),
    "verify": Listed(
        "verify:verify",
        "Verify a bundle offline: signature, files, records, completeness, separation, replay, contexts, claims.",
    ),
    "score": Listed(
        "score:score", "Verify bundles and print their metrics; nothing that is not verified is ever scored."
    ),
    "compare": Listed(
        "compare:compare_entries",
        "Compare two entries of one protocol, game by game: A minus B, with intervals.",
    ),
    "report": Listed(
        "report:report",
        "Write one page on one entry, in Markdown: what was measured, what may be said of it, and how to check it.",
    ),
    "submit": Listed(
        "submit:submit",
        "Verify a bundle and lay it into the submissions folder, with a line in the acceptance log.",
    ),
    "audit": Listed(
        "audit:audit",
        "Tell which rows of a table of results can be, from their printed digits and the curves that come with them.",
    ),
    "replay": Listed("replay:replay", "Look into a bundle: list its episodes, or go through one step by step."),
    "rerun": Listed(
        "rerun:rerun",
        "Ask the model of an entry again, as organisers: its last checkpoint, on fresh seeds, with what the entry "
        "carried.",
    ),
    "games": Listed(
        "games:games",
        "List the games, or show the rules of one: the words that a model is told, and the numbers of every config.",
    ),
    "play": Listed("play:play", "Play a game yourself, on the same text that a model gets."),
    "demo": Listed("demo:demo", "Run the main job from end to end: play, sign, verify by replay, score, browse."),
    "serve-builtin": Listed(
        "serve:serve_builtin",
        "Serve the built-in models as an OpenAI-compatible endpoint on this machine, to try a set-up without a key.",
    ),
    "site": Listed("site:app", "The static leaderboard."),
    "cache": Listed(
        "cache:app", "The cache of accepted bundles: score and site build verify an unchanged bundle once."
    ),
    "round": Listed("rounds:app", "Rounds: a protocol on fresh seeds."),
    "registry": Listed("registry:app", "The signed registry of team keys (organisers)."),
    "log": Listed("log:app", "The acceptance log: what happened to each entry, in an order that it proves."),
    "submissions": Listed("submissions:app", "Entries of a board (organisers)."),
}
"""All commands, in the order in which they are listed."""


@cache
def command_named(name: str) -> TyperCommand | TyperGroup:
    """Return a listed command with its flags; its module is imported."""
    module, _, attribute = COMMANDS[name].place.partition(":")
    found: object = getattr(import_module(f"s3gym.commands.{module}"), attribute)
    if isinstance(found, typer.Typer):
        _join_help(found)
        return typer.main.get_group(found)
    assert inspect.isfunction(found), f"{name}: expected a function or a Typer, got {found!r}"
    alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
    alone.command(name)(found)
    _join_help(alone)
    command = typer.main.get_command(alone)
    assert isinstance(command, TyperCommand)
    return command


def _join_help(commands: typer.Typer) -> None:
    """Make each paragraph of a help text one line, so that any terminal wraps it to its own width."""
    for command in commands.registered_commands:
        text = inspect.cleandoc((command.callback and command.callback.__doc__) or "")
        command.help = "\n\n".join(paragraph.replace("\n", " ") for paragraph in text.split("\n\n"))


class _Listing(TyperGroup):
    """The list of commands; only the one that is called is imported."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        for each in self.get_params(ctx):
            # A flag without a default (of the completion, of the help) is read by pydantic; one with False is not.
            if isinstance(each, TyperOption) and each.is_flag and each.default is None:
                each.default = False
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed and command_named(name or ""), rest


app = typer.Typer(
    name="s3gym",
    cls=_Listing,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help=(
        "Does a language model turn its own experience into better play? Run it in seven small games, verify any "
        "bundle by replaying every episode, and rank the results.\n\n"
        "Start with: [bold]s3gym demo[/]"
    ),
    epilog=(
        "Exit codes: 0 done or accepted, 1 refused, 2 could not, 3 paused (the same command goes on), 130 stopped by "
        "Ctrl-C, 141 whoever read the output has gone."
    ),
)


def _version(value: bool) -> None:
    if value:
        from importlib import metadata

        write_json(f"s3gym {metadata.version('s3gym')}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    del version


def _listed() -> None:
    raise AssertionError("a command that is called was put in the place of its line")


for _name, _line in COMMANDS.items():
    app.command(_name, help=_line.help)(_listed)


def main() -> None:
    """Run the command line; what the terminal's encoding does not know is escaped."""
    prepare_streams()
    try:
        app()
    except OSError as error:
        err().print(f"[bold red]error:[/] {plain(str(error))}")
        sys.exit(COULD_NOT)
    finally:
        # After the call, since Typer puts a hook of its own there.
        sys.excepthook = _crashed
        # Whether all was taken decides the exit code, so it must be known now.
        sys.stdout.flush()


def _crashed(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Tell a fault of our own, and exit by a code that is no verdict: Python's own is 1, a refusal."""
    sys.__excepthook__(kind, error, trace)
    sys.stderr.flush()
    os._exit(COULD_NOT)
