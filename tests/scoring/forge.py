"""Bad bundles: a good one is taken apart, changed in one place and signed again with a valid key."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from protocol.bundle import ENVELOPE, list_files, sha256
from protocol.signing import read_envelope, sign

Json = dict[str, "Json"] | list["Json"] | str | float | int | bool | None
Fields = dict[str, Json]


@dataclass
class Parts:
    """What a bundle is made of, open to change."""

    statement: Fields
    lines: dict[str, list[Fields]]
    """The records of each file, by its name without ``.gz``."""
    raw: dict[str, bytes] = field(default_factory=dict)
    """Uncompressed content that replaces the records of a file as it stands."""
    extra: dict[str, bytes] = field(default_factory=dict)
    """Further signed files, as they stand; they replace record files of the same name (with ``.gz``)."""
    payload: Callable[[bytes], bytes] | None = None
    """What is done to the statement's bytes before they are signed."""
    listed: Callable[[list[Json]], list[Json]] | None = None
    """What is done to the list of signed files."""
    digested: Callable[[list[Json]], list[Json]] | None = None
    """What is done to the list of content digests."""

    @property
    def manifest(self) -> Fields:
        """Return the manifest."""
        predicate = self.statement["predicate"]
        assert isinstance(predicate, dict)
        return predicate

    def episodes(self, game: str = "snake") -> list[Fields]:
        """Return a game's episode records."""
        return self.lines[f"episodes/{game}.jsonl"]

    def episode(self, *, phase: str = "strict", game: str = "snake") -> Fields:
        """Return the first episode of a phase."""
        return next(each for each in self.episodes(game) if each["phase"] == phase)

    def step(self, index: int = 0, *, phase: str = "strict", game: str = "snake") -> Fields:
        """Return a step of the first episode of a phase."""
        steps = self.episode(phase=phase, game=game)["steps"]
        assert isinstance(steps, list)
        step = steps[index]
        assert isinstance(step, dict)
        return step


Change = Callable[[Parts], object]


def take_apart(bundle: Path) -> Parts:
    """Return the parts of a good bundle."""
    signed = read_envelope((bundle / ENVELOPE).read_bytes(), ENVELOPE)
    lines = {
        name.removesuffix(".gz"): [
            json.loads(line) for line in gzip.decompress((bundle / name).read_bytes()).splitlines()
        ]
        for name in list_files(bundle)
        if name.endswith(".gz")
    }
    return Parts(json.loads(signed.payload), lines)


def forge(bundle: Path, target: Path, key: Ed25519PrivateKey, change: Change) -> Path:
    """Write a changed copy of a bundle: digests made right again and signed, so that only the change is wrong."""
    parts = take_apart(bundle)
    change(parts)
    contents = {
        name: parts.raw.get(name, b"".join(json.dumps(line).encode() + b"\n" for line in lines))
        for name, lines in parts.lines.items()
    }
    files = {f"{name}.gz": gzip.compress(data, mtime=0) for name, data in contents.items()} | parts.extra
    digested: list[Json] = [{"name": name, "sha256": sha256(data)} for name, data in sorted(contents.items())]
    listed: list[Json] = [{"name": name, "digest": {"sha256": sha256(data)}} for name, data in sorted(files.items())]
    parts.manifest["contents"] = parts.digested(digested) if parts.digested else digested
    parts.statement["subject"] = parts.listed(listed) if parts.listed else listed
    payload = json.dumps(parts.statement).encode()
    target.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(data)
    (target / ENVELOPE).write_bytes(sign(parts.payload(payload) if parts.payload else payload, key))
    return target
