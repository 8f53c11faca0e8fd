"""The command line in an empty folder, and a board with honest bundles."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import typer.main
import typer.testing
from typer.testing import CliRunner, Result

from s3gym.cli import app
from tests.bundles import Board
from tests.s3gym.face import Face

_COMMAND_OF = cache(typer.main.get_command)


@pytest.fixture
def face(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Face:
    """Return the command line, standing in an empty folder."""
    # A process reads its commands' signatures once; the runner would read them anew at every call.
    monkeypatch.setattr(typer.testing, "_get_command", _COMMAND_OF)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")

    def call(*arguments: str, text: str | None = None) -> Result:
        return CliRunner().invoke(app, list(arguments), input=text)

    return call


@pytest.fixture(scope="session")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    """Return a folder with a registered team and its bundles."""
    return Board(tmp_path_factory.mktemp("board"))
