"""From the folder that a user points at to the bundle that is meant."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from protocol.bundle import ENVELOPE
from runner.entry import BUNDLE
from runner.journal import JOURNAL
from scoring.board import ENTRIES

_LOOKED_AT = 1_000
"""Folders that are looked into for bundles."""
_SHOWN = 3


def bundle_at(path: Path) -> Path:
    """Return the bundle that a path names: itself, or the one in a run folder.

    What is no folder, and a folder that has nothing to do with a bundle, is returned as it is: the verification says
    what it lacks.

    Raises:
        ValueError: If it is a folder of several, a part of one, or a run that is not finished; the message says what to
            point at.
    """
    if _is_bundle(path):
        return path
    if _is_bundle(path / BUNDLE):
        return path / BUNDLE
    inside = next((each for each in (path.parent, path.parent.parent) if _is_bundle(each)), None)
    if inside is not None and path.exists():
        raise ValueError(f"bundle: expected a bundle, got a part of one: {path}; point at {inside}")
    if (path / JOURNAL).is_file():
        raise ValueError(
            f"bundle: expected a bundle, got a run that is not finished: {path}; run its command again to go on with it"
        )
    found = [*_bundles(path)]
    if found:
        shown = ", ".join(map(str, found[:_SHOWN])) + (" ..." if len(found) > _SHOWN else "")
        raise ValueError(
            f"bundle: expected one bundle, got a folder that holds {len(found)}: {path}; point at one of {shown}"
        )
    return path


def _is_bundle(path: Path) -> bool:
    return (path / ENVELOPE).is_file()


def _bundles(path: Path) -> Iterator[Path]:
    """Yield the bundles and the run folders with one in a folder, or in the entries of a board."""
    for folder in (path, path / ENTRIES):
        if folder.is_dir():
            for each in sorted(islice(folder.iterdir(), _LOOKED_AT)):
                if _is_bundle(each) or _is_bundle(each / BUNDLE):
                    yield each
