"""Text as a terminal may show it."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return text as a terminal may show it: whatever could drive it is escaped, line ends excepted."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char == "\n" else char.encode("unicode_escape").decode() for char in text
    )
