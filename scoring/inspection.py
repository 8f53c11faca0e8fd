"""A bundle to look at: also one that was refused, where its records could be read.

What comes from here is shown with its verdict and never measured: metrics take a ``VerifiedBundle``.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from games.play import Turn
from games.registry import AnyGame
from protocol.bundle import file_name
from protocol.errors import BundleError
from protocol.preset import Preset, preset_named
from protocol.records import EpisodeRecord, Manifest
from protocol.schedule import episode_name
from scoring.checks import files, limits, parsing, signature
from scoring.checks.step import Faults
from scoring.crew import never
from scoring.replay import Replayed, replay
from scoring.report import Report
from scoring.verify import PresetOf, RefusedError, verify


class InspectedEpisode(NamedTuple):
    """One episode as it is recorded and as the rules play it."""

    game: AnyGame
    record: EpisodeRecord
    replayed: Replayed
    turns: tuple[Turn, ...]
    """What stood before the player at each recorded step; a failed episode has one turn more than steps."""


class Inspected(NamedTuple):
    """A bundle whose records could be read, accepted or not."""

    manifest: Manifest
    preset: Preset
    episodes: tuple[InspectedEpisode, ...]
    report: Report

    @property
    def accepted(self) -> bool:
        """Return whether the bundle passed every verification step."""
        return self.report.verdict == "accepted"


def inspect(folder: Path, key_of: signature.KeyOf, preset_of: PresetOf = preset_named) -> Inspected:
    """Verify a bundle and replay its episodes; a refused one too, if only its content is at fault.

    Args:
        folder: The bundle.
        key_of: The registry of team keys.
        preset_of: Where protocols are looked up.

    Raises:
        RefusedError: If its signature does not hold or its records cannot be read: then there is nothing to look at.
        BundleError: If an episode cannot be replayed, since its seed is none.
        ValueError: If the folder is no folder.
    """
    try:
        verified = verify(folder, key_of, preset_of)
    except RefusedError as refusal:
        report = refusal.report
        if not _readable(report):
            raise
        return _read(folder, key_of, preset_of, report)
    episodes = tuple(
        _inspected(run.game, verified.preset, episode.record) for run in verified.runs for episode in run.episodes
    )
    return Inspected(verified.manifest, verified.preset, episodes, verified.report)


def _readable(report: Report) -> bool:
    """Tell whether the signature held and every record was read."""
    return all(check.status == "passed" for check in report.checks if check.number <= parsing.STEP.number)


def _read(folder: Path, key_of: signature.KeyOf, preset_of: PresetOf, report: Report) -> Inspected:
    """Read a bundle once more through the steps that it passed, and replay what it holds."""
    signed = signature.check(folder, key_of, Faults(signature.STEP))
    manifest = signed.statement.predicate
    sizes = limits.check(folder, Faults(limits.STEP))
    preset = preset_of(manifest.protocol)
    reading = parsing.Reading(never, preset)
    files.check(folder, sizes, signed.statement, Faults(files.STEP), reading)
    runs = parsing.check(manifest, reading, preset, Faults(parsing.STEP))
    episodes = tuple(_inspected(run.game, preset, record) for run in runs for record in run.episodes)
    return Inspected(manifest, preset, episodes, report)


def _inspected(game: AnyGame, preset: Preset, record: EpisodeRecord) -> InspectedEpisode:
    turns: list[Turn] = []
    try:
        replayed = replay(game, preset.config(game, record.phase), record, turns.append)
    except ValueError as error:
        file, place = file_name("episodes", game.id), episode_name(record)
        remedy = "Play the episode again with this project's runner."
        raise BundleError(file, "an episode that can be played", str(error), remedy, place=place) from error
    return InspectedEpisode(game, record, replayed, tuple(turns))
