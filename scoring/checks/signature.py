"""Step 1: the envelope, and the signature over the bytes received, by the key that the registry holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from protocol.bundle import ENVELOPE, MAX_ENVELOPE, Statement, read_file, sha256
from protocol.errors import BundleError
from protocol.signing import TeamKey, read_envelope, verify
from protocol.strictjson import read_record
from scoring.checks.step import Faults, Step

STEP = Step(1, "signature", "The envelope is signed by the team's registered key")

KeyOf = Callable[[str], TeamKey]
"""The registry: the key of a team; raises BundleError for an unknown team."""


class Signed(NamedTuple):
    """A statement whose signature holds."""

    statement: Statement
    key: TeamKey
    digest: str
    """SHA-256 of the envelope file."""


def check(folder: Path, key_of: KeyOf, faults: Faults) -> Signed:
    """Return the signed statement. The team it names only chooses which registered key must have signed it."""
    data = read_file(folder, ENVELOPE, MAX_ENVELOPE)
    signed = read_envelope(data, ENVELOPE)
    statement = read_record(Statement, signed.payload, ENVELOPE, "payload")
    key = key_of(statement.predicate.team)
    if key.status != "active":
        raise BundleError(
            f"keys/{key.team}.json", "an active key", key.status, "Register a new key with the organisers."
        )
    verify(signed, key, ENVELOPE)
    faults.detail = f"signed by {key.team}, key {key.keyid}"
    return Signed(statement, key, sha256(data))
