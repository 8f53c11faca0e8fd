"""Step 0: sizes and counts, before anything is parsed or decompressed."""

from __future__ import annotations

from pathlib import Path

from protocol.bundle import ENVELOPE, MAX_BUNDLE, MAX_ENVELOPE, MAX_FILE, MAX_README, README, list_files
from protocol.errors import BundleError
from scoring.checks.step import Faults, Step

STEP = Step(0, "limits", "Sizes and counts are within limits")


def check(folder: Path, faults: Faults) -> dict[str, int]:
    """Return every file with its size in bytes."""
    sizes = list_files(folder)
    if ENVELOPE not in sizes:
        raise BundleError(ENVELOPE, "the signed envelope", "no such file", "Point at the bundle folder itself.")
    for name, size in sizes.items():
        limit = {ENVELOPE: MAX_ENVELOPE, README: MAX_README}.get(name, MAX_FILE)
        if size > limit:
            faults.add(BundleError(ascii(name), f"at most {limit} bytes", str(size), "Split the entry by games."))
    if sum(sizes.values()) > MAX_BUNDLE:
        got = str(sum(sizes.values()))
        faults.add(BundleError(".", f"at most {MAX_BUNDLE} bytes in all files", got, "Split the entry by games."))
    faults.detail = f"{len(sizes)} files, {sum(sizes.values())} bytes"
    return sizes
