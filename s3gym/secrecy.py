"""Which keys and values of a configuration file are secrets."""

from __future__ import annotations

import os
import re

from runner.models.masking import Masker

_NAMES = re.compile(r"key|token|secret|passw|credential|authorization|bearer", re.IGNORECASE)
_KEY_LENGTH = 20
_SHAPES = re.compile(
    r"-----BEGIN|\b(?:sk|rk|pk)-[A-Za-z0-9_-]{16,}|\bxai-[A-Za-z0-9]{16,}|\b(?:gsk|hf|gh[po]|r8)_[A-Za-z0-9]{16,}"
    r"|\bglpat-[A-Za-z0-9_-]{16,}|\b(?:AKIA|AIza)[A-Za-z0-9_-]{16,}|\bey[Jj][A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"
)


def names_secret(key: str) -> bool:
    """Return whether a key is named as a secret is."""
    return _NAMES.search(key) is not None


def is_no_variable(name: str) -> bool:
    """Return whether what should name an environment variable is more likely the key itself."""
    digits = any(char.isdigit() for char in name)
    return _SHAPES.search(name) is not None or (len(name) >= _KEY_LENGTH and digits and "_" not in name)


def holds_secret(value: object, variable: str | None, *, url: bool = False) -> bool:
    """Return whether a value is, or holds, a secret.

    Args:
        value: A value of a configuration file; lists are looked into.
        variable: The environment variable whose value is a secret, if one is named.
        url: Whether it is a URL, whose user name, password and query may be secrets.
    """
    if isinstance(value, list):
        return any(holds_secret(each, variable, url=url) for each in value)
    if not isinstance(value, str):
        return False
    secret = os.environ.get(variable or "OPENAI_API_KEY", "").strip()
    if len(secret) >= 8 and secret in value:
        return True
    return _SHAPES.search(value) is not None or (url and Masker([]).mask(value) != value)
