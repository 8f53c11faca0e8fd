"""The one written list of peers, and what is known of those that are not measured here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from benchmarks.peers.figures import Missing
from benchmarks.peers.measure import Contender


class Peer(NamedTuple):
    """One library."""

    library: str
    module: str
    table: str = "GAMES"
    text: bool = True
    gated: bool = True
    """Whether this project has to be ahead of it."""


PEERS = (
    Peer("textarena", "benchmarks.peers.textarena_games"),
    Peer("textarena", "benchmarks.peers.textarena_games", "RAW"),
    Peer("gem-llm", "benchmarks.peers.gem_games"),
    Peer("tetris-gymnasium", "benchmarks.peers.tetris_gymnasium_games"),
    Peer("open-spiel", "benchmarks.peers.openspiel_games", gated=False),
    Peer("jumanji", "benchmarks.peers.jumanji_games", text=False),
    Peer("jumanji", "benchmarks.peers.jumanji_games", "BATCHES", text=False),
)

ELSEWHERE: Mapping[str, int] = {
    "minesweeper": 10_700,
    "snake": 17_400,
    "tetris": 29_100,
    "nullify": 26_500,
    "pvz": 31_700,
    "trust": 60_900,
}
"""Steps a second of KORGym's games on one core. It is no package, so it was measured apart from this run."""


def makers(peer: Peer) -> Mapping[str, Callable[[], Contender]] | Missing:
    """Return a peer's games, or why it cannot be measured."""
    try:
        module = import_module(peer.module)
    except ImportError as error:
        return Missing(peer.library, peer.text, f"{error} (`make bench-peers` installs the peers)")
    games: Mapping[str, Callable[[], Contender]] = getattr(module, peer.table)
    return games


def versions() -> Iterator[tuple[str, str]]:
    """Yield the version of every peer that is installed."""
    for library in dict.fromkeys(peer.library for peer in PEERS):
        with suppress(PackageNotFoundError):
            yield library, version(library)
