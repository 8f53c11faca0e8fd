"""Golden transcripts: every text of some episodes, and the same texts made again from the actions they hold."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from games.base import Config
from games.play import Turn, play
from games.registry import GAMES, AnyGame
from tests.golden.case import Case, script
from tests.golden.cases import cases

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

FOLDER = Path(__file__).resolve().parent
MARGIN = "    "
RECORD = "python -m tests.golden record"


class Golden(NamedTuple):
    """One file: one game under one config."""

    game: AnyGame
    config: Config
    path: Path


def goldens(folder: Path = FOLDER) -> list[Golden]:
    """Every file that there must be."""
    return [Golden(game, config, folder / f"{game.id}-{config.id}.txt") for game in GAMES for config in game.configs]


def written(golden: Golden) -> str:
    """The transcript of the cases as they are chosen now."""
    return _transcript(golden, cases(golden.game, golden.config))


def replayed(golden: Golden, text: str) -> str:
    """The transcript of the very episodes and actions that a stored one holds, as the game plays them now."""
    return _transcript(golden, _stored_cases(text))


def rules_version(text: str) -> int:
    """The rules version that a transcript was recorded under."""
    return int(text.split("\n")[1].removeprefix("rules version: "))


def faults(golden: Golden) -> list[str]:
    """What is wrong with a stored file, nothing if it is as the game plays."""
    name, version = golden.path.name, golden.game.rules_version
    if not golden.path.is_file():
        return [f"{name}: expected a transcript, found none; run `{RECORD}`"]
    stored = golden.path.read_bytes().decode()
    if rules_version(stored) != version:
        return [f"{name}: recorded under rules version {rules_version(stored)}, the game has {version}; run `{RECORD}`"]
    again = replayed(golden, stored)
    if again == stored:
        return []
    changes = list(difflib.unified_diff(stored.split("\n"), again.split("\n"), "stored", "now", n=2, lineterm=""))
    return [
        "\n".join(
            [
                f"{name}: the game plays otherwise than recorded under the same rules version {version}.",
                "If that is meant, raise the game's RULES_VERSION and record again. The first differences:",
                *changes[:40],
            ]
        )
    ]


def record(golden: Golden, *, force_same_version: bool = False) -> str:
    """Write one file anew and say what was done.

    Raises:
        ValueError: If the game plays otherwise than a stored file of the same rules version says.
    """
    if golden.path.is_file() and not force_same_version:
        stored = golden.path.read_bytes().decode()
        if rules_version(stored) == golden.game.rules_version and (found := faults(golden)):
            raise ValueError("\n".join([*found, "Nothing was written."]))
    golden.path.write_bytes(written(golden).encode())
    return f"{golden.path.name}: recorded under rules version {golden.game.rules_version}"


def _transcript(golden: Golden, episodes: list[Case]) -> str:
    game, config = golden.game, golden.config
    lines = [
        f"game: {game.id}",
        f"rules version: {game.rules_version}",
        f"config: {config.id}",
        *_block("rules", game.rules),
        *_block("numbers", game.numbers(config)),
    ]
    for case in episodes:
        lines += ["", f"episode: {case.name}", *_episode(game, _varied(config, case.changes), case)]
    return "\n".join(lines) + "\n"


def _episode(game: AnyGame, config: Config, case: Case) -> list[str]:
    lines = [f"seed: {case.seed}", f"changes: {json.dumps(dict(case.changes))}"]
    if case.changes:
        lines += _block("numbers", game.numbers(config))
    lines += _block("layout", game.layout(game.start(config, case.seed)))
    texts = []

    def watched(turn: Turn) -> str | None:
        texts.append((turn.observation, game.recall(turn.state)))
        return case.choice(turn)

    episode = play(game, config, case.seed, watched)
    for index, (observation, recall) in enumerate(texts):
        lines += _block("observation", observation)
        if recall != observation:
            lines += _block("recall", recall)
        if index < len(episode.steps):
            action, feedback, reward = episode.steps[index]
            lines += [f"action: {json.dumps(action)}", f"feedback: {feedback}", f"reward: {reward}"]
    return [*lines, f"end: {episode.end}", f"score: {episode.score}"]


def _block(title: str, text: str) -> list[str]:
    return [f"{title}:", *[f"{MARGIN}{line}".rstrip(" ") for line in text.split("\n")]]


def _stored_cases(text: str) -> list[Case]:
    found = []
    for part in text.split("\nepisode: ")[1:]:
        name, seed, changes, *lines = part.split("\n")
        actions = [json.loads(line.removeprefix("action: ")) for line in lines if line.startswith("action: ")]
        numbers = json.loads(changes.removeprefix("changes: "))
        found.append(Case(name, int(seed.removeprefix("seed: ")), numbers, script(*actions)))
    return found


def _varied(config: Config, changes: Mapping[str, int]) -> Config:
    return cast("Config", replace(cast("DataclassInstance", config), **changes))
