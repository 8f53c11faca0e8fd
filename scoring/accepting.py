"""From a bundle to its numbers: verified and measured, or found again where this very bundle was accepted before."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import NamedTuple

from protocol.bundle import ENVELOPE, MAX_FILE, read_file, sha256
from protocol.preset import preset_named
from scoring.cache import Cache, Key
from scoring.checks import limits, signature
from scoring.checks.signature import KeyOf
from scoring.checks.step import EnoughError, Faults
from scoring.crew import Crew, Tick, never
from scoring.entry_numbers import EntryNumbers
from scoring.pausing import no_cycle_search
from scoring.score import measure
from scoring.verified import VerifiedBundle
from scoring.verify import PresetOf, verify


class Accepted(NamedTuple):
    """An accepted bundle's numbers."""

    numbers: EntryNumbers
    known: bool
    """Whether the cache knew it; then only the signature and the files were checked again."""


def accept(
    folder: Path,
    key_of: KeyOf,
    preset_of: PresetOf = preset_named,
    cache: Cache | None = None,
    *,
    crew: Crew | None = None,
    tick: Tick = never,
) -> Accepted:
    """Verify and measure a bundle, unless the cache knows this very bundle.

    Limits, envelope, signature, key and the digest of every file are checked in any case: what the cache spares is what
    follows from those bytes.

    Args:
        folder: The bundle.
        key_of: The registry of team keys.
        preset_of: Where protocols are looked up.
        cache: Where accepted bundles are kept; None verifies every bundle.
        crew: Who replays and rebuilds, as ``verify`` takes it.
        tick: Called often while a verification goes on, as ``verify`` takes it.

    Raises:
        RefusedError: If any verification step finds a fault; a refusal is never kept.
        ValueError: If the folder is no folder.
    """
    if cache is not None:
        key = _identify(folder, key_of, preset_of)
        known = None if key is None else cache.find(key)
        if known is not None:
            return Accepted(known, known=True)
    with no_cycle_search():
        verified = verify(folder, key_of, preset_of, crew=crew, tick=tick, whole_replies=False)
        return Accepted(measure(verified) if cache is None else measure_and_keep(verified, cache), known=False)


def measure_and_keep(verified: VerifiedBundle, cache: Cache) -> EntryNumbers:
    """Measure a bundle and keep its numbers where the next command finds them.

    The key says what was verified, not what was seen before it: files may change in between.
    """
    measured = measure(verified)
    # A cache that cannot be written to costs time at the next call, and nothing else.
    with contextlib.suppress(OSError):
        cache.keep(Key(verified.digest, verified.keyid, verified.preset.digest), measured)
    return measured


def _identify(folder: Path, key_of: KeyOf, preset_of: PresetOf) -> Key | None:
    """Return the key of a bundle whose signature holds and whose files are those signed; None if anything is amiss."""
    if not folder.is_dir():
        return None
    faults = Faults(signature.STEP)
    try:
        with faults.catching():
            sizes = limits.check(folder, faults)
            signed = signature.check(folder, key_of, faults)
            found = {name: sha256(read_file(folder, name, MAX_FILE)) for name in sizes if name != ENVELOPE}
            preset = preset_of(signed.statement.predicate.protocol)
            listed = [(subject.name, subject.digest.sha256) for subject in signed.statement.subject]
            if not faults.found and sorted(listed) == sorted(found.items()):
                return Key(signed.digest, signed.key.keyid, preset.digest)
    except (EnoughError, ValueError):
        return None
    return None
