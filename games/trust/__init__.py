"""Trust Evolution: collaborate with an unknown opponent, or cheat."""
