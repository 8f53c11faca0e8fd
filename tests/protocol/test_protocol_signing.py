"""Signatures: exactly one, over exactly the bytes received, by exactly the registered key."""

from __future__ import annotations

import base64
import hashlib
import json
from itertools import count

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from protocol.errors import BundleError
from protocol.signing import TeamKey, generate_key, load_key, read_envelope, sign, team_key, verify

KEY = load_key(generate_key())
TEAM = team_key("red", KEY)
ENVELOPE = sign(b'{"a":1}', KEY)


def changed(**fields: object) -> bytes:
    return json.dumps({**json.loads(ENVELOPE), **fields}).encode()


def signatures(*signatures: object) -> bytes:
    return changed(signatures=list(signatures))


ONE = json.loads(ENVELOPE)["signatures"][0]


def accept(data: bytes, key: TeamKey = TEAM) -> bytes:
    signed = read_envelope(data, "bundle.dsse.json")
    verify(signed, key, "bundle.dsse.json")
    return signed.payload


def test_a_signed_payload_is_accepted_byte_for_byte() -> None:
    assert accept(ENVELOPE) == b'{"a":1}'


def test_the_key_id_is_the_hash_of_the_raw_public_key() -> None:
    raw = KEY.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    assert TEAM.keyid == hashlib.sha256(raw).hexdigest()
    assert TEAM.public_key == raw.hex()


def test_the_signature_is_over_the_dsse_encoding() -> None:
    """The pre-authentication encoding of the DSSE specification, built here by hand."""
    kind = b"application/vnd.in-toto+json"
    encoded = b"DSSEv1 %d %b %d %b" % (len(kind), kind, 7, b'{"a":1}')
    KEY.public_key().verify(base64.b64decode(ONE["sig"]), encoded)


@pytest.mark.parametrize(
    "data",
    [
        signatures(),
        signatures(ONE, ONE),
        signatures({**ONE, "sig": ""}),
        signatures({**ONE, "sig": None}),
        signatures({"keyid": ONE["keyid"]}),
        signatures({**ONE, "sig": base64.b64encode(bytes(64)).decode()}),
        signatures({**ONE, "sig": base64.b64encode(base64.b64decode(ONE["sig"])[:-1]).decode()}),
        signatures({**ONE, "sig": ONE["sig"].rstrip("=")}),
        signatures({**ONE, "sig": ONE["sig"] + "\n"}),
        signatures({**ONE, "alg": "none"}),
        signatures({**ONE, "keyid": "0" * 64}),
        signatures({**ONE, "keyid": ""}),
        changed(signatures=None),
        changed(payloadType="application/json"),
        changed(payload=base64.b64encode(b'{"a":2}').decode()),
        changed(payload="e30"),
        changed(extra=1),
        changed(Payload="e30="),
        ENVELOPE.replace(b'"payload":', b'"payload":"e30=","payload":', 1),
    ],
    ids=count(),  # the key is another one in each process
)
def test_SG_07_SG_08_no_other_envelope_is_accepted(data: bytes) -> None:
    with pytest.raises(BundleError):
        accept(data)


def test_SG_08_the_right_signature_of_another_payload_is_refused() -> None:
    other = json.loads(sign(b'{"b":1}', KEY))["signatures"]
    with pytest.raises(BundleError, match="does not match"):
        accept(changed(signatures=other))


def test_SG_06_another_key_is_refused_by_name() -> None:
    forged = sign(b'{"a":1}', load_key(generate_key()))
    with pytest.raises(BundleError, match="registered key of red"):
        accept(forged)


def test_another_key_under_the_same_key_id_is_refused() -> None:
    stranger = load_key(generate_key())
    forged = json.loads(sign(b'{"a":1}', stranger))
    forged["signatures"][0]["keyid"] = TEAM.keyid
    with pytest.raises(BundleError, match="does not match"):
        accept(json.dumps(forged).encode())


def test_a_registration_whose_id_is_not_its_keys_is_refused() -> None:
    other = team_key("red", load_key(generate_key()))
    with pytest.raises(BundleError, match="SHA-256 of the public key"):
        accept(ENVELOPE, TEAM.model_copy(update={"public_key": other.public_key}))


def test_SG_03_every_flipped_bit_is_found() -> None:
    for place in range(len(ENVELOPE) - 1):
        flipped = bytearray(ENVELOPE)
        flipped[place] ^= 1
        with pytest.raises(BundleError):
            accept(bytes(flipped))


@pytest.mark.parametrize(
    "pem",
    [
        b"",
        b"not a key",
        rsa.generate_private_key(65537, 2048).private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ),
        KEY.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.BestAvailableEncryption(b"x")
        ),
    ],
    ids=["nothing", "no key", "another kind", "encrypted"],
)
def test_only_a_plain_ed25519_private_key_is_taken(pem: bytes) -> None:
    with pytest.raises(ValueError, match="expected an"):
        load_key(pem)
