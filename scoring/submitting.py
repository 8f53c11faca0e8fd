"""Laying an accepted bundle into the submissions folder."""

from __future__ import annotations

import shutil
from pathlib import Path

from protocol.bundle import ENVELOPE, list_files, sha256
from protocol.preset import preset_named
from scoring.acceptance import LOG, LogLine, append_log, read_log
from scoring.registry import Registry
from scoring.verified import VerifiedBundle
from scoring.verify import PresetOf, verify

ENTRIES = "entries"
KEYS = "keys"


def submit(bundle: Path, submissions: Path, preset_of: PresetOf = preset_named) -> tuple[VerifiedBundle, LogLine]:
    """Verify a bundle and lay it into a submissions folder, whole or not at all.

    Args:
        bundle: The bundle.
        submissions: A folder with ``keys/``; ``entries/`` and the log are made when they are not there.
        preset_of: Where protocols are looked up.

    Raises:
        RefusedError: If verification refuses it.
        BundleError: If the log is damaged.
        ValueError: If the entry is there already, or may not be submitted.
    """
    log = submissions / LOG
    read_log(log)
    verified = verify(bundle, Registry(submissions / KEYS), preset_of)
    manifest = verified.manifest
    if manifest.endpoint.kind == "builtin" and manifest.endpoint.model == "oracle":
        raise ValueError(f"entry {manifest.entry}: a player that was shown the true state is never submitted")
    target = submissions / ENTRIES / manifest.entry
    if target.exists():
        raise ValueError(
            f"entry {manifest.entry}: expected a new entry, found one at {target}; choose another entry id"
        )
    partial = target.with_name(f".{manifest.entry}.partial")
    if partial.exists():
        shutil.rmtree(partial)
    for name in list_files(bundle):
        (partial / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(bundle / name, partial / name)
    if sha256((partial / ENVELOPE).read_bytes()) != verified.digest:
        raise ValueError(f"bundle: {bundle} changed while it was submitted; nothing was accepted")
    partial.rename(target)
    line = append_log(
        log, entry=manifest.entry, team=manifest.team, keyid=verified.keyid, bundle_digest=verified.digest
    )
    return verified, line


def submitted(submissions: Path) -> tuple[Path, ...]:
    """Return the bundles of a submissions folder, in order of their entry ids."""
    entries = submissions / ENTRIES
    if not entries.is_dir():
        return ()
    return tuple(sorted(path for path in entries.iterdir() if path.is_dir() and not path.name.startswith(".")))
