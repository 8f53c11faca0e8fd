"""Faults that step 1 must find: the envelope, the statement in it, and whose key signed it."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path

from protocol.bundle import ENVELOPE
from protocol.signing import generate_key, load_key, team_key, write_team_key
from scoring.checks.signature import KeyOf
from scoring.registry import Registry
from tests.bad_bundles.bad import Bad, Make, decoding, manifest, setting, signed, spoiled
from tests.bad_bundles.good import Good
from tests.bundles import KEY, TEAM
from tests.scoring.forge import Fields, Json, Parts, forge

STRANGER = load_key(generate_key())


def _envelope(change: Callable[[Fields], object]) -> Make:
    def spoil(folder: Path) -> None:
        envelope = json.loads((folder / ENVELOPE).read_bytes())
        change(envelope)
        (folder / ENVELOPE).write_text(json.dumps(envelope))

    return spoiled(spoil)


def _signature(**values: Json) -> Make:
    def change(envelope: Fields) -> None:
        signatures = envelope["signatures"]
        assert isinstance(signatures, list)
        first = signatures[0]
        assert isinstance(first, dict)
        first.update(values)

    return _envelope(change)


def _raw(change: Callable[[bytes], bytes]) -> Make:
    return spoiled(lambda f: (f / ENVELOPE).write_bytes(change((f / ENVELOPE).read_bytes())))


def _payload(change: Callable[[bytes], bytes]) -> Make:
    def sign(parts: Parts) -> None:
        parts.payload = change

    return signed(sign)


def _of(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _changed_payload(envelope: Fields) -> None:
    payload = base64.b64decode(str(envelope["payload"]))
    envelope["payload"] = _of(
        payload.replace(b'"model": "builtin:greedy"', b'"model": "builtin:random"').replace(
            b'"model":"builtin:greedy"', b'"model":"builtin:random"'
        )
    )


def _of_another_bundle(good: Good, target: Path) -> Path:
    forge(good.bundle("history"), target, KEY, lambda parts: None)
    other = json.loads((good.bundle("summary") / ENVELOPE).read_bytes())
    envelope = json.loads((target / ENVELOPE).read_bytes())
    (target / ENVELOPE).write_text(json.dumps({**envelope, "signatures": other["signatures"]}))
    return target


def _by_a_stranger(good: Good, target: Path) -> Path:
    return forge(good.bundle("history"), target, STRANGER, lambda parts: None)


def _under_the_registered_id(good: Good, target: Path) -> Path:
    envelope = json.loads((_by_a_stranger(good, target) / ENVELOPE).read_bytes())
    envelope["signatures"][0]["keyid"] = team_key(TEAM, KEY).keyid
    (target / ENVELOPE).write_text(json.dumps(envelope))
    return target


def _registry(write: Callable[[Path], object]) -> Callable[[Good, Path], KeyOf]:
    def keys(good: Good, folder: Path) -> KeyOf:
        folder.mkdir()
        write(folder)
        return Registry(folder)

    return keys


def _registered(**changes: object) -> Callable[[Good, Path], KeyOf]:
    key = team_key(TEAM, KEY).model_copy(update=changes)
    return _registry(lambda folder: (folder / f"{TEAM}.json").write_bytes(write_team_key(key)))


def _two_teams(folder: Path) -> None:
    (folder / "red.json").write_bytes(write_team_key(team_key("red", KEY)))
    (folder / "blue.json").write_bytes(write_team_key(team_key("blue", STRANGER)))


_ANY = signed(lambda parts: None)


def _in_registry(name: str, changed: str, says: tuple[str, ...], keys: Callable[[Good, Path], KeyOf]) -> Bad:
    return Bad(name, "signature", changed, says, _ANY, keys=keys, good_passes=False)


def _bad(name: str, changed: str, says: tuple[str, ...], make: Make) -> Bad:
    return Bad(name, "signature", changed, says, make)


ENVELOPES = (
    _bad("envelope-empty", "The envelope is an empty file.", (ENVELOPE, "JSON"), _raw(lambda data: b"")),
    _bad("envelope-braces-alone", "The envelope is {}.", ("field payload",), _raw(lambda data: b"{}")),
    _bad("envelope-cut", "The envelope ends in the middle.", ("expected JSON",), _raw(lambda d: d[: len(d) // 2])),
    _bad("envelope-with-bom", "A byte order mark stands first.", ("BOM",), _raw(lambda d: b"\xef\xbb\xbf" + d)),
    _bad("envelope-in-utf-16", "Written in UTF-16.", ("UTF-8 text",), _raw(lambda d: d.decode().encode("utf-16"))),
    _bad(
        "envelope-payload-twice",
        "Another payload stands before the signed one.",
        ("each key once", "payload"),
        _raw(lambda data: data.replace(b'{"payload"', b'{"payload":"e30=","payload"', 1)),
    ),
    _bad(
        "envelope-with-its-own-key",
        "The public key that signed comes along in the envelope.",
        ("public_key",),
        _envelope(lambda envelope: envelope.update(public_key="00" * 32)),
    ),
    _bad(
        "payload-type-of-another-kind",
        "The payload is said to be plain JSON.",
        ("payloadType", "in-toto"),
        _envelope(lambda envelope: envelope.update(payloadType="application/json")),
    ),
    _bad(
        "payload-not-base64",
        "The payload is no base64.",
        ("payload", "standard base64"),
        _envelope(lambda envelope: envelope.update(payload="{}")),
    ),
    _bad(
        "payload-in-loose-base64",
        "The payload has a last character that decodes to the same bytes.",
        ("payload", "canonical base64"),
        _envelope(lambda envelope: envelope.update(payload="e31=")),
    ),
    _bad(
        "payload-changed-after-signing",
        "Another model is named in the signed bytes.",
        ("a valid signature", "does not match"),
        _envelope(_changed_payload),
    ),
)

SIGNATURES = (
    _bad(
        "not-signed",
        "The list of signatures is empty.",
        ("exactly one signature", "got 0"),
        _envelope(lambda envelope: envelope.update(signatures=[])),
    ),
    _bad(
        "signed-twice",
        "The signature stands twice.",
        ("exactly one signature", "got 2"),
        _envelope(lambda envelope: envelope.update(signatures=[*_list(envelope), *_list(envelope)])),
    ),
    _bad("signature-null", "The signature is null.", ("sig",), _signature(sig=None)),
    _bad("signature-empty", "The signature is empty.", ("64 bytes", "0 bytes"), _signature(sig="")),
    _bad("signature-of-zeros", "64 zero bytes.", ("does not match",), _signature(sig=_of(bytes(64)))),
    _bad("signature-cut-by-a-byte", "63 bytes.", ("64 bytes", "63 bytes"), _signature(sig=_of(b"x" * 63))),
    _bad("signature-at-random", "64 other bytes.", ("does not match",), _signature(sig=_of(b"x" * 64))),
    _bad("signature-algorithm-none", "An algorithm is named.", ("alg",), _signature(alg="none")),
    _bad("signature-not-base64", "The signature is no base64.", ("standard base64",), _signature(sig="!!!!")),
    _bad(
        "signature-of-another-key-id", "Another key is named.", ("registered key of red",), _signature(keyid="0" * 64)
    ),
    _bad("signature-of-another-bundle", "Signed right, but elsewhere.", ("does not match",), _of_another_bundle),
    _bad("signed-by-a-stranger", "Signed by a key that nobody registered.", ("registered key of red",), _by_a_stranger),
    _bad(
        "signed-by-a-stranger-under-the-registered-id",
        "A stranger's signature with the key id of the team.",
        ("does not match",),
        _under_the_registered_id,
    ),
)


def _list(envelope: Fields) -> list[Json]:
    signatures = envelope["signatures"]
    assert isinstance(signatures, list)
    return signatures


def _swap(old: bytes, new: bytes) -> Make:
    def change(payload: bytes) -> bytes:
        assert old in payload, old
        return payload.replace(old, new, 1)

    return _payload(change)


STATEMENTS = (
    _bad(
        "duplicate-key",
        "The manifest names the entry twice.",
        ("payload", "each key once", "entry"),
        _swap(b'"entry":', b'"entry": "other", "entry":'),
    ),
    _bad(
        "duplicate-key-escaped",
        "The manifest names the team twice, once in escapes.",
        ("payload", "each key once", "team"),
        _swap(b'"team":', b'"\\u0074eam": "blue", "team":'),
    ),
    _bad(
        "unknown-field",
        "The manifest of a newer version has one more field.",
        ("a valid Statement", "seal"),
        signed(setting(manifest, seal="gold")),
    ),
    _bad("field-in-other-case", "Team beside team.", ("Team",), signed(setting(manifest, Team="blue"))),
    _bad(
        "field-missing",
        "The manifest names no model.",
        ("model",),
        signed(lambda parts: parts.manifest.pop("model")),
    ),
    _bad("nan-temperature", "NaN.", ("finite numbers", "NaN"), _swap(b'"temperature": 0.0', b'"temperature": NaN')),
    _bad("infinite-temperature", "1e999.", ("finite", "1e999"), _swap(b'"temperature": 0.0', b'"temperature": 1e999')),
    _bad(
        "deviations-beyond-any-run",
        "65 departures from the protocol.",
        ("deviations", "at most 64 items"),
        signed(setting(manifest, deviations=["temperature 1"] * 65)),
    ),
    _bad(
        "adaptations-beyond-any-run",
        "65 adaptations to the endpoint.",
        ("adaptations", "at most 64 items"),
        signed(setting(manifest, adaptations=["no system role"] * 65)),
    ),
    _bad("bool-for-a-count", "true tokens.", ("input_budget",), signed(setting(manifest, input_budget=True))),
    _bad("text-for-a-count", '"6500" tokens.', ("input_budget",), signed(setting(manifest, input_budget="6500"))),
    _bad(
        "integer-beyond-2-to-the-53",
        "A budget of 2^53 + 1 tokens.",
        ("at most 2^53",),
        signed(setting(manifest, input_budget=2**53 + 1)),
    ),
    _bad(
        "integer-of-4400-digits",
        "A budget of 4,400 nines.",
        ("at most 2^53", "4400 digits"),
        _swap(b'"input_budget": 6500', b'"input_budget": ' + b"9" * 4_400),
    ),
    _bad(
        "negative-zero",
        "A temperature of -0.0.",
        ("zero without a sign",),
        _swap(b'"temperature": 0.0', b'"temperature": -0.0'),
    ),
    _bad(
        "asked-with-a-field-of-the-runner",
        "A further field max_tokens.",
        ("max_tokens", "no run can set this"),
        signed(setting(decoding, extra_body=[{"name": "max_tokens", "value": "9000"}])),
    ),
    _bad(
        "asked-with-a-value-that-is-no-json",
        "A further field top_k of the value twenty.",
        ("top_k", "expected JSON"),
        signed(setting(decoding, extra_body=[{"name": "top_k", "value": "twenty"}])),
    ),
    _bad(
        "asked-with-a-header-twice",
        "X-Title twice, since each name stands once.",
        ("each name once",),
        signed(setting(decoding, extra_headers=[{"name": "x-title", "value": each} for each in "ab"])),
    ),
    _bad(
        "too-many-keys",
        "An object of 65 keys.",
        ("at most 64 keys",),
        signed(lambda parts: parts.manifest.update({f"key{number}": 0 for number in range(65)})),
    ),
    _bad("deep-nesting", "100,000 open brackets.", ("deep nesting",), _payload(lambda payload: b"[" * 100_000)),
    _bad("statement-with-bom", "A byte order mark stands first.", ("BOM",), _payload(lambda p: b"\xef\xbb\xbf" + p)),
    _bad("statement-in-utf-16", "UTF-16.", ("UTF-8 text",), _payload(lambda p: p.decode().encode("utf-16"))),
    _bad("statement-braces-alone", "The statement is {}.", ("_type",), _payload(lambda payload: b"{}")),
    _bad("statement-and-more", "A second statement follows.", ("Extra data",), _payload(lambda p: p + p)),
    _bad(
        "statement-of-another-type",
        "An in-toto statement of another version.",
        ("_type", "Statement/v1"),
        signed(lambda parts: parts.statement.update(_type="https://in-toto.io/Statement/v0.1")),
    ),
    _bad(
        "predicate-of-another-type",
        "A predicate of a later version.",
        ("predicateType", "urn:s3gym:bundle:v1"),
        signed(lambda parts: parts.statement.update(predicateType="urn:s3gym:bundle:v2")),
    ),
    _bad("team-name-that-climbs", "../red.", ("team", "expected 1 to 64"), signed(setting(manifest, team="../red"))),
    _bad("entry-name-of-a-device", "con.", ("entry", "device"), signed(setting(manifest, entry="con"))),
    _bad(
        "subject-with-a-short-digest",
        "63 digits.",
        ("sha256",),
        signed(
            lambda parts: setattr(parts, "listed", lambda subjects: [{"name": "a", "digest": {"sha256": "0" * 63}}])
        ),
    ),
)

KEYS = (
    _bad("unknown-team", "A team that is not registered.", ("no such team",), signed(setting(manifest, team="green"))),
    Bad(
        "signed-for-another-team",
        "signature",
        "Red signs for blue.",
        ("registered key of blue",),
        signed(setting(manifest, team="blue")),
        keys=_registry(_two_teams),
    ),
    _in_registry("revoked-key", "The key was revoked.", ("active key", "revoked"), _registered(status="revoked")),
    _in_registry(
        "registered-under-a-false-id",
        "The registered key id is not that of the key.",
        ("SHA-256 of the public key",),
        _registered(keyid="0" * 64),
    ),
    _in_registry(
        "registration-of-another-team",
        "red.json holds the key of blue.",
        ("the key of red", "the key of blue"),
        _registry(lambda folder: (folder / "red.json").write_bytes(write_team_key(team_key("blue", KEY)))),
    ),
    _in_registry(
        "registration-proved-for-another-team",
        "The proof in red.json speaks of blue.",
        ("red.json", "a proof about this team and key"),
        _registered(proof=team_key("blue", KEY).proof),
    ),
    _in_registry(
        "registration-too-large",
        "red.json has more bytes than any.",
        ("red.json", "at most 16384 bytes"),
        _registry(lambda folder: (folder / "red.json").write_bytes(b" " * 17_000)),
    ),
    _in_registry(
        "registration-damaged",
        "red.json is no JSON.",
        ("red.json", "expected JSON"),
        _registry(lambda folder: (folder / "red.json").write_bytes(b"red")),
    ),
    _in_registry(
        "registered-with-a-short-key",
        "31 bytes of a public key.",
        ("red.json", "public_key"),
        _registry(
            lambda folder: (folder / "red.json").write_bytes(
                write_team_key(team_key(TEAM, KEY)).replace(
                    team_key(TEAM, KEY).public_key.encode(), team_key(TEAM, KEY).public_key[:62].encode()
                )
            )
        ),
    ),
)

FAULTS = (*ENVELOPES, *SIGNATURES, *STATEMENTS, *KEYS)
