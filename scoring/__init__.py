"""Trusts nothing: verify, then measure."""
