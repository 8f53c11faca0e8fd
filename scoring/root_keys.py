"""The organisers' root keys: the one that signs now, and the exchanges that led to it, each signed by both its keys."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Annotated, Literal, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import Field

from protocol.errors import BundleError
from protocol.exact import MAX_EXACT
from protocol.record import Record
from protocol.records import Content, Count, Digest
from protocol.signing import (
    EnvelopeRecord,
    PublicKey,
    check_signature,
    keyid_of,
    make_envelope,
    signed_bytes,
    team_key,
)
from protocol.strictjson import Several, read_record, write_record

EXCHANGE_TYPE = "application/vnd.s3gym.root-exchange+json"
Version = Annotated[int, Field(ge=1, le=MAX_EXACT)]
_REMEDY = "Restore the registry from the board's history; whoever pinned a root key goes on trusting that one alone."


class RootKey(Record):
    """The organisers' public key: who reads a board must know its key id from elsewhere."""

    schema_id: Literal["s3gym-root-1"] = "s3gym-root-1"
    keyid: Digest
    public_key: PublicKey


class RootExchange(Record):
    """What the old and the new root key both sign."""

    schema_id: Literal["s3gym-root-exchange-1"] = "s3gym-root-exchange-1"
    old: RootKey
    new: RootKey
    version: Version
    """The version of the registry with which the new key counts; the old key signed the one before."""
    follows: Digest
    """The digest of the content of that version before."""
    position: Count
    """Where the log ended."""
    head: Digest
    """What stood for the whole log then, so that both keys vouch for all of it."""
    confirmations: Several[Content]
    """The re-runs that the old key signed, as ENTRY/ROUND, and the digests of their signed records; no other counts."""


class RootLink(Record):
    """An exchange, with a signature of each of its keys on the same words."""

    consent: EnvelopeRecord
    """By the old key: it says which key follows."""
    proof: EnvelopeRecord
    """By the new key: whoever takes over has its private half."""


class Roots(NamedTuple):
    """Who signs for the organisers of a board, and who did."""

    current: RootKey
    exchanges: tuple[RootExchange, ...] = ()
    """In order; the last one led to the current key."""

    def at(self, version: int) -> str:
        """Return the id of the key that a version of the registry was to be signed with."""
        for each in self.exchanges:
            if version < each.version:
                return each.old.keyid
        return self.current.keyid

    def since(self, keyid: str) -> tuple[RootExchange, ...] | None:
        """Return the exchanges that lead from a key to the current one; None if it never was a root key here."""
        if keyid == self.current.keyid:
            return ()
        places = [place for place, each in enumerate(self.exchanges) if each.old.keyid == keyid]
        return self.exchanges[places[0] :] if places else None

    def signer(self, keyid: str, name: str, digest: str) -> RootKey | None:
        """Return the key that may have signed a re-run: the current one, or a former one for what it left behind."""
        if keyid == self.current.keyid:
            return self.current
        left = Content(name=name, sha256=digest)
        return next(
            (each.old for each in self.exchanges if each.old.keyid == keyid and left in each.confirmations), None
        )


def root_of(key: Ed25519PrivateKey) -> RootKey:
    """Return the public half of a root key."""
    public = team_key("root", key)
    return RootKey(keyid=public.keyid, public_key=public.public_key)


def check_root(root: RootKey, file: str, place: str | None = None) -> None:
    """Check that a root key has the id of its public half.

    Raises:
        BundleError: If it has another.
    """
    if root.keyid != keyid_of(bytes.fromhex(root.public_key)):
        raise BundleError(file, "the keyid to be the SHA-256 of the public key", root.keyid, _REMEDY, place=place)


def sign_exchange(exchange: RootExchange, old: Ed25519PrivateKey, new: Ed25519PrivateKey) -> RootLink:
    """Return an exchange with the signatures of both keys."""
    payload = write_record(exchange)
    return RootLink(
        consent=make_envelope(payload, old, EXCHANGE_TYPE), proof=make_envelope(payload, new, EXCHANGE_TYPE)
    )


def check_links(
    links: Sequence[RootLink], root: str, version: int, teams: Collection[str], file: str
) -> tuple[RootExchange, ...]:
    """Return the exchanges of a registry, each signed by both its keys, without a hole and without a way back.

    Args:
        links: The exchanges as they are signed, in order.
        root: The id of the key that the registry names as its root.
        version: The version of the registry.
        teams: The ids of all keys that teams have or had.
        file: What to name in an error.

    Raises:
        BundleError: If any of it does not hold.
    """
    found: list[RootExchange] = []
    seen: set[str] = set()
    for number, link in enumerate(links, 1):
        place = f"root exchange {number}"
        exchange = _checked(link, file, place)
        old, new = exchange.old.keyid, exchange.new.keyid
        if found and exchange.old != found[-1].new:
            got = f"one that leaves {old}"
            raise BundleError(file, f"an exchange that leaves {found[-1].new.keyid}", got, _REMEDY, place=place)
        if exchange.version <= (found[-1].version if found else 1):
            after = found[-1].version if found else 1
            raise BundleError(file, f"a version after {after}", str(exchange.version), _REMEDY, place=place)
        seen.add(old)
        if new in seen or new in teams:
            got = f"{new}, which was a root key before" if new in seen else f"{new}, which is a team's"
            raise BundleError(file, "a new root key that is nobody's yet", got, "Make a new key.", place=place)
        found.append(exchange)
    if found and root != found[-1].new.keyid:
        raise BundleError(file, f"the root key {found[-1].new.keyid} of the last exchange", root, _REMEDY, place="root")
    if found and version < found[-1].version:
        raise BundleError(
            file, f"version {found[-1].version} of the last exchange, or later", str(version), _REMEDY, place="version"
        )
    return tuple(found)


def _checked(link: RootLink, file: str, place: str) -> RootExchange:
    """Return what both keys of an exchange signed."""
    consent, proof = (signed_bytes(each, file, EXCHANGE_TYPE) for each in (link.consent, link.proof))
    if consent.payload != proof.payload:
        raise BundleError(file, "the same words, signed by both keys", "different ones", _REMEDY, place=place)
    exchange = read_record(RootExchange, consent.payload, file, place)
    for who, key, signed in (("the old key", exchange.old, consent), ("the new key", exchange.new, proof)):
        check_root(key, file, place)
        if signed.keyid != key.keyid:
            expected = f"a signature by {who} {key.keyid}"
            raise BundleError(file, expected, f"one by {signed.keyid}", _REMEDY, place=place)
        check_signature(signed, key.keyid, key.public_key, f"{file}, {place}")
    return exchange
