"""The setting that every peer is given: as near to this project's explore configs as its games allow."""

from __future__ import annotations

SEEDS = range(50)
STEP_LIMIT = 64
"""Steps of an episode; a peer's own count where two players act in turn is twice that."""

SNAKE_CELLS = 8
"""Free rows and columns: 10 with the wall here."""
SNAKE_APPLES = 3

MINES_SIZE = 9
MINES = 15
"""The middle of this project's 10 to 20."""

TETRIS_SIZE = 10

TRUST_ROUNDS = 10
