"""Plays a run against a model and writes a bundle."""
