"""A pinned round: a few entries by built-in players, one of them through pinned trouble, from plan to results.

Nothing in it depends on the clock, the machine or chance: the key is fixed, the clock stands still, and what goes wrong
goes wrong at written requests.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from games.registry import GAMES
from protocol.context import Pathway, SummaryMode
from protocol.decoding import decoding_at
from protocol.messages import Message, messages_digest
from protocol.preset import Preset, preset_file
from protocol.prompts import HINTS
from protocol.records import Endpoint
from protocol.signing import team_key, write_team_key
from runner.entry import Plan, play_entry
from runner.models.builtin import Builtin
from runner.models.model import Answer, FaultKind, TransportFaultError, Usage
from runner.retry import Asker, RetryPolicy
from scoring.registry import Registry
from scoring.results import Results
from scoring.score import score
from scoring.verify import verify
from tests.bundles import Unwatched

KEY = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"golden round").digest())
TEAM = "golden"
PRESET = Path(__file__).with_name("preset.toml")
ALL = tuple(preset_file(PRESET).games)


Way = Literal["improves", "declines", "wavers"]
"""How a player plays: at random at first and by the game's heuristic once it carries something, the other way round, or
now so and now so, as the digest of the prompt falls."""
Trouble = Mapping[tuple[str, int], Answer | FaultKind]
"""What meets the n-th request of a game, from 0."""


class Entry(NamedTuple):
    """One pinned entry."""

    name: str
    way: Way
    pathway: Pathway
    mode: SummaryMode = "rebuild"
    games: tuple[str, ...] = ALL
    trouble: Trouble = MappingProxyType({})


TROUBLE: Trouble = {
    ("nullify", 1): Answer("Left, I say.", "stop"),
    ("nullify", 3): Answer("I think that", "length"),
    ("nullify", 5): Answer("", "stop", Usage(900, 40)),
    ("nullify", 7): Answer("", "content_filter"),
    ("trust", 12): Answer("Answer: COLLABORATE", "stop"),
    ("trust", 85): FaultKind.SERVER,
    ("trust", 105): FaultKind.OVERFLOW,
    ("tetris", 3): FaultKind.TIMEOUT,
    ("pvz", 45): FaultKind.MALFORMED,
}
"""In Trust, whose episodes always last ten steps here, request 85 fails the third checkpoint."""
ENTRIES = (
    Entry("improving-history", "improves", "history"),
    Entry("declining-history", "declines", "history"),
    Entry("wavering-history", "wavers", "history"),
    Entry("improving-summary", "improves", "summary"),
    Entry("wavering-summary", "wavers", "summary", "recursive"),
    Entry(
        "troubled-history", "improves", "history", games=("nullify", "tetris", "snake", "pvz", "trust"), trouble=TROUBLE
    ),
)


class _Player:
    """Plays in its way, and meets its trouble."""

    def __init__(self, entry: Entry) -> None:
        self._entry = entry
        self._random, self._greedy = Builtin("random"), Builtin("greedy")
        self._requests: Counter[str] = Counter()

    @property
    def endpoint(self) -> Endpoint:
        """Return what the manifest says."""
        return self._greedy.endpoint

    @property
    def adaptations(self) -> tuple[str, ...]:
        """Return nothing: requests are sent as asked for."""
        return ()

    async def ask(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        """Answer, or meet the event."""
        game = next(game.id for game in GAMES if game.rules in messages[0].content)
        event = self._entry.trouble.get((game, self._requests[game]))
        self._requests[game] += 1
        if isinstance(event, FaultKind):
            raise TransportFaultError(event, "pinned")
        return event or self._chosen(messages).answer(messages, max_tokens)._replace(model="pinned")

    def _chosen(self, messages: Sequence[Message]) -> Builtin:
        carries = len(messages) > 1 and messages[1].content.startswith(HINTS)
        greedy = {
            "improves": carries,
            "declines": not carries,
            "wavers": int(messages_digest(messages), 16) % 2 == 0,
        }[self._entry.way]
        return self._greedy if greedy else self._random

    async def close(self) -> None:
        """Hold nothing."""


def _plan(entry: Entry, preset: Preset) -> Plan:
    return Plan(
        entry=entry.name,
        team=TEAM,
        model=f"a player that {entry.way}",
        preset=preset,
        games=entry.games,
        pathway=entry.pathway,
        summary_mode=entry.mode,
        decoding=decoding_at(preset.temperature),
    )


async def _play(entry: Entry, preset: Preset, folder: Path) -> Path:
    asker = Asker(RetryPolicy(attempts=1, repeats=0, failures_in_a_row=9), clock=lambda: 0.0)
    return (await play_entry(_plan(entry, preset), _Player(entry), folder, KEY, Unwatched(), asker)).bundle


def play_round(folder: Path) -> Results:
    """Play, sign, verify and score the whole round."""
    keys = folder / "keys"
    keys.mkdir()
    (keys / f"{TEAM}.json").write_bytes(write_team_key(team_key(TEAM, KEY)))
    preset = preset_file(PRESET)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        bundles = [asyncio.run(_play(entry, preset, folder / entry.name)) for entry in ENTRIES]
    registry = Registry(keys)
    return score(verify(bundle, registry, lambda _: preset) for bundle in bundles)
