"""The places in the code that can name a fault, and which of them were reached."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import pytest

from protocol import strictjson
from protocol.errors import BundleError

ROOT = Path(__file__).resolve().parents[2]
FILES = (
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "scoring" / "checks").glob("*.py")),
    "scoring/verify.py",
    "scoring/registry.py",
    "protocol/bundle.py",
    "protocol/signing.py",
    "protocol/strictjson.py",
)
NAMES = frozenset({"BundleError", "_Refused", "_add", "differs", "_disjoint", "_bound_line", "_add_cost"})
"""What is called to name a fault; a helper that is called in several places counts at each of them."""
ELSEWHERE = frozenset({"check_registration"})
"""Functions of a signed registry's rules; the tests of the registry reach what they refuse."""
UNREACHABLE = {
    "a readable file": "the file vanishes, or becomes a link, between two steps",
    "one that changes": "the file grows while it is read",
    "Put the file itself there.": "the file becomes a pipe or a device between two steps",
}
"""What only a race can bring about; tests/protocol/test_protocol_bundle.py shows it by itself."""


class Site(NamedTuple):
    """One call that names a fault."""

    file: str
    line: int
    last: int
    text: str


def sites() -> list[Site]:
    """Return every such call."""
    found = []
    for file in FILES:
        source = (ROOT / file).read_text(encoding="utf-8")
        tree = ast.parse(source)
        left_out = {id(each) for node in ast.walk(tree) if _is_elsewhere(node) for each in ast.walk(node)}
        for node in ast.walk(tree):
            if id(node) in left_out:
                continue
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in NAMES:
                text = ast.get_source_segment(source, node) or ""
                found.append(Site(file, node.lineno, node.end_lineno or node.lineno, text))
    return found


def _is_elsewhere(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name in ELSEWHERE


class Sites:
    """Notes where faults are named while it watches."""

    def __init__(self) -> None:
        self._reached: set[tuple[str, int]] = set()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch both kinds of faults being made."""
        with pytest.MonkeyPatch.context() as patch:
            for kind in (BundleError, strictjson._Refused):
                self._watch(kind, patch)
            yield

    def _watch(self, kind: type[Exception], patch: pytest.MonkeyPatch) -> None:
        made = kind.__init__

        def noting(error: Exception, *parts: object, **named: object) -> None:
            frame: FrameType | None = sys._getframe(1)
            while frame is not None:
                self._reached.add((frame.f_code.co_filename, frame.f_lineno))
                frame = frame.f_back
            made(error, *parts, **named)

        patch.setattr(kind, "__init__", noting)

    def missed(self) -> list[Site]:
        """Return the calls that were not reached and could have been."""
        return [
            site
            for site in sites()
            if not any((str(ROOT / site.file), line) in self._reached for line in range(site.line, site.last + 1))
            and not any(words in site.text for words in UNREACHABLE)
        ]
