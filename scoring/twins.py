"""Equal runs of different teams: held for the organisers to look at, since honest play can coincide too."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from protocol.bundle import content_lines
from protocol.records import Content, EpisodeRecord, Manifest
from protocol.strictjson import read_record, write_record
from scoring.acceptance import Standing
from scoring.verified import VerifiedBundle

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


def verified_episodes(bundle: VerifiedBundle) -> tuple[Content, ...]:
    """Return the digest of each game's episodes of a verified bundle, in order of the games' names."""
    found = [episodes_digest(run.game.id, (each.record for each in run.episodes)) for run in bundle.runs]
    return tuple(sorted(found, key=lambda content: content.name))


def read_episodes(contents: Mapping[str, bytes]) -> tuple[Content, ...]:
    """Return the same from the compressed files of a bundle, by their names without ``.gz``.

    Raises:
        BundleError: If a record is none.
    """
    return tuple(
        episodes_digest(name.removeprefix(_EPISODES).removesuffix(_SUFFIX), read_contents(name, content))
        for name, content in sorted(contents.items())
        if name.startswith(_EPISODES)
    )


def read_contents(name: str, content: bytes) -> Iterator[EpisodeRecord]:
    """Yield the episodes of one compressed file, by its name without ``.gz``.

    Raises:
        BundleError: If a record is none.
    """
    for number, line in enumerate(content_lines(content, f"{name}.gz"), 1):
        yield read_record(EpisodeRecord, line, name, f"line {number}")


def twins(manifest: Manifest, episodes: Sequence[Content], standings: Mapping[str, Standing]) -> str | None:
    """Return which whole runs are, byte for byte, runs of another team's entry; None if none is.

    A built-in baseline, declared as such, plays the same for everyone and is exempt. Withdrawn and disqualified entries
    count as well: taking an entry back does not make its records anybody else's.
    """
    if manifest.endpoint.kind == "builtin":
        return None
    own = {content.sha256: content.name for content in episodes}
    found = []
    for standing in standings.values():
        other = standing.subject
        if other.team == manifest.team:
            continue
        for content in other.episodes:
            if own.get(content.sha256) == content.name:
                game = content.name.removeprefix(_EPISODES).removesuffix(_SUFFIX)
                found.append(f"{game} equals that of {other.entry} by {other.team}")
    if not found:
        return None
    more = f", and {len(found) - _MOST} more" if len(found) > _MOST else ""
    return f"a whole run is byte for byte another team's: {'; '.join(found[:_MOST])}{more}"
