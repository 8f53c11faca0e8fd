"""Changes of a board's registry that wait for the root key: anyone may propose, one person signs."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from protocol.durable import remove_file, replace_file
from protocol.errors import BundleError
from protocol.locking import alone
from protocol.strictjson import read_record, write_record
from scoring.acceptance import LOG, read_log
from scoring.board import open_board
from scoring.signed_registry import (
    REGISTRY,
    Change,
    RegistryRecord,
    applied,
    holds,
    read_registry,
    read_root,
    sign_registry,
)

PENDING = "registry.pending.jsonl"
_MAX_PENDING = 4 << 20


class Pending(NamedTuple):
    """The changes that are written down."""

    waiting: tuple[Change, ...]
    signed: tuple[Change, ...]
    """Those that the registry holds: a signing stopped before it took them off the list."""


class Signed(NamedTuple):
    """What a signing did."""

    version: int
    changes: int
    """How many it signed; 0 if all of them were signed before."""
    position: int
    """Of the log, from which they count."""


def read_pending(submissions: Path) -> Pending:
    """Return the changes that wait on a board, and those that only seem to.

    Raises:
        BundleError: If they, or the registry, are damaged.
    """
    path = submissions / PENDING
    if not path.exists():
        return Pending((), ())
    if path.stat().st_size > _MAX_PENDING:
        raise BundleError(PENDING, f"at most {_MAX_PENDING} bytes", "more", "Sign or remove it.")
    lines = path.read_bytes().splitlines()
    changes = [read_record(Change, line, PENDING, f"line {number}") for number, line in enumerate(lines, 1)]
    record = read_registry(submissions, read_root(submissions)).record
    return Pending(
        tuple(each for each in changes if not holds(record, each)),
        tuple(each for each in changes if holds(record, each)),
    )


def propose(submissions: Path, change: Change) -> int:
    """Write a change down after those that wait, if it fits; return how many wait now.

    Raises:
        BundleError: If the board does not hold, or the change contradicts its registry.
        ValueError: If the change does not fit, or another process changes the board.
    """
    with alone(submissions):
        waiting = read_pending(submissions).waiting
        record = _with(submissions, waiting)
        if change.kind == "revoke":
            active = (key.keyid for key in record.keys if key.team == change.team and key.status == "active")
            change = change.model_copy(update={"keyid": next(active, None)})
        applied(record, change, len(read_log(submissions / LOG)))
        replace_file(submissions / PENDING, b"".join(write_record(each) + b"\n" for each in (*waiting, change)))
    return len(waiting) + 1


def sign_pending(submissions: Path, key: Ed25519PrivateKey) -> Signed:
    """Sign the changes that wait as the next version of the registry, and take them off the list.

    The registry is put in place first. If it stops there, the list still holds what the registry holds, which every
    reader of the list can tell, and to sign again takes it off.

    Raises:
        BundleError: If the board does not hold.
        ValueError: If nothing waits, the key is not the root key, or another process changes the board.
    """
    with alone(submissions):
        position = len(open_board(submissions).lines)
        pending = read_pending(submissions)
        record = _with(submissions, pending.waiting)
        if not pending.waiting and not pending.signed:
            raise ValueError(f"{submissions / PENDING}: expected pending changes, found none")
        if pending.waiting:
            record = record.model_copy(update={"version": record.version + 1})
            replace_file(submissions / REGISTRY, sign_registry(record, key))
        remove_file(submissions / PENDING)
    return Signed(record.version, len(pending.waiting), position)


def _with(submissions: Path, changes: tuple[Change, ...]) -> RegistryRecord:
    """Return the registry as it would be with these changes, at where the log ends now."""
    record = read_registry(submissions, read_root(submissions)).record
    length = len(read_log(submissions / LOG))
    for change in changes:
        record = applied(record, change, length)
    return record
