"""Step 2: the file list is closed, and every file is byte for byte what was signed."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Set
from pathlib import Path

from protocol.bundle import ENVELOPE, MAX_FILE, README, Statement, content_chunks, file_name, read_file, sha256
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


Reader = Callable[[str, Iterator[bytes]], None]
"""Told the name of a record file, without ``.gz``, and its content in chunks, while its digest is made."""


def check(
    folder: Path, sizes: Mapping[str, int], statement: Statement, faults: Faults, reader: Reader | None = None
) -> dict[str, bytes]:
    """Return the bytes of every record file, compressed as they are, by its name without ``.gz``.

    They are read once: what is parsed later is what was compared with the digests here. The content is never held
    whole. A reader sees it as it is inflated; what it makes of it is worth nothing if this step fails.
    """
    subjects = {subject.name: subject.digest.sha256 for subject in statement.subject}
    if len(subjects) != len(statement.subject):
        faults.add(BundleError(ENVELOPE, "each file once", "a file named twice", _REMEDY, place="subject"))
    _closed(expected_names(statement), subjects.keys() - {README}, "signed", faults)
    _closed(subjects.keys(), sizes.keys() - {ENVELOPE}, "present", faults)
    _no_twins(sizes.keys(), faults)
    held: dict[str, bytes] = {}
    digests: dict[str, str] = {}
    for name in sorted(subjects.keys() & sizes.keys()):
        faults.tick()
        with faults.catching():
            data = read_file(folder, name, MAX_FILE)
            _same_bytes(name, data, subjects[name])
            if name.endswith(".gz"):
                held[name.removesuffix(".gz")] = data
                digests[name.removesuffix(".gz")] = _content_digest(data, name, reader)
    _contents(statement, digests, faults)
    faults.detail = f"{len(subjects)} files match their digests"
    return held


def _same_bytes(name: str, data: bytes, wanted: str) -> None:
    got = sha256(data)
    if got == wanted:
        return
    if sha256(data.replace(b"\r\n", b"\n")) == wanted:
        remedy = "Check it out without converting line endings (git config core.autocrlf false)."
        raise BundleError(name, f"SHA-256 {wanted}", f"{got}: its line endings were converted", remedy)
    raise BundleError(name, f"SHA-256 {wanted}", got, _REMEDY)


def _content_digest(data: bytes, name: str, reader: Reader | None) -> str:
    digest = hashlib.sha256()
    damage: list[BundleError] = []

    def chunks() -> Iterator[bytes]:
        try:
            for chunk in content_chunks(data, name):
                digest.update(chunk)
                yield chunk
        except BundleError as error:
            damage.append(error)

    content = chunks()
    if reader is not None:
        reader(name.removesuffix(".gz"), content)
    # The digest is of all of it, however much the reader took.
    deque(content, maxlen=0)
    if damage:
        raise damage[0]
    return digest.hexdigest()


def _no_twins(names: Set[str], faults: Faults) -> None:
    """Refuse names that some file systems take for one."""
    folded: dict[str, str] = {}
    for name in sorted(names):
        other = folded.setdefault(unicodedata.normalize("NFKC", name).casefold(), name)
        if other != name:
            expected = "names that differ in more than case or Unicode form"
            faults.add(BundleError(ascii(name), expected, ascii(other), _REMEDY))


def _closed(wanted: Set[str], found: Set[str], what: str, faults: Faults) -> None:
    for name in sorted(wanted - found):
        faults.add(BundleError(ascii(name), f"to be {what}", "it is missing", _REMEDY))
    for name in sorted(found - wanted):
        faults.add(BundleError(ascii(name), f"not to be {what}", "an extra file", "Remove it, or sign again."))


def _contents(statement: Statement, digests: Mapping[str, str], faults: Faults) -> None:
    declared = {content.name: content.sha256 for content in statement.predicate.contents}
    if len(declared) != len(statement.predicate.contents) or declared.keys() != {
        name.removesuffix(".gz") for name in expected_names(statement)
    }:
        faults.add(BundleError(ENVELOPE, "one content digest a record file", "another list", _REMEDY, place="contents"))
    for name, digest in digests.items():
        if name in declared and digest != declared[name]:
            faults.add(BundleError(f"{name}.gz", f"content with SHA-256 {declared[name]}", digest, _REMEDY))
