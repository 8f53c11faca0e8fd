"""The numbered verification steps, one module each."""
