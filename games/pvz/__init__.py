"""Plants-vs-Zombies: hold a field of plants against growing waves."""
