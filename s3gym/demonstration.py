"""The parts of ``s3gym demo``: a workplace, players, their entries, the documentation."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from protocol.context import Pathway
from protocol.decoding import decoding_at
from protocol.preset import preset_named
from runner.entry import Plan
from runner.models.weights import EmbeddedUnavailableError, find_embedded
from runner.retry import Asker
from runner.together import Seats, together
from s3gym.commands.keys import make_key
from s3gym.opening import open_model
from s3gym.output import board_console, err, plain
from s3gym.playing import play
from s3gym.preparing import default_games, entry_id, private_key
from s3gym.settings import EMBEDDED
from s3gym.stopping import stoppable
from s3gym.watching import ProgressBoard
from scoring.submitting import KEYS

TEAM = "demo"
PROTOCOL = "smoke-1"
EMBEDDED_GAMES = ("snake", "trust")
"""What the packaged model plays: two games keep the demo short. The baselines play all of the protocol's."""
BASELINES = ("builtin:greedy", "builtin:random")
PATHWAYS: tuple[Pathway, ...] = ("history", "summary")
MARKER = ".made-by-s3gym-demo"


class Workplace(NamedTuple):
    """Where the demo keeps its things."""

    folder: Path

    @property
    def submissions(self) -> Path:
        """Return the demo's own board."""
        return self.folder / "submissions"

    @property
    def key(self) -> Path:
        """Return the demo team's private key."""
        return self.folder / "private" / f"{TEAM}.key"


def prepare(folder: Path) -> Workplace:
    """Empty the folder of an earlier demo and make a key for the team."""
    if folder.exists():
        if any(folder.iterdir()) and not (folder / MARKER).is_file():
            raise ValueError(f"demo: expected an empty folder or an earlier demo's, found other files in {folder}")
        # The marker last: by it an interrupted removal is known for what it is.
        for path in folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif path.name != MARKER:
                path.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARKER).touch()
    place = Workplace(folder)
    make_key(TEAM, place.key.parent, place.submissions / KEYS)
    return place


def models() -> tuple[str, ...]:
    """Return the models that play: the packaged one where it is installed, and the baselines."""
    try:
        find_embedded()
        asyncio.run(open_model(EMBEDDED).close())
    except EmbeddedUnavailableError as missing:
        err().print(f"[yellow]Going on without the embedded model:[/] {plain(str(missing))}")
        return BASELINES
    return (EMBEDDED, *BASELINES)


async def _play(place: Workplace, model: str, board: ProgressBoard, asker: Asker, pathway: Pathway) -> Path:
    """Play one entry and return its bundle."""
    preset = preset_named(PROTOCOL)
    plan = Plan(
        entry=entry_id(model, pathway, preset.id),
        team=TEAM,
        model=model,
        preset=preset,
        games=EMBEDDED_GAMES if model == EMBEDDED else default_games(preset),
        pathway=pathway,
        decoding=decoding_at(preset.temperature),
    )
    opened = open_model(model)
    label = f"{model} {pathway}"
    watcher = board.watcher(preset, plan.games, label)
    folder = place.folder / "runs" / plan.entry
    return (await play(plan, opened, folder, private_key(place.key), watcher, asker, Seats())).bundle


def play_all(place: Workplace, models: tuple[str, ...]) -> list[Path]:
    """Play every entry; both pathways of a model at once, since the packaged model keeps to one core."""
    bundles: list[Path] = []
    with ProgressBoard(board_console()) as board:
        for model in models:
            askers = [Asker() for _ in PATHWAYS]
            parts = [_play(place, model, board, *each) for each in zip(askers, PATHWAYS, strict=True)]
            bundles += stoppable(together(parts), askers)
    return bundles


def build_docs(root: Path, target: Path) -> Path | None:
    """Build the documentation where its sources and its builder are at hand."""
    config = root / "mkdocs.yml"
    if not config.is_file() or importlib.util.find_spec("mkdocs") is None:
        err().print("Going on without the documentation: mkdocs or its sources are not here.")
        return None
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-f", str(config), "-d", str(target)]
    # The theme announces the next major version of its builder at every start.
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run(command, check=True, env=environment)  # noqa: S603  # a fixed command with our own paths
    return target
