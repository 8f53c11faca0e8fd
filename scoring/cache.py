"""A cache of accepted bundles: what was verified and measured once is found again by what it was made of.

It is a folder of the user's own. An entry is found by the digest of the envelope, the key that signed it, the protocol
and the scorer, and holds a digest of itself; whatever is damaged or not private is as good as not there.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pydantic import VERSION as PYDANTIC
from pydantic import BaseModel, ConfigDict

from protocol.durable import PRIVATE, replace_file
from protocol.errors import BundleError
from protocol.records import Digest
from protocol.source import digest_of
from protocol.strictjson import Several, read_record
from scoring.entry_numbers import EntryNumbers, seal
from scoring.report import Report
from scoring.results import BlockPoint, CalibrationBin, CurvePoint, EntryResult, ExplorePoint, Row

PACKAGES = ("games", "protocol", "scoring")
_FORM = "s3gym-cache-1"
_ENTRIES = "accepted"
_SUFFIX = ".json"
_PARTIAL = ".partial"
_MAX_ENTRY = 16 << 20
_DIGEST_LINE = 65
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


class _Kept(BaseModel):
    """An entry as it lies in the cache."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)

    key: Digest
    entry: EntryResult
    rows: Several[Row]
    curves: Several[CurvePoint]
    explorations: Several[ExplorePoint]
    blocks: Several[BlockPoint]
    calibration: Several[CalibrationBin]
    report: Report


class Key(NamedTuple):
    """What an acceptance rests on."""

    envelope: str
    """SHA-256 of the envelope; the signed statement in it holds the digest of every other file."""
    keyid: str
    preset: str
    """The digest of the protocol."""

    @property
    def digest(self) -> str:
        """Return the name of the entry."""
        return hashlib.sha256("\n".join((_FORM, scorer_digest(), *self)).encode()).hexdigest()


class Stored(NamedTuple):
    """What lies in a cache."""

    entries: int
    """Whole entries of this scorer."""
    others: int
    """Entries of other scorers; they are never read."""
    damaged: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder of accepted bundles. Several processes may use it at once.

    Raises:
        ValueError: If the folder is not the user's own, or others may write to it.
        OSError: If it cannot be made.
    """

    folder: Path

    def __post_init__(self) -> None:
        for folder in (self.folder, self._own.parent, self._own):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            info = folder.lstat()
            if not stat.S_ISDIR(info.st_mode) or not _private(info):
                raise ValueError(
                    f"cache: expected a folder that only its owner, who runs this, may write to, got {folder}; "
                    "set S3GYM_CACHE to another one"
                )

    @property
    def _own(self) -> Path:
        """Return the folder of this scorer's entries."""
        return self.folder / _ENTRIES / scorer_digest()[:16]

    def find(self, key: Key) -> EntryNumbers | None:
        """Return what was measured of a bundle, or None if that is not known or its entry is damaged."""
        kept = _read(self._own / f"{key.digest}{_SUFFIX}")
        if kept is None or kept.key != key.digest:
            return None
        told = (kept.entry.bundle_digest, kept.report.bundle_digest, kept.entry.keyid)
        if told != (key.envelope, key.envelope, key.keyid):
            return None
        return EntryNumbers(
            kept.entry,
            kept.rows,
            kept.curves,
            kept.explorations,
            kept.blocks,
            kept.calibration,
            kept.report,
            seal(),
        )

    def keep(self, key: Key, numbers: EntryNumbers) -> None:
        """Keep what was measured of a bundle: the entry appears whole or not at all."""
        kept = _Kept(
            key=key.digest,
            entry=numbers.entry,
            rows=numbers.rows,
            curves=numbers.curves,
            explorations=numbers.explorations,
            blocks=numbers.blocks,
            calibration=numbers.calibration,
            report=numbers.report,
        )
        body = kept.model_dump_json().encode()
        partial = self._own / f"{secrets.token_hex(16)}{_PARTIAL}"
        replace_file(self._own / f"{key.digest}{_SUFFIX}", _sealed(body), mode=PRIVATE, partial=partial)

    def stored(self) -> Stored:
        """Return what lies here; every entry of this scorer is read."""
        entries = others = damaged = size = 0
        for path in self._files():
            size += path.lstat().st_size
            if path.parent != self._own:
                others += 1
            elif _whole(path):
                entries += 1
            else:
                damaged += 1
        return Stored(entries, others, damaged, size)

    def prune(self, *, everything: bool = False) -> int:
        """Remove entries of other scorers and what is damaged, or everything; return how many files went."""
        removed = 0
        for path in self._files():
            if everything or path.parent != self._own or not _whole(path):
                path.unlink(missing_ok=True)
                removed += 1
        for folder in (self.folder / _ENTRIES).iterdir():
            with contextlib.suppress(OSError):
                if folder != self._own:
                    folder.rmdir()
        return removed

    def _files(self) -> Iterator[Path]:
        """Yield every file of every scorer; nothing else in the folder is touched."""
        for folder in sorted((self.folder / _ENTRIES).iterdir()):
            if folder.is_dir() and not folder.is_symlink():
                yield from sorted(path for path in folder.iterdir() if path.suffix in (_SUFFIX, _PARTIAL))


def scorer_digest() -> str:
    """Return a digest of all that decides what is accepted and measured: this project's source, Python and pydantic."""
    parts = (digest_of(PACKAGES), sys.version, PYDANTIC)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _private(info: os.stat_result) -> bool:
    """Tell whether something is the user's own and nobody else may write to it, where the system tells."""
    if not hasattr(os, "getuid"):
        return True
    return info.st_uid == os.getuid() and not info.st_mode & _OTHERS_MAY_WRITE


def _whole(path: Path) -> bool:
    kept = _read(path)
    return kept is not None and path.name == f"{kept.key}{_SUFFIX}"


def _read(path: Path) -> _Kept | None:
    """Return a whole and private entry, or None."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            info = os.fstat(file.fileno())
            data = file.read(_MAX_ENTRY + 1) if stat.S_ISREG(info.st_mode) and _private(info) else b""
    except OSError:
        return None
    body = data[_DIGEST_LINE:]
    if len(data) > _MAX_ENTRY or data != _sealed(body):
        return None
    try:
        kept = read_record(_Kept, body, path.name, parts=_MAX_ENTRY)
    except BundleError:
        return None
    return kept if kept.report.accepted else None


def _sealed(body: bytes) -> bytes:
    return f"{hashlib.sha256(body).hexdigest()}\n".encode() + body
