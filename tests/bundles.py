"""Honest bundles for tests: played by built-in models through the real runner, once a session."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from protocol.context import Pathway
from protocol.decoding import decoding_at
from protocol.preset import preset_named
from protocol.records import EpisodeRecord, MemoryRecord
from protocol.schedule import Slot
from protocol.signing import generate_key, load_key, team_key, write_team_key
from runner.entry import Plan, play_entry
from runner.models.builtin import Builtin
from runner.models.model import Model
from runner.retry import Asker

KEY = load_key(generate_key())
TEAM = "red"
Result = TypeVar("Result")


class Unwatched:
    """A watcher that does not look."""

    def stepped(self, game: str, slot: Slot, step: int) -> None:
        """Do nothing."""

    def finished(self, record: EpisodeRecord) -> None:
        """Do nothing."""

    def remembered(self, record: MemoryRecord) -> None:
        """Do nothing."""

    def waiting(self, what: str, seconds: float, why: str) -> None:
        """Do nothing."""

    def warned(self, message: str) -> None:
        """Do nothing."""


def plan(pathway: Pathway, **changes: str) -> Plan:
    """Return a small plan: both games, smoke-1."""
    preset = preset_named(changes.get("protocol", "smoke-1"))
    return Plan(
        entry=changes.get("entry", f"red-{pathway}"),
        team=TEAM,
        model=changes.get("model", "builtin:greedy"),
        preset=preset,
        games=("snake", "trust"),
        pathway=pathway,
        decoding=decoding_at(preset.temperature),
    )


def run_apart(work: Coroutine[object, object, Result]) -> Result:
    """Run a coroutine in a thread of its own: where a browser is tested, this one has a running loop already."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


class Board:
    """A folder with a registered team and its bundles."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.keys = folder / "submissions" / "keys"
        self.keys.mkdir(parents=True)
        (self.keys / f"{TEAM}.json").write_bytes(write_team_key(team_key(TEAM, KEY)))

    def bundle(self, pathway: Pathway, model: Model | None = None, **changes: str) -> Path:
        """Return a bundle, played when it is first asked for."""
        chosen = plan(pathway, **changes)
        folder = self.folder / "runs" / chosen.entry
        if not (folder / "bundle").exists():
            run_apart(play_entry(chosen, model or Builtin("greedy"), folder, KEY, Unwatched(), Asker()))
        return folder / "bundle"
