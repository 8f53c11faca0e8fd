"""The list of commands: written down once more than in the commands, and held against them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from games.registry import GAMES
from s3gym.cli import COMMANDS, command_named
from s3gym.options import GAMES_KNOWN
from tests.s3gym.face import Face

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_of_a_command_what_its_help_says_first(name: str) -> None:
    told = (command_named(name).help or "").split("\n\n")[0]
    assert COMMANDS[name].help == told


def test_every_module_with_a_command_is_listed() -> None:
    modules = {path.stem for path in (ROOT / "s3gym" / "commands").glob("*.py")} - {"__init__"}
    assert {listed.place.split(":")[0] for listed in COMMANDS.values()} == modules


def test_the_help_lists_every_command_in_order(face: Face) -> None:
    shown = re.findall(r"^│ ([a-z-]+) ", face("--help").output.partition("─ Commands ─")[2], re.MULTILINE)
    assert shown == list(COMMANDS)


def test_a_command_that_is_none_gets_the_nearest(face: Face) -> None:
    result = face("verfy")
    assert result.exit_code == 2
    assert "'verify'" in result.output


HEAVY = (
    *("asyncio", "cryptography", "games.registry", "http.server", "jinja2", "numpy", "openai", "pandas", "plotly"),
    *("protocol.records", "rich.progress", "securesystemslib", "zlib_ng"),
)
"""What takes long to import and helps nobody who asks for a help text."""


def _imported(*arguments: str) -> set[str]:
    """Return which heavy modules a call of the program imports."""
    code = f"""\
import sys
from s3gym.cli import app
try:
    app(sys.argv[1:])
except SystemExit:
    pass
print("\\n--", *(name for name in {(*HEAVY, "pydantic")!r} if name in sys.modules))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.rpartition("\n--")[2].split())


def test_the_version_and_the_list_import_no_command() -> None:
    assert _imported("--version") == set()
    assert _imported("--help") == set()


def test_no_module_of_a_command_imports_what_only_its_work_needs() -> None:
    """But the settings of a run: its flags are made of them, and their bounds are pydantic's."""
    code = f"""\
import sys, importlib
for name in sys.argv[1:]:
    importlib.import_module(name)
print(*(name for name in {(*HEAVY, "pydantic")!r} if name in sys.modules))
"""
    settings = {"run", "doctor"}
    modules = {listed.place.split(":")[0] for listed in COMMANDS.values()}
    for names, allowed in ((modules - settings, set()), (settings, {"pydantic"})):
        named = [f"s3gym.commands.{name}" for name in sorted(names)]
        done = subprocess.run(
            [sys.executable, "-c", code, *named], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert set(done.stdout.split()) == allowed


def test_a_help_imports_no_more_than_its_module() -> None:
    assert _imported("verify", "--help") == set()
    assert _imported("run", "--help") == {"pydantic"}


def test_the_games_that_help_texts_name_are_the_games() -> None:
    assert ", ".join(game.id for game in GAMES) == GAMES_KNOWN
