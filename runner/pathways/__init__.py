"""How experience is consolidated between exploration episodes."""
