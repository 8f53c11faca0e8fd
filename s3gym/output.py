"""What every command shares: consoles, exit codes and errors in plain words."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from protocol.durable import replace_file
from protocol.errors import BundleError
from runner.errors import JournalError, StorageError
from runner.printable import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

ACCEPTED = 0
REFUSED = 1
COULD_NOT = 2
INTERRUPTED = 130
READER_GONE = 141
"""Nobody reads the output any more, as behind a pipe to head: what a shell gives for it."""
PAUSED = 3
"""A run stopped before its end; the same command goes on with it."""

# Rich is imported where something is shown: a version, a completion and a help need none of it from here.


def out() -> Console:
    """Return the console for what a command is for."""
    from rich.console import Console

    return Console(soft_wrap=True, emoji=False)


def err() -> Console:
    """Return the console for errors and progress."""
    from rich.console import Console

    return Console(stderr=True, soft_wrap=True, emoji=False)


def board_console() -> Console:
    """Return the console for live progress: it cuts lines to the width of the terminal."""
    from rich.console import Console

    return Console(stderr=True, emoji=False, highlight=False)


def progress() -> Progress:
    """Return a bar that goes when it is done; nothing is shown where there is no terminal."""
    from rich.progress import Progress

    console = err()
    return Progress(console=console, transient=True, disable=not console.is_terminal)


def plain(text: str) -> str:
    """Return text as a terminal may show it: control and bidi characters escaped, markup taken literally."""
    from rich.markup import escape

    return escape(printable(text))


def write_json(text: str) -> None:
    """Write JSON for machines: nothing else goes to standard output."""
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")


def write_file(path: Path, text: str | bytes) -> None:
    """Write a file that the user named, whole or not at all; a link, a pipe or a device is written through."""
    content = text.encode() if isinstance(text, str) else text
    if path.is_symlink() or (path.exists() and not path.is_file()):
        path.write_bytes(content)
    else:
        replace_file(path, content)


def check_folder(file: Path) -> None:
    """Check before the work that a file can be laid where it is wanted.

    Raises:
        ValueError: If it names a folder, or one that is not there.
    """
    if file.is_dir() or not file.parent.is_dir():
        raise ValueError(f"file: expected a file in a folder that is there, got {file}")


def fail(message: str, code: int = COULD_NOT) -> NoReturn:
    """Print an error and leave with an exit code."""
    err().print(f"[bold red]error:[/] {plain(message)}")
    raise typer.Exit(code)


def warn(message: str) -> None:
    """Print a warning."""
    err().print(f"[yellow]warning:[/] {plain(message)}")


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn errors that a user can mend into one line and an exit code."""
    try:
        yield
    except BundleError as error:
        fail(str(error), REFUSED)
    except (ValueError, OSError, JournalError, StorageError) as error:
        fail(str(error), COULD_NOT)
    except ModuleNotFoundError as error:
        extra = {"openai": "run", "jinja2": "site", "plotly": "site"}.get(error.name or "")
        if extra is None:
            raise
        fail(f"{error.name} is not installed; this command needs it. Install it with: pip install 's3gym[{extra}]'")
