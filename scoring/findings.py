"""Looking through a bundle's texts for what its team would not want to publish."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from protocol.bundle import (
    ENVELOPE,
    MAX_ENVELOPE,
    MAX_FILE,
    MAX_README,
    README,
    content_lines,
    list_files,
    read_file,
)
from protocol.secrets import findings
from protocol.signing import read_envelope
from protocol.strictjson import read_json

MAX_SHOWN = 20
"""Findings that are told one by one."""


class Looked(NamedTuple):
    """What was found in a bundle."""

    findings: tuple[str, ...]
    """One line a finding; a line for all beyond ``MAX_SHOWN``."""
    records: int
    """How many records were looked at: all that the bundle holds."""


class _Texts(NamedTuple):
    place: str
    is_record: bool
    texts: tuple[str, ...]


def bundle_findings(bundle: Path) -> Looked:
    """Return every text of a bundle that looks private: of records, manifest and README, whatever the field's name.

    Raises:
        BundleError: If a file cannot be read: then nothing is said of the bundle.
    """
    found: list[str] = []
    records = more = 0
    for place, is_record, texts in _places(bundle):
        records += is_record
        for each in itertools.chain.from_iterable(map(findings, texts)):
            if len(found) < MAX_SHOWN:
                found.append(f"{place}: looks like {each.kind}: {each.shown}")
            else:
                more += 1
    return Looked((*found, *([f"and {more} more"] if more else [])), records)


def _places(bundle: Path) -> Iterator[_Texts]:
    for name in list_files(bundle):
        if name == ENVELOPE:
            signed = read_envelope(read_file(bundle, name, MAX_ENVELOPE), name)
            yield _Texts(f"{name}, manifest", False, _strings(read_json(signed.payload, name)))
        elif name == README:
            yield _Texts(name, False, (read_file(bundle, name, MAX_README).decode(errors="replace"),))
        else:
            for number, line in enumerate(content_lines(read_file(bundle, name, MAX_FILE), name), 1):
                place = f"line {number}"
                yield _Texts(f"{name}, {place}", True, _strings(read_json(line, name, place)))


def _strings(value: object) -> tuple[str, ...]:
    """Return every text in a JSON value, names of fields included."""
    found: list[str] = []
    rest = [value]
    while rest:
        each = rest.pop()
        if isinstance(each, str):
            found.append(each)
        elif isinstance(each, dict):
            rest += [*each.keys(), *each.values()]
        elif isinstance(each, list):
            rest += each
    return tuple(found)
