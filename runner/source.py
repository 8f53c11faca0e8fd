"""Which code played: its version and a digest of its source."""

from __future__ import annotations

from importlib import metadata

from protocol.source import digest_of

PACKAGES = ("games", "protocol", "runner")


def version() -> str:
    """Return the version of this distribution."""
    return metadata.version("s3gym")


def source_digest() -> str:
    """Return the SHA-256 over the source and presets of everything that plays, in order of their paths."""
    return digest_of(PACKAGES)
