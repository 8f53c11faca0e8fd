"""Files are written in one place, which outlives a crash; what else writes is listed here with its reason."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("games", "protocol", "runner", "scoring", "site/leaderboard", "s3gym")
WRITES = {"write_text", "write_bytes", "rename", "link", "hardlink_to", "symlink_to", "copyfile", "copytree", "mkstemp"}
OTHERS = {
    "protocol/durable.py": "it is the place",
    "runner/journal.py": "a journal grows by lines, each synced",
    "s3gym/output.py": "a link, a pipe or a device that the user named is written through",
}


def writes(source: str) -> list[int]:
    """Return the lines on which a file is made, changed or renamed."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name, modes = node.func.attr, [each.value for each in node.args if isinstance(each, ast.Constant)]
        opened = name == "open" and any(isinstance(mode, str) and set(mode) & set("wax+") for mode in modes)
        # Of a text two are given, and of a record its fields by name.
        system = isinstance(node.func.value, ast.Name) and node.func.value.id == "os"
        replaced = name == "replace" and (system or (len(node.args) == 1 and not node.keywords))
        if name in WRITES or opened or replaced:
            found.append(node.lineno)
    return found


def test_every_file_is_written_where_that_outlives_a_crash() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): lines
        for room in ROOMS
        for path in sorted((ROOT / room).rglob("*.py"))
        if (lines := writes(path.read_text(encoding="utf-8")))
    }
    assert found.keys() == OTHERS.keys(), {name: found[name] for name in found.keys() - OTHERS.keys()}


@pytest.mark.parametrize(
    "line",
    [
        "path.write_text('x')",
        "path.open('wb')",
        "partial.replace(path)",
        "os.replace(one, other)",
        "path.rename(other)",
    ],
)
def test_a_line_that_writes_is_seen(line: str) -> None:
    assert writes(line) == [1]


@pytest.mark.parametrize("line", ["path.open('rb')", "text.replace('a', 'b')", "replace(found, x=1)", "path.open()"])
def test_a_line_that_writes_nothing_is_not_seen(line: str) -> None:
    assert writes(line) == []
