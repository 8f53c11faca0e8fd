"""A digest of source code: which code played or scored."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

_SUFFIXES = (".py", ".toml")


@cache
def digest_of(packages: tuple[str, ...]) -> str:
    """Return the SHA-256 over the source and presets of packages, in order of their paths."""
    digest = hashlib.sha256()
    for package in packages:
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
