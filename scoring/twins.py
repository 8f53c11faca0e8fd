"""Equal runs of different teams: held for the organisers to look at, since honest play can coincide too."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from protocol.bundle import content_lines
from protocol.players import BUILTIN, BUILTIN_NAMES
from protocol.records import Content, EpisodeRecord, Manifest
from protocol.strictjson import read_record, write_record
from scoring.acceptance import Standing

_EPISODES, _SUFFIX = "episodes/", ".jsonl"
_MOST = 3
"""Twins that a reason names."""


def episodes_digest(game: str, records: Iterable[EpisodeRecord]) -> Content:
    """Return the digest of a game's episodes as this project writes them, whatever the layout of the file they are in.

    For a bundle that this project wrote it is the digest of the uncompressed file.
    """
    digest = hashlib.sha256()
    for record in records:
        digest.update(write_record(record) + b"\n")
    return Content(name=f"{_EPISODES}{game}{_SUFFIX}", sha256=digest.hexdigest())


def replies_digest(game: str, records: Iterable[EpisodeRecord]) -> Content:
    """Return the digest of what was said in a game's episodes, each with its seed: equal for the same play.

    What a copyist can declare otherwise and leave the play as it is (why replies ended, with what settings they were
    asked for, blanks around them) is left out.
    """
    digest = hashlib.sha256()
    for record in records:
        said = [record.phase, record.checkpoint, record.index, record.replicate, record.seed]
        said += [step.reply.strip() for step in record.steps]
        digest.update(json.dumps(said).encode() + b"\n")
    return Content(name=f"{_EPISODES}{game}{_SUFFIX}", sha256=digest.hexdigest())


def read_episodes(files: Iterable[tuple[str, bytes]]) -> tuple[Content, ...]:
    """Return the digest of what was said in each game of a bundle, in order of the games' names.

    One record is held at a time, however long its replies.

    Args:
        files: Names, with or without ``.gz``, and compressed contents; those that hold no episodes are left.

    Raises:
        BundleError: If a record is none.
    """
    found = []
    for file, content in files:
        name = file.removesuffix(".gz")
        if name.startswith(_EPISODES):
            game = name.removeprefix(_EPISODES).removesuffix(_SUFFIX)
            found.append(replies_digest(game, read_contents(name, content)))
    return tuple(sorted(found, key=lambda content: content.name))


def read_contents(name: str, content: bytes) -> Iterator[EpisodeRecord]:
    """Yield the episodes of one compressed file, by its name without ``.gz``.

    Raises:
        BundleError: If a record is none.
    """
    for number, line in enumerate(content_lines(content, f"{name}.gz"), 1):
        yield read_record(EpisodeRecord, line, name, f"line {number}")


def twins(manifest: Manifest, episodes: Sequence[Content], standings: Mapping[str, Standing]) -> str | None:
    """Return which whole runs are, reply by reply, runs of another entry; None if none is.

    A built-in baseline that goes by its own name plays the same for everyone and is exempt. A team may repeat itself,
    save what was disqualified. Withdrawn and disqualified entries of other teams count as well: taking an entry back
    does not make its records anybody else's.
    """
    if _is_baseline(manifest):
        return None
    own = {content.sha256: content.name for content in episodes}
    found = []
    for standing in standings.values():
        other = standing.subject
        disqualified = standing.state == "disqualified"
        if other.team == manifest.team and not disqualified:
            continue
        for content in other.episodes:
            if own.get(content.sha256) == content.name:
                game = content.name.removeprefix(_EPISODES).removesuffix(_SUFFIX)
                state = ", which is disqualified" if disqualified else ""
                found.append(f"{game} equals that of {other.entry} by {other.team}{state}")
    if not found:
        return None
    more = f", and {len(found) - _MOST} more" if len(found) > _MOST else ""
    return f"a whole run is reply by reply another entry's: {'; '.join(found[:_MOST])}{more}"


def _is_baseline(manifest: Manifest) -> bool:
    """Tell whether an entry is shown under the very name of a built-in player; no other name can hide behind one."""
    name = manifest.endpoint.model
    return manifest.endpoint.kind == "builtin" and name in BUILTIN_NAMES and manifest.model == f"{BUILTIN}{name}"
