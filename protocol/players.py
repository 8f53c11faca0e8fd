"""The names of the built-in players."""

from __future__ import annotations

BUILTIN = "builtin:"
"""How the name of a model begins that is a built-in player."""
LEARNER = "learner"
BLIND = "blind"
BUILTIN_NAMES = ("random", "idle", BLIND, "greedy", LEARNER)
