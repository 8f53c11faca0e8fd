"""The list of commands: written down once more than in the commands, and held against them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from s3gym.cli import COMMANDS, command_named
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
