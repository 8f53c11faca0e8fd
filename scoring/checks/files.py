"""Step 2: the file list is closed, and every file is byte for byte what was signed."""

from __future__ import annotations

from collections.abc import Mapping, Set
from pathlib import Path

from protocol.bundle import ENVELOPE, MAX_FILE, README, Statement, decompress, file_name, read_file, sha256
from protocol.errors import BundleError
from scoring.checks.step import Faults, Step

STEP = Step(2, "files", "The file list is closed and every digest matches")
_REMEDY = "Copy the bundle again from where the runner wrote it; do not change files after signing."


def expected_names(statement: Statement) -> set[str]:
    """Return the files that a bundle with this manifest must hold, the optional README aside."""
    names = set()
    for game in statement.predicate.games:
        names |= {file_name("episodes", game.game), file_name("costs", game.game)}
        if statement.predicate.options.pathway == "summary":
            names.add(file_name("memory", game.game))
    return names


def check(folder: Path, sizes: Mapping[str, int], statement: Statement, faults: Faults) -> dict[str, bytes]:
    """Return the decompressed content of every record file, by its name without ``.gz``."""
    subjects = {subject.name: subject.digest.sha256 for subject in statement.subject}
    if len(subjects) != len(statement.subject):
        faults.add(BundleError(ENVELOPE, "each file once", "a file named twice", _REMEDY, place="subject"))
    _closed(expected_names(statement), subjects.keys() - {README}, "signed", faults)
    _closed(subjects.keys(), sizes.keys() - {ENVELOPE}, "present", faults)
    folded: dict[str, str] = {}
    for name in sizes:
        other = folded.setdefault(name.lower(), name)
        if other != name:
            faults.add(BundleError(ascii(name), "names that differ in more than case", ascii(other), _REMEDY))
    contents: dict[str, bytes] = {}
    for name in sorted(subjects.keys() & sizes.keys()):
        with faults.catching():
            data = read_file(folder, name, MAX_FILE)
            if sha256(data) != subjects[name]:
                raise BundleError(name, f"SHA-256 {subjects[name]}", sha256(data), _REMEDY)
            if name.endswith(".gz"):
                contents[name.removesuffix(".gz")] = decompress(data, name)
    _contents(statement, contents, faults)
    faults.detail = f"{len(subjects)} files match their digests"
    return contents


def _closed(wanted: Set[str], found: Set[str], what: str, faults: Faults) -> None:
    for name in sorted(wanted - found):
        faults.add(BundleError(ascii(name), f"to be {what}", "it is missing", _REMEDY))
    for name in sorted(found - wanted):
        faults.add(BundleError(ascii(name), f"not to be {what}", "an extra file", "Remove it, or sign again."))


def _contents(statement: Statement, contents: Mapping[str, bytes], faults: Faults) -> None:
    declared = {content.name: content.sha256 for content in statement.predicate.contents}
    if len(declared) != len(statement.predicate.contents) or declared.keys() != {
        name.removesuffix(".gz") for name in expected_names(statement)
    }:
        faults.add(BundleError(ENVELOPE, "one content digest a record file", "another list", _REMEDY, place="contents"))
    for name, data in contents.items():
        if name in declared and sha256(data) != declared[name]:
            faults.add(BundleError(f"{name}.gz", f"content with SHA-256 {declared[name]}", sha256(data), _REMEDY))
