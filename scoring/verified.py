"""The one type that metrics accept; only ``verify`` makes it."""

from __future__ import annotations

from dataclasses import dataclass

from games.registry import AnyGame
from protocol.preset import Preset
from protocol.records import CostRecord, EpisodeRecord, Manifest, MemoryRecord
from scoring.replay import Replayed
from scoring.report import Report

_MAKER = object()


@dataclass(frozen=True, slots=True)
class VerifiedEpisode:
    """An episode whose every number was recomputed."""

    record: EpisodeRecord
    replayed: Replayed


@dataclass(frozen=True, slots=True)
class VerifiedRun:
    """One game's run."""

    game: AnyGame
    episodes: tuple[VerifiedEpisode, ...]
    memories: tuple[MemoryRecord, ...]
    costs: tuple[CostRecord, ...]


@dataclass(frozen=True, slots=True)
class VerifiedBundle:
    """A bundle that passed every verification step."""

    manifest: Manifest
    preset: Preset
    runs: tuple[VerifiedRun, ...]
    report: Report
    digest: str
    """SHA-256 of the envelope file."""
    keyid: str
    maker: object

    def __post_init__(self) -> None:
        if self.maker is not _MAKER:
            raise AssertionError("a VerifiedBundle is made by scoring.verify only")


def seal() -> object:
    """Return what proves that ``verify`` is the maker; nothing else calls this."""
    return _MAKER
