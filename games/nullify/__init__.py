"""Nullify: merge numbers and operators until nothing is left."""
