"""What a player that sees the observation alone can reach at best, in points an episode, and how that is known."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.trust_ceiling import best_seeing
from games.base import Config
from games.pvz.config import PvzConfig
from games.tetris.config import TetrisConfig
from games.trust.config import TrustConfig

_SQUARES = 4
"""Cells of a block."""
WAYS: Mapping[str, str] = {
    "chess": "reached by a player that knows the library of rules: a board is drawn anew until all rules that fit what "
    "is shown lead to the same cells",
    "minesweeper": "no more than this: some boards cannot be won without a guess",
    "nullify": "reached by trying every line: nothing is hidden, and the builder's line clears every board",
    "tetris": "no more than this: so many rows have all cells of all blocks",
    "snake": "about this, by the oracle, which also knows where the next apples will appear; no useful bound is known",
    "pvz": "no more than this: the step limit",
    "trust": "exact: the best play of one who knows the opponents and how often each is met, and learns from the "
    "rounds which one it has",
}
"""How the figure of each game is known."""


def ceiling(config: Config, oracle: float | None) -> float:
    """Return the most that an average can be under a config, as ``WAYS`` says.

    Args:
        config: The config.
        oracle: The mean of the game's oracle there, where it has one.
    """
    match config:
        case TrustConfig():
            return best_seeing(config)
        case TetrisConfig():
            return _SQUARES * config.max_steps // config.width
        case PvzConfig():
            return config.max_steps
    assert oracle is not None
    return oracle
