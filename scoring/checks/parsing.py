"""Step 3: strict parsing of exactly the bytes that were signed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from games.registry import GAMES, AnyGame
from protocol.bundle import ENVELOPE, content_lines
from protocol.errors import BundleError
from protocol.preset import Preset
from protocol.records import CostRecord, EpisodeRecord, Manifest, MemoryRecord
from protocol.strictjson import RecordT, read_record
from scoring.checks.step import Faults, Step

STEP = Step(3, "parsing", "Every record is strict, typed and of a known version")


class ParsedRun(NamedTuple):
    """The records of one game, parsed but not yet believed."""

    game: AnyGame
    episodes: tuple[EpisodeRecord, ...]
    memories: tuple[MemoryRecord, ...]
    costs: tuple[CostRecord, ...]


def check(manifest: Manifest, contents: Mapping[str, bytes], preset: Preset, faults: Faults) -> tuple[ParsedRun, ...]:
    """Return the typed records of every run, in the order of the protocol's games."""
    _versions(manifest, preset, faults)
    runs = []
    lines = 0
    for rules in manifest.games:
        name = rules.game
        game = next((game for game in GAMES if game.id == name), None)
        if game is None:
            continue
        episodes = _records(EpisodeRecord, f"episodes/{name}.jsonl", contents, faults)
        memories = _records(MemoryRecord, f"memory/{name}.jsonl", contents, faults)
        costs = _records(CostRecord, f"costs/{name}.jsonl", contents, faults)
        lines += len(episodes) + len(memories) + len(costs)
        runs.append(ParsedRun(game, episodes, memories, costs))
    faults.detail = f"{lines} records"
    return tuple(runs)


def _versions(manifest: Manifest, preset: Preset, faults: Faults) -> None:
    if manifest.protocol_digest != preset.digest:
        faults.add(
            BundleError(
                ENVELOPE,
                f"protocol {preset.id} with digest {preset.digest}",
                manifest.protocol_digest,
                "Use the release of this package that the entry was played with.",
                place="protocol_digest",
            )
        )
    known = {game.id: game.rules_version for game in GAMES}
    names = [rules.game for rules in manifest.games]
    if not names or len(set(names)) != len(names):
        got = "none" if not names else "a game twice"
        faults.add(BundleError(ENVELOPE, "one or more games, each once", got, "Play the entry again.", place="games"))
    for rules in manifest.games:
        wanted = preset.games[rules.game].rules_version if rules.game in preset.games else None
        if rules.rules_version != wanted or known.get(rules.game) != wanted:
            faults.add(
                BundleError(
                    ENVELOPE,
                    f"game {rules.game} with rules version {wanted} of protocol {preset.id}",
                    f"version {rules.rules_version} (this scorer knows {known.get(rules.game)})",
                    "Use the release of this package that the entry was played with.",
                    place="games",
                )
            )


def _records(kind: type[RecordT], name: str, contents: Mapping[str, bytes], faults: Faults) -> tuple[RecordT, ...]:
    if name not in contents:
        return ()
    records = []
    file = f"{name}.gz"
    with faults.catching():
        for number, line in enumerate(content_lines(contents[name], file), 1):
            faults.tick()
            with faults.catching():
                records.append(read_record(kind, line, file, f"line {number}"))
    return tuple(records)
