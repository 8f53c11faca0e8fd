"""A pseudo-terminal with a person who types when asked."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
_PATIENCE = 120.0
"""Seconds without a sign of life after which a test has failed."""
_HEARD = 10.0
"""Seconds without a sign of life after which a key is pressed again."""
_KEYS = ("\x03", "\x04")


class Sitting(NamedTuple):
    """What a person saw, and the exit code."""

    screen: str
    code: int


def sit(arguments: Sequence[str], typed: Sequence[str], *, prompt: str, columns: int = 80, **variables: str) -> Sitting:
    """Run the command line in a terminal, typing the next text each time the prompt stands at the end.

    Args:
        arguments: The command.
        typed: What is typed, one text a prompt; ``\\x03`` is Ctrl-C, ``\\x04`` Ctrl-D.
        prompt: The end of what stands before the cursor when something may be typed.
        columns: The width of the terminal.
        variables: Further variables of the environment.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "FORCE_COLOR")}
    environment = {**plain, "TERM": "xterm-256color", "PYTHONPATH": f"{ROOT}:{ROOT / 'site'}", **variables}
    process = subprocess.Popen(
        # What a shell starts in the background ignores Ctrl-C, and so would all that it starts.
        # setsid makes the terminal the child's own, so that Ctrl-C reaches it.
        [sys.executable, "-c", _CHILD, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
        start_new_session=True,
    )
    os.close(theirs)
    waiting, seen, answered, last = list(typed), "", 0, ""
    while chunk := _read(ours, again=last if last in _KEYS else ""):
        seen += chunk
        if waiting and seen.endswith(prompt) and len(seen) > answered:
            answered, last = len(seen), waiting.pop(0)
            os.write(ours, last.encode())
    os.close(ours)
    return Sitting(seen.replace("\r\n", "\n"), process.wait())


_CHILD = """\
import fcntl, signal, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv[0] = "s3gym"
from s3gym.cli import main
main()
"""


def _read(descriptor: int, again: str) -> str:
    """Return what came next; empty at the end.

    A key that is pressed after the prompt stands and before the command listens may be lost with the change of the
    terminal's mode. Who sees nothing happen presses it again.
    """
    if again and not select.select([descriptor], [], [], _HEARD)[0]:
        os.write(descriptor, again.encode())
    ready, _, _ = select.select([descriptor], [], [], _PATIENCE)
    assert ready, "the command neither asks nor ends"
    try:
        return os.read(descriptor, 1 << 16).decode()
    except OSError:
        return ""
