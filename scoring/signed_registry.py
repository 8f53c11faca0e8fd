"""The signed registry: every key of every team, one version after the other, signed by the organisers' root key."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple, Self

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import model_validator

from protocol.bundle import read_file, sha256
from protocol.errors import BundleError
from protocol.record import Record
from protocol.records import Content, Count, Digest, Label, Name
from protocol.signing import (
    SignedBytes,
    TeamKey,
    check_registration,
    check_signature,
    read_envelope,
    sign,
)
from protocol.strictjson import Several, read_record, write_record
from scoring.root_keys import (
    RootExchange,
    RootKey,
    RootLink,
    Roots,
    Version,
    check_links,
    check_root,
    root_of,
    sign_exchange,
)

REGISTRY = "registry.dsse.json"
ROOT = "root.json"
REGISTRY_TYPE = "application/vnd.s3gym.registry+json"
_MAX_REGISTRY = 16 << 20
_MAX_PARTS = 1 << 20
"""Texts, commas and brackets of the registry: some thirty for each key."""
_MAX_ROOT = 4096
_INIT = (
    "If a first registry was being made when it stopped, run s3gym registry init again with the same root key; else "
    "restore the file from the board's history."
)
_FINISH = "The exchange stopped between its two files, and nothing is lost: run s3gym registry exchange-root --finish."
_RESTORE = "Restore the file from the board's history, or have the holder of the root key sign the registry again."


class RegistryRecord(Record):
    """The content of a signed registry."""

    schema_id: Literal["s3gym-registry-1"] = "s3gym-registry-1"
    version: Version
    root: Digest
    keys: Several[TeamKey]
    links: Several[RootLink] = ()
    """The exchanges of the root key, in order."""


class Change(Record):
    """A change that waits to be signed."""

    kind: Literal["add", "rotate", "revoke"]
    team: Name
    key: TeamKey | None = None
    """The new key, for add and rotate."""
    keyid: Digest | None = None
    """Revoke: the key that is meant; null, as older lists have it, is the team's active one."""
    position: Count | None = None
    """Revoke: the log position from which the key no longer counts; null is where the log ends at signing."""
    reason: Label | None = None

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if (self.kind == "revoke") != (self.key is None) or (self.kind == "revoke") == (self.reason is None):
            raise ValueError("add and rotate hold a key, revoke holds a reason")
        if self.keyid is not None and self.kind != "revoke":
            raise ValueError("only revoke names a key by its id")
        if self.key is not None and self.key.team != self.team:
            raise ValueError("the key is of another team")
        return self


def read_root(submissions: Path) -> RootKey:
    """Return the root key of a board.

    Raises:
        BundleError: If it is missing or damaged.
    """
    if (submissions / REGISTRY).exists() and not (submissions / ROOT).exists():
        raise BundleError(ROOT, "the organisers' root key beside their registry", "none", _INIT)
    root = read_record(RootKey, read_file(submissions, ROOT, _MAX_ROOT), ROOT)
    check_root(root, ROOT)
    return root


def sign_registry(record: RegistryRecord, key: Ed25519PrivateKey) -> bytes:
    """Return the signed file of a registry, after the checks that every reader makes.

    Raises:
        ValueError: If the key is not the root key that the registry names.
        BundleError: If the registry contradicts itself.
    """
    if root_of(key).keyid != record.root:
        raise ValueError(f"root key: expected key {record.root}, got {root_of(key).keyid}")
    check_registry(record)
    return sign(write_record(record), key, REGISTRY_TYPE)


class SignedRegistry(NamedTuple):
    """A board's registry whose signature and content hold."""

    record: RegistryRecord
    digest: str
    """SHA-256 of its content."""
    roots: Roots


def read_registry(submissions: Path, root: RootKey) -> SignedRegistry:
    """Return a board's registry.

    Raises:
        BundleError: If it is missing, damaged, not signed by the root key, or contradicts itself; also if an exchange
            of the root key stopped half-way.
    """
    signed = _signed(submissions)
    ahead = None if signed.keyid == root.keyid else _ahead(signed, root)
    if ahead is None:
        return _opened(signed, root)
    new, version = ahead.roots.current.keyid, ahead.roots.exchanges[-1].version
    expected = f"root key {new}, to which both keys exchanged it with version {version} of {REGISTRY}"
    raise BundleError(ROOT, expected, f"{root.keyid}, the one before", _FINISH)


def read_ahead(submissions: Path, root: RootKey) -> SignedRegistry | None:
    """Return a registry that is past an exchange which ``root.json`` does not know yet; None if it is any other.

    The old key is what is believed: it signed for the one that follows, and that one for the registry.

    Raises:
        BundleError: If there is no registry, or no signature on it.
    """
    return _ahead(_signed(submissions), root)


def _signed(submissions: Path) -> SignedBytes:
    return read_envelope(read_file(submissions, REGISTRY, _MAX_REGISTRY), REGISTRY, REGISTRY_TYPE)


def _ahead(signed: SignedBytes, root: RootKey) -> SignedRegistry | None:
    try:
        record = read_record(RegistryRecord, signed.payload, REGISTRY, "payload", parts=_MAX_PARTS)
        # The exchanges first: they alone say whose signature on the rest is worth a look.
        exchanges = check_links(record.links, record.root, record.version, (), REGISTRY)
        if all(each.old != root for each in exchanges):
            return None
        return _opened(signed, exchanges[-1].new)
    except BundleError:
        return None


def open_registry(content: bytes, root: RootKey) -> SignedRegistry:
    """Return the registry in a signed file that has no place on a board yet, checked as every reader checks it.

    Raises:
        BundleError: If it is not signed by the root key, or contradicts itself.
    """
    return _opened(read_envelope(content, REGISTRY, REGISTRY_TYPE), root)


def _opened(signed: SignedBytes, root: RootKey) -> SignedRegistry:
    if signed.keyid != root.keyid:
        raise BundleError(REGISTRY, f"a signature by the root key {root.keyid}", f"one by {signed.keyid}", _RESTORE)
    check_signature(signed, root.keyid, root.public_key, REGISTRY)
    record = read_record(RegistryRecord, signed.payload, REGISTRY, "payload", parts=_MAX_PARTS)
    if record.root != root.keyid:
        raise BundleError(REGISTRY, f"the root key {root.keyid}", record.root, _RESTORE, place="root")
    return SignedRegistry(record, sha256(signed.payload), Roots(root, check_registry(record)))


def check_registry(record: RegistryRecord) -> tuple[RootExchange, ...]:
    """Return the exchanges of the root key, after a check of every proof, of one team a key and one key a team.

    Raises:
        BundleError: If one of these does not hold.
    """
    seen: dict[str, TeamKey] = {}
    last: dict[str, TeamKey] = {}
    for key in record.keys:
        file = f"{REGISTRY}, key {key.keyid}"
        if key.keyid in seen:
            owner = seen[key.keyid].team
            raise BundleError(file, "a key that is registered once", f"a key of {owner} already", "Make a new key.")
        before = last.get(key.team)
        _check_times(key, before, file)
        check_registration(key, file, before if key.replaces is not None else None)
        seen[key.keyid] = last[key.team] = key
    return check_links(record.links, record.root, record.version, seen.keys(), REGISTRY)


def _check_times(key: TeamKey, before: TeamKey | None, file: str) -> None:
    ended = key.until is not None
    if ended == (key.status == "active") or (key.until is not None and key.until < key.since):
        raise BundleError(file, "an end if and only if the key is no longer active", f"{key.status}", _RESTORE)
    if before is not None and (before.until is None or before.until > key.since):
        got = f"one from {key.since} while key {before.keyid} counts"
        raise BundleError(file, f"one active key of {key.team} at a time", got, "Rotate or revoke the other key first.")
    rotated = before is not None and before.status == "rotated"
    if rotated != (key.replaces is not None) or (rotated and before is not None and before.until != key.since):
        got = "none" if before is None else f"{before.keyid}, {before.status}"
        raise BundleError(
            file, f"the key before it to be {key.replaces or 'revoked'}, ended where this begins", got, _RESTORE
        )


def holds(record: RegistryRecord, change: Change) -> bool:
    """Tell whether a registry holds what a change would do to it: no key is registered or revoked a second time."""
    if change.key is not None:
        return any(key.keyid == change.key.keyid for key in record.keys)
    theirs = [key for key in record.keys if key.team == change.team]
    meant = [key for key in theirs if key.keyid == change.keyid] if change.keyid is not None else theirs[-1:]
    return any(key.status == "revoked" and key.reason == change.reason for key in meant)


def applied(record: RegistryRecord, change: Change, log_length: int) -> RegistryRecord:
    """Return a registry after a change that counts from where the log ends, unless a revocation says earlier.

    Raises:
        ValueError: If the change does not fit.
        BundleError: If a proof does not hold, or a key or team has another one already.
    """
    keys = list(record.keys)
    place = next((i for i, key in enumerate(keys) if key.team == change.team and key.status == "active"), None)
    if change.kind != "add" and place is None:
        raise ValueError(f"registry: expected an active key of {change.team}, found none")
    if change.kind == "add" and place is not None:
        raise ValueError(f"registry: {change.team} has an active key; rotate it, or revoke it first")
    if change.key is not None:
        replaced = None if place is None else keys[place].keyid
        if change.key.replaces != replaced:
            raise ValueError(f"registry: expected a key that replaces {replaced}, got {change.key.replaces}")
    if change.key is not None and any(key.keyid == change.key.keyid for key in keys):
        raise ValueError(f"registry: key {change.key.keyid} is or was registered; a key has one team. Make a new key")
    if change.keyid is not None and place is not None and keys[place].keyid != change.keyid:
        raise ValueError(f"registry: expected {change.keyid} to be the active key of {change.team}; propose it anew")
    until = log_length if change.position is None else change.position
    if until > log_length:
        raise ValueError(f"position: expected at most {log_length}, where the log ends, got {until}")
    if place is not None:
        status = "revoked" if change.kind == "revoke" else "rotated"
        end = max(until, keys[place].since)
        keys[place] = keys[place].model_copy(update={"status": status, "until": end, "reason": change.reason})
    if change.key is not None:
        fresh = {"status": "active", "since": log_length, "until": None, "reason": None}
        keys.append(change.key.model_copy(update=fresh))
    changed = record.model_copy(update={"keys": tuple(keys)})
    check_registry(changed)
    return changed


class LogEnd(NamedTuple):
    """Where a log ends."""

    position: int
    head: str


def exchanged(
    registry: SignedRegistry,
    old: Ed25519PrivateKey,
    new: Ed25519PrivateKey,
    end: LogEnd,
    confirmations: tuple[Content, ...] = (),
) -> RegistryRecord:
    """Return the next version of a registry, which changes nothing but the root key.

    Args:
        registry: The version that the old key signed.
        old: The root key.
        new: The key that takes its place.
        end: Where the log ends now.
        confirmations: The re-runs that the old key signed and that go on counting.

    Raises:
        ValueError: If the old key is not the root key, or the new one was a root key or a team's before.
    """
    record, roots = registry.record, registry.roots
    if root_of(old) != roots.current:
        raise ValueError(f"root key: expected key {roots.current.keyid}, got {root_of(old).keyid}")
    root = root_of(new)
    if roots.since(root.keyid) is not None or any(key.keyid == root.keyid for key in record.keys):
        raise ValueError(f"new root key: {root.keyid} is or was a root key or a team's key here. Make a new key")
    exchange = RootExchange(
        old=roots.current,
        new=root,
        version=record.version + 1,
        follows=registry.digest,
        position=end.position,
        head=end.head,
        confirmations=confirmations,
    )
    link = sign_exchange(exchange, old, new)
    changed = {"version": exchange.version, "root": root.keyid, "links": (*record.links, link)}
    return record.model_copy(update=changed)
