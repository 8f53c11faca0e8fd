"""The rules of the games: pure, seeded, standard library only."""
