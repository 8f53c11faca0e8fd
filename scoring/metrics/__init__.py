"""Metrics as pure functions of verified records."""
