"""The command line as tests call it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Protocol

from typer.testing import Result


class Face(Protocol):
    """The command line, called with its arguments."""

    def __call__(self, *arguments: str, text: str | None = None) -> Result:
        """Run a command to its end on an input."""


def refused(result: Result, code: int, *words: str) -> None:
    """Check an exit code, the words of the message, and that nothing claims success."""
    assert result.exit_code == code, result.output
    for word in words:
        assert word in result.output
    assert not re.search(r"\b(ok|accepted|verified)\b", result.output)
    assert "Traceback" not in result.output


def play_greedy(face: Face, *more: str) -> Path:
    """Play a small entry and return its bundle; its team is registered under board/keys."""
    face("keygen", "red", "--registry", "board/keys")
    result = face("run", "--model", "builtin:greedy", "--game", "trust", "--key", "keys/red.key", "--entry", "e", *more)
    assert result.exit_code == 0, result.output
    return Path("runs/e/bundle")
