"""Re-runs for tests: a good one is played in process, taken apart, changed in one place and signed again."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from protocol.bundle import file_name
from protocol.errors import BundleError
from protocol.preset import preset_named
from protocol.records import EpisodeRecord
from protocol.signing import generate_key, load_key, sign
from protocol.strictjson import read_record, write_record
from runner.ledger import Ledger
from runner.models.builtin import Builtin
from runner.retry import Asker
from runner.together import Seats
from s3gym.rerunning import Rerun, rerun
from scoring.confirmation import CONFIRMATION, CONFIRMATION_TYPE, confirmed_game, fresh_preset
from scoring.registry import Registry
from scoring.verified import VerifiedBundle
from scoring.verify import verify
from tests.bundles import Board, Unwatched, run_apart
from tests.scoring.forge import Fields, Json

ROOT_KEY = load_key(generate_key())
ROUND = "check-1"
EPISODES = 3
LAST = preset_named("smoke-1").checkpoints[-1]


@dataclass
class Told:
    """What a re-run is made of, open to change."""

    payload: Fields
    lines: dict[str, list[Fields]]
    """The episodes of each game."""
    own: dict[str, list[Fields]]
    """The entry's own episodes of its last checkpoint."""
    content: dict[str, bytes] = field(default_factory=dict)
    """Episodes of a game, uncompressed and as they stand, in the place of its records."""
    raw: dict[str, bytes] = field(default_factory=dict)
    """Files that replace those of the same name, or stand beside them."""
    without: tuple[str, ...] = ()
    """Files that are left out."""
    key: Ed25519PrivateKey = ROOT_KEY
    payload_type: str = CONFIRMATION_TYPE
    name: str = ROUND
    """The folder."""

    def game(self, index: int = 0) -> Fields:
        """Return what is told of a game."""
        games = self.payload["games"]
        assert isinstance(games, list)
        game = games[index]
        assert isinstance(game, dict)
        return game

    def step(self, index: int = 0, episode: int = 0, game: str = "snake") -> Fields:
        """Return a step."""
        steps = self.lines[game][episode]["steps"]
        assert isinstance(steps, list)
        step = steps[index]
        assert isinstance(step, dict)
        return step


Change = Callable[[Told], object]


def nothing(told: Told) -> None:
    """Change nothing."""


class Reruns:
    """Verified entries, and a good re-run of each."""

    def __init__(self, board: Board, folder: Path) -> None:
        self._board = board
        self._folder = folder
        self._good: dict[str, tuple[VerifiedBundle, bytes, dict[str, tuple[EpisodeRecord, ...]]]] = {}

    def good(self, pathway: str) -> tuple[VerifiedBundle, bytes, dict[str, tuple[EpisodeRecord, ...]]]:
        """Return an entry with the payload and the episodes of its re-run, played when it is first asked for."""
        if pathway not in self._good:
            path = self._board.bundle("summary" if pathway == "summary" else "history")
            bundle = verify(path, Registry(self._board.keys))
            plan = Rerun(bundle, fresh_preset(bundle, ROUND, EPISODES), "builtin:greedy", None)
            journal = self._folder / pathway
            playing = rerun(plan, Builtin("greedy"), journal, Unwatched(), Asker(), Seats(1), Ledger())
            told, runs = run_apart(playing)
            self._good[pathway] = (bundle, write_record(told), {run.game: tuple(run.episodes) for run in runs})
        return self._good[pathway]

    def forge(self, pathway: str, place: Path, change: Change = nothing, tell: Change = nothing) -> Path:
        """Write a changed re-run below a folder, and return where it lies.

        Args:
            pathway: Whose re-run.
            place: The folder of the entry's re-runs.
            change: What is done to the episodes; digests and numbers are made right again after it.
            tell: What is done to the rest, after that and before it is signed.
        """
        bundle, payload, episodes = self.good(pathway)
        lines = {game: [json.loads(write_record(each)) for each in found] for game, found in episodes.items()}
        own = {
            run.game.id: [
                json.loads(write_record(each.record)) for each in run.episodes if each.record.checkpoint == LAST
            ]
            for run in bundle.runs
        }
        told = Told(json.loads(payload), lines, own)
        change(told)
        files = {
            file_name("episodes", game): told.content.get(
                game, b"".join(json.dumps(each).encode() + b"\n" for each in found)
            )
            for game, found in told.lines.items()
        }
        told.payload["games"] = [
            _derived(bundle, game, files[file_name("episodes", game)], told.game(index))
            for index, game in enumerate(told.lines)
        ]
        tell(told)
        folder = place / told.name
        written = {name: gzip.compress(data, mtime=0) for name, data in files.items()}
        written[CONFIRMATION] = sign(json.dumps(told.payload).encode(), told.key, told.payload_type)
        for name, data in {**written, **told.raw}.items():
            if name not in told.without:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(data)
        return folder


def _derived(bundle: VerifiedBundle, name: str, data: bytes, told: Fields) -> Json:
    """Return what is told of a game, made to fit its episodes; unchanged where they are no records."""
    run = next(run for run in bundle.runs if run.game.id == name)
    try:
        records = [read_record(EpisodeRecord, line, "f") for line in data.splitlines()]
    except BundleError:
        return told
    derived: Fields = json.loads(write_record(confirmed_game(bundle, run, records)))
    return derived
