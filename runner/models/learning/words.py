"""Lines of text, made comparable."""

from __future__ import annotations

import re

MAX_LENGTH = 120
_NUMBER = re.compile(r"[0-9]+")


def without_numbers(line: str) -> str:
    """Return a line with its numbers left blank, cut to a fixed length."""
    return _NUMBER.sub("<n>", line)[:MAX_LENGTH]
