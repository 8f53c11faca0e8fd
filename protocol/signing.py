"""Ed25519 signatures in DSSE envelopes: exactly one signature, over exactly the bytes received."""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import Annotated, Literal, NamedTuple

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import Field
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import CryptoSigner, Signature, SSlibKey  # type: ignore[attr-defined]  # its public names

from protocol.errors import BundleError
from protocol.records import Count, Digest, Name, Record
from protocol.strictjson import read_record, write_record

PAYLOAD_TYPE = "application/vnd.in-toto+json"
_REMEDY = "Sign the bundle again with the team's registered key (s3gym sign)."


class TeamKey(Record):
    """A registered public key: ``keys/<team>.json`` of the registry."""

    team: Name
    keyid: Digest
    """SHA-256 of the raw public key."""
    public_key: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """The raw Ed25519 public key, as lower-case hex."""
    status: Literal["active", "revoked"]
    since: Count
    """The position in the acceptance log from which this status counts."""


class _SignatureRecord(Record):
    keyid: Digest
    sig: Annotated[str, Field(max_length=128)]


class _EnvelopeRecord(Record):
    payload: str
    payloadType: str  # noqa: N815  # the field's name in DSSE
    signatures: tuple[_SignatureRecord, ...]


class SignedBytes(NamedTuple):
    """An envelope as it was read; nothing in it is to be trusted before ``verify``."""

    payload: bytes
    keyid: str
    signature: bytes


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


def team_key(team: str, key: Ed25519PrivateKey, since: int = 0) -> TeamKey:
    """Return the registration of a key's public half."""
    public = _raw_public(key)
    return TeamKey(team=team, keyid=keyid_of(public), public_key=public.hex(), status="active", since=since)


def sign(payload: bytes, key: Ed25519PrivateKey) -> bytes:
    """Return the DSSE envelope of a payload, as JSON bytes."""
    public = _raw_public(key)
    keyid = keyid_of(public)
    envelope = Envelope(payload, PAYLOAD_TYPE, {})
    signature = envelope.sign(CryptoSigner(key, _public(keyid, public.hex())))
    record = _EnvelopeRecord(
        payload=base64.b64encode(payload).decode(),
        payloadType=PAYLOAD_TYPE,
        signatures=(_SignatureRecord(keyid=keyid, sig=base64.b64encode(bytes.fromhex(signature.signature)).decode()),),
    )
    return record.model_dump_json().encode() + b"\n"


def read_envelope(data: bytes, file: str) -> SignedBytes:
    """Return what an envelope holds, unverified.

    Raises:
        BundleError: If it is no strict JSON envelope of our payload type with exactly one Ed25519 signature.
    """
    record = read_record(_EnvelopeRecord, data, file)
    if record.payloadType != PAYLOAD_TYPE:
        raise BundleError(file, PAYLOAD_TYPE, ascii(record.payloadType[:80]), _REMEDY, place="payloadType")
    if len(record.signatures) != 1:
        raise BundleError(file, "exactly one signature", str(len(record.signatures)), _REMEDY, place="signatures")
    signature = record.signatures[0]
    raw = _unbase64(signature.sig, file, "signatures.0.sig")
    if len(raw) != 64:
        raise BundleError(
            file, "an Ed25519 signature of 64 bytes", f"{len(raw)} bytes", _REMEDY, place="signatures.0.sig"
        )
    return SignedBytes(_unbase64(record.payload, file, "payload"), signature.keyid, raw)


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
    envelope = Envelope(signed.payload, PAYLOAD_TYPE, {key.keyid: Signature(key.keyid, signed.signature.hex())})
    try:
        accepted = envelope.verify([_public(key.keyid, key.public_key)], 1)
    except (VerificationError, ValueError) as error:
        raise BundleError(
            file, f"a valid signature by {key.keyid}", "one that does not match the payload", _REMEDY
        ) from error
    if set(accepted) != {key.keyid}:
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
