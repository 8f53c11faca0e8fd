"""A board's registry and its root key: two files that must agree, put in place so that a stop loses nothing.

The registry goes first. After an exchange it names the new key, signed by the old one, and is signed by the new one:
from it and the old ``root.json`` the new ``root.json`` follows, without a private key. So the only state between the
two can be told by every reader, and finished by anyone who may write to the board.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from protocol.durable import make_folder, replace_file
from protocol.errors import BundleError
from protocol.locking import alone
from protocol.preset import preset_named
from protocol.strictjson import write_record
from scoring.acceptance import LOG, head_of, read_log
from scoring.board import Board, check_version, open_board
from scoring.confirmed import signed_by
from scoring.log_check import check_board
from scoring.registry import keyring_of
from scoring.root_keys import RootKey, root_of
from scoring.signed_registry import (
    REGISTRY,
    ROOT,
    LogEnd,
    RegistryRecord,
    SignedRegistry,
    exchanged,
    open_registry,
    read_ahead,
    read_registry,
    read_root,
    sign_registry,
)
from scoring.verify import PresetOf


class Exchange(NamedTuple):
    """An exchange whose two files are in place."""

    old: RootKey
    new: RootKey
    version: int


def root_file(root: RootKey) -> bytes:
    """Return what ``root.json`` holds."""
    return write_record(root) + b"\n"


def check_unbegun(submissions: Path) -> None:
    """Check that a board has no registry and no log, so that it may begin with a registry.

    Raises:
        BundleError: If there is a log that does not hold.
        ValueError: If there is more than what a beginning that stopped may have left.
    """
    if (submissions / ROOT).exists():
        raise _begun(submissions / ROOT)
    if read_log(submissions / LOG):
        raise ValueError(f"{submissions / LOG}: expected an empty log; a board begins with its signed registry")


def begin(submissions: Path, key: Ed25519PrivateKey) -> RootKey:
    """Begin a signed registry without a team, or go on where that stopped; return its root key.

    Raises:
        ValueError: If the board has a registry, a log, or a beginning by another key.
    """
    root = root_of(key)
    content = sign_registry(RegistryRecord(version=1, root=root.keyid, keys=()), key)
    path = submissions / REGISTRY
    make_folder(submissions)
    with alone(submissions):
        check_unbegun(submissions)
        if path.exists() and path.read_bytes() != content:
            raise _begun(path)
        replace_file(path, content)
        replace_file(submissions / ROOT, root_file(root))
    return root


def _begun(path: Path) -> ValueError:
    return ValueError(f"{path}: expected no registry yet, found one; it is never begun anew")


def check_exchange(submissions: Path, old: Ed25519PrivateKey, preset_of: PresetOf = preset_named) -> None:
    """Check a whole board before its root key is exchanged.

    Raises:
        BundleError: If the board does not hold, or an earlier exchange stopped half-way.
        ValueError: If the key is not the root key.
    """
    current = read_registry(submissions, read_root(submissions)).roots.current
    if root_of(old) != current:
        raise ValueError(f"root key: expected key {current.keyid}, got {root_of(old).keyid}")
    fault = next(iter(check_board(submissions, preset_of=preset_of).faults), None)
    if fault is not None:
        raise BundleError(fault.file, fault.expected, fault.got, fault.remedy, place=fault.place, step=fault.step)


def exchange(submissions: Path, old: Ed25519PrivateKey, new: Ed25519PrivateKey) -> Exchange:
    """Let a new root key take the place of the old one.

    Raises:
        BundleError: If the board does not hold.
        ValueError: If a key is not fit for it, or another process changes the board.
    """
    with alone(submissions):
        board = open_board(submissions)
        registry = read_registry(submissions, read_root(submissions))
        left = signed_by(board, registry.roots.current.keyid)
        end = LogEnd(len(board.lines), head_of(board.lines))
        content = sign_registry(exchanged(registry, old, new, end, left), new)
        signed = open_registry(content, root_of(new))
        _check(submissions, signed)
        replace_file(submissions / REGISTRY, content)
        replace_file(submissions / ROOT, root_file(root_of(new)))
    return _last(signed)


def finish(submissions: Path) -> Exchange | None:
    """Finish an exchange that stopped between its files; None if there is none, and nothing is written then.

    No private key takes part: what the registry says of the new key was signed by both, and the registry is checked
    like any other, also against the log, before ``root.json`` follows it.

    Raises:
        BundleError: If the board does not hold.
        ValueError: If another process changes the board.
    """
    with alone(submissions):
        ahead = read_ahead(submissions, read_root(submissions))
        if ahead is None:
            open_board(submissions)
            return None
        _check(submissions, ahead)
        replace_file(submissions / ROOT, root_file(ahead.roots.current))
    return _last(ahead)


def done_before(submissions: Path, old: Ed25519PrivateKey, new: Ed25519PrivateKey) -> Exchange | None:
    """Return the last exchange of a board if it was the one between these keys.

    Raises:
        BundleError: If the board does not hold.
    """
    registry = read_registry(submissions, read_root(submissions))
    found = _last(registry) if registry.roots.exchanges else None
    return found if found is not None and (found.old, found.new) == (root_of(old), root_of(new)) else None


def _check(submissions: Path, registry: SignedRegistry) -> None:
    """Check a registry against the log of a board on which it is not in force yet."""
    check_version(Board(submissions, keyring_of(registry), read_log(submissions / LOG)))


def _last(registry: SignedRegistry) -> Exchange:
    each = registry.roots.exchanges[-1]
    return Exchange(each.old, each.new, each.version)
