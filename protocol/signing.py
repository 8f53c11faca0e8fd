"""Ed25519 signatures in DSSE envelopes: exactly one signature, over exactly the bytes received."""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import Annotated, Literal, NamedTuple

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import AfterValidator, Field
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import CryptoSigner, Signature, SSlibKey  # type: ignore[attr-defined]  # its public names

from protocol.errors import BundleError
from protocol.publickeys import check_public_key
from protocol.record import Record
from protocol.records import Count, Digest, Label, Name
from protocol.strictjson import Several, read_record, write_record

PAYLOAD_TYPE = "application/vnd.in-toto+json"
REGISTRATION_TYPE = "application/vnd.s3gym.registration+json"
"""Each kind of document has a payload type of its own, so that a signature on one is none on another."""
_REMEDY = "Sign it again with the key that it must be signed with."
_REGISTER = (
    "Make the registration again: s3gym keygen TEAM (with --replaces OLD.key for a key that takes another's place)."
)


PublicKey = Annotated[str, AfterValidator(check_public_key)]
"""A raw Ed25519 public key, as lower-case hex."""


class SignatureRecord(Record):
    """A signature of an envelope."""

    keyid: Digest
    sig: Annotated[str, Field(max_length=128)]


class EnvelopeRecord(Record):
    """A DSSE envelope."""

    payload: str
    payloadType: str  # noqa: N815  # the field's name in DSSE
    signatures: Several[SignatureRecord]


class TeamKey(Record):
    """A registered public key: ``keys/<team>.json`` of an unsigned registry, an item of a signed one."""

    team: Name
    keyid: Digest
    """SHA-256 of the raw public key."""
    public_key: PublicKey
    status: Literal["active", "rotated", "revoked"]
    since: Count
    """The position in the acceptance log from which the key counts."""
    until: Count | None = None
    """The position from which it no longer counts; null for an active key. Entries before it stay."""
    reason: Label | None = None
    """Why it no longer counts."""
    replaces: Digest | None = None
    """The key of the same team that this one takes the place of."""
    proof: EnvelopeRecord | None = None
    """Team and key, signed with this key: its owner has the private half."""
    consent: EnvelopeRecord | None = None
    """The same words, signed with the key that is replaced."""


class Registration(Record):
    """What a new key signs, and the key that it replaces."""

    schema_id: Literal["s3gym-registration-1"] = "s3gym-registration-1"
    team: Name
    public_key: PublicKey
    replaces: Digest | None


class SignedBytes(NamedTuple):
    """An envelope as it was read; nothing in it is to be trusted before ``verify``."""

    payload: bytes
    keyid: str
    signature: bytes
    payload_type: str


def keyid_of(public_key: bytes) -> str:
    """Return the key id of a raw public key."""
    return hashlib.sha256(public_key).hexdigest()


def _raw_public(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def generate_key() -> bytes:
    """Return a new private key as PEM (PKCS 8, not encrypted)."""
    return Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def load_key(pem: bytes) -> Ed25519PrivateKey:
    """Return the private key of a PEM text.

    Raises:
        ValueError: If it holds no unencrypted Ed25519 private key.
    """
    try:
        key = serialization.load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise ValueError(
            "key: expected an unencrypted PEM private key (made by s3gym keygen), got something else"
        ) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError(f"key: expected an Ed25519 private key, got {type(key).__name__}")
    return key


def team_key(team: str, key: Ed25519PrivateKey, since: int = 0, replaces: Ed25519PrivateKey | None = None) -> TeamKey:
    """Return the registration of a key's public half, with the proof that it is its owner's.

    Args:
        team: The team.
        key: The new private key.
        since: The position in the acceptance log from which it counts.
        replaces: The private key that it takes the place of.
    """
    public = _raw_public(key)
    replaced = None if replaces is None else keyid_of(_raw_public(replaces))
    statement = write_record(Registration(team=team, public_key=public.hex(), replaces=replaced))
    return TeamKey(
        team=team,
        keyid=keyid_of(public),
        public_key=public.hex(),
        status="active",
        since=since,
        replaces=replaced,
        proof=make_envelope(statement, key, REGISTRATION_TYPE),
        consent=None if replaces is None else make_envelope(statement, replaces, REGISTRATION_TYPE),
    )


def check_registration(key: TeamKey, file: str, replaced: TeamKey | None = None) -> None:
    """Check that a key's owner registered it for its team, and that the owner of the key it replaces agreed.

    Args:
        key: The key.
        file: What to name in an error.
        replaced: The registered key that it replaces; None if it is the first one.

    Raises:
        BundleError: If a proof is missing, about another team or key, or not signed by the key it must be.
    """
    wanted = Registration(team=key.team, public_key=key.public_key, replaces=key.replaces)
    if key.replaces != (None if replaced is None else replaced.keyid):
        known = "no other key" if replaced is None else f"key {replaced.keyid}"
        raise BundleError(file, f"a key that replaces {known}", str(key.replaces), _REGISTER, place="replaces")
    signers = [("proof", key.proof, key)] + ([] if replaced is None else [("consent", key.consent, replaced)])
    for what, envelope, signer in signers:
        if envelope is None:
            raise BundleError(file, f"a {what}, signed with key {signer.keyid}", "none", _REGISTER, place=what)
        signed = signed_bytes(envelope, file, REGISTRATION_TYPE)
        if read_record(Registration, signed.payload, file, what) != wanted:
            raise BundleError(file, f"a {what} about this team and key", "another one", _REGISTER, place=what)
        verify(signed, signer, file)


def sign(payload: bytes, key: Ed25519PrivateKey, payload_type: str = PAYLOAD_TYPE) -> bytes:
    """Return the DSSE envelope of a payload, as JSON bytes."""
    return make_envelope(payload, key, payload_type).model_dump_json().encode() + b"\n"


def make_envelope(payload: bytes, key: Ed25519PrivateKey, payload_type: str) -> EnvelopeRecord:
    """Return the DSSE envelope of a payload, to stand within another document."""
    public = _raw_public(key)
    keyid = keyid_of(public)
    signature = Envelope(payload, payload_type, {}).sign(CryptoSigner(key, _public(keyid, public.hex())))
    sig = base64.b64encode(bytes.fromhex(signature.signature)).decode()
    return EnvelopeRecord(
        payload=base64.b64encode(payload).decode(),
        payloadType=payload_type,
        signatures=(SignatureRecord(keyid=keyid, sig=sig),),
    )


def read_envelope(data: bytes, file: str, payload_type: str = PAYLOAD_TYPE) -> SignedBytes:
    """Return what an envelope holds, unverified.

    Raises:
        BundleError: If it is no strict JSON envelope of this payload type with exactly one Ed25519 signature.
    """
    return signed_bytes(read_record(EnvelopeRecord, data, file), file, payload_type)


def signed_bytes(record: EnvelopeRecord, file: str, payload_type: str) -> SignedBytes:
    """Return what an envelope within another document holds, unverified.

    Raises:
        BundleError: If it is none of this payload type with exactly one Ed25519 signature.
    """
    if record.payloadType != payload_type:
        raise BundleError(file, payload_type, ascii(record.payloadType[:80]), _REMEDY, place="payloadType")
    if len(record.signatures) != 1:
        raise BundleError(file, "exactly one signature", str(len(record.signatures)), _REMEDY, place="signatures")
    signature = record.signatures[0]
    raw = _unbase64(signature.sig, file, "signatures.0.sig")
    if len(raw) != 64:
        raise BundleError(
            file, "an Ed25519 signature of 64 bytes", f"{len(raw)} bytes", _REMEDY, place="signatures.0.sig"
        )
    return SignedBytes(_unbase64(record.payload, file, "payload"), signature.keyid, raw, payload_type)


def verify(signed: SignedBytes, key: TeamKey, file: str) -> None:
    """Check the one signature with the team's registered key.

    Raises:
        BundleError: If the key is another one, is not well formed, or the signature is not its own.
    """
    if key.keyid != keyid_of(bytes.fromhex(key.public_key)):
        raise BundleError(
            f"keys/{key.team}.json",
            "the keyid to be the SHA-256 of the public key",
            key.keyid,
            "Register the key again.",
        )
    if signed.keyid != key.keyid:
        raise BundleError(
            file, f"a signature by the registered key of {key.team} ({key.keyid})", f"one by {signed.keyid}", _REMEDY
        )
    check_signature(signed, key.keyid, key.public_key, file)


def check_signature(signed: SignedBytes, keyid: str, public_key: str, file: str) -> None:
    """Check the one signature with a public key.

    Raises:
        BundleError: If it is not that key's.
    """
    envelope = Envelope(signed.payload, signed.payload_type, {keyid: Signature(keyid, signed.signature.hex())})
    try:
        accepted = envelope.verify([_public(keyid, public_key)], 1)
    except (VerificationError, ValueError) as error:
        raise BundleError(
            file, f"a valid signature by {keyid}", "one that does not match the payload", _REMEDY
        ) from error
    if set(accepted) != {keyid}:
        raise AssertionError("the envelope was accepted without the one key that was given")


def write_team_key(key: TeamKey) -> bytes:
    """Return a registry file."""
    return write_record(key) + b"\n"


def _public(keyid: str, public_hex: str) -> SSlibKey:
    return SSlibKey(keyid, "ed25519", "ed25519", {"public": public_hex})


def _unbase64(text: str, file: str, place: str) -> bytes:
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BundleError(file, "standard base64", ascii(text[:40]), _REMEDY, place=place) from error
    if base64.b64encode(data).decode() != text:
        raise BundleError(file, "canonical base64", ascii(text[-8:]), _REMEDY, place=place)
    return data
