"""Which code played: its version and a digest of its source."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import metadata, resources
from importlib.resources.abc import Traversable

PACKAGES = ("games", "protocol", "runner")
_SUFFIXES = (".py", ".toml")


def version() -> str:
    """Return the version of this distribution."""
    return metadata.version("s3gym")


@cache
def source_digest() -> str:
    """Return the SHA-256 over the source and presets of everything that plays, in order of their paths."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        for name, file in sorted(_files(resources.files(package), package)):
            data = file.read_bytes()
            digest.update(f"{name}\n{len(data)}\n".encode() + data)
    return digest.hexdigest()


def _files(folder: Traversable, path: str) -> list[tuple[str, Traversable]]:
    found: list[tuple[str, Traversable]] = []
    for child in folder.iterdir():
        name = f"{path}/{child.name}"
        if child.is_dir():
            found += _files(child, name)
        elif child.name.endswith(_SUFFIXES):
            found.append((name, child))
    return found
