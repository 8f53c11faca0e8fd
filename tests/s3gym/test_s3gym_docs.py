"""The commands of the documentation are commands, and the tutorial with the built-in server runs as it is written."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.core import TyperGroup

from protocol.budgets import budgets
from protocol.preset import preset_named
from protocol.records import Endpoint
from runner.serve import BuiltinServer
from s3gym.cli import COMMANDS, command_named
from tests.s3gym.face import Face

if TYPE_CHECKING:
    from typer._click import Command

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TUTORIAL = ROOT / "docs" / "tutorial" / "local-server.md"
_COMMAND = re.compile(r"^(?:\$ )?(?:\.venv/bin/)?s3gym (.+)$", re.MULTILINE)
_BLOCK = re.compile(r"```(console|toml)\n(.*?)```", re.DOTALL)


def _commands() -> Iterator[tuple[str, str]]:
    """Yield every command of a console block, with the page that it stands on."""
    for page in PAGES:
        for kind, block in _BLOCK.findall(page.read_text(encoding="utf-8")):
            if kind == "console":
                for command in _COMMAND.findall(block.replace("\\\n", " ")):
                    yield str(page.relative_to(ROOT)), command


def _flags(words: list[str]) -> set[str]:
    """Return the flags of the command that these words begin with."""
    assert words, "expected a command"
    assert words[0] in COMMANDS, f"expected a command, got {words[0]}"
    command: Command = command_named(words.pop(0))
    while isinstance(command, TyperGroup):
        assert words, "expected a command"
        assert words[0] in command.commands, f"expected a command, got {words[0]}"
        command = command.commands[words.pop(0)]
    return {"--help", *(flag for each in command.params for flag in (*each.opts, *each.secondary_opts))}


def test_every_command_of_the_documentation_is_one_with_the_flags_it_is_shown_with() -> None:
    found = list(_commands())
    assert len(found) > 30
    for page, command in found:
        words = shlex.split(command, comments=True)
        if words[0].startswith("--"):
            continue
        flags = {word for word in words if word.startswith("--")}
        assert flags <= _flags(words), f"{page}: s3gym {command}"


def _steps(text: str) -> Iterator[tuple[str, str]]:
    """Yield the blocks of a page: a file, or a command with what it is said to print."""
    for kind, block in _BLOCK.findall(text):
        if kind == "toml":
            yield "file", block
            continue
        for part in block.split("$ s3gym ")[1:]:
            yield "command", part


def test_the_tutorial_with_the_built_in_server_runs_as_it_is_written(face: Face) -> None:
    """With another port, and in one go. Each line that is shown below a command is the beginning of one it prints."""
    text, found, _ = TUTORIAL.read_text(encoding="utf-8").partition("## A real model")
    assert found
    ran = []
    with BuiltinServer() as server:
        here = text.replace("http://127.0.0.1:8080/v1", server.base_url)
        for kind, block in _steps(here):
            if kind == "file":
                Path("run.toml").write_text(block)
                continue
            command, *shown = block.splitlines()
            ran.append(command.split()[0])
            if ran[-1] == "serve-builtin":
                assert shown[0].startswith(server.base_url)
                continue
            result = face(*shlex.split(command))
            assert result.exit_code == 0, f"{command}\n{result.output}"
            lines = [line.strip() for line in result.output.splitlines()]
            for line in filter(None, shown):
                assert any(each.startswith(line.strip()) for each in lines), f"{command}: {line}\n{result.output}"
    assert ran == ["keygen", "serve-builtin", "doctor", "run", "run", "carried", "verify", "score"]


@pytest.mark.parametrize(("name", "context"), [("pocket-1", 8_192), ("paper-1", 128_000)])
def test_the_contexts_that_the_documentation_names_hold_the_protocols_whole(name: str, context: int) -> None:
    page = (ROOT / "docs" / "how-to" / "check-your-endpoint.md").read_text(encoding="utf-8")
    assert f"{context:,}" in page
    preset = preset_named(name)
    room = budgets(preset, Endpoint(kind="openai_chat", model="m", context_tokens=context))
    assert (room.input_tokens, room.output_tokens) == (preset.input_tokens, preset.output_tokens)
