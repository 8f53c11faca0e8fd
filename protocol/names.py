"""Names that are also safe file names on every system."""

from __future__ import annotations

import re
from functools import lru_cache

MAX_NAME = 64
"""Characters of the longest name."""
_NAME = re.compile(rf"[a-z0-9](?:[a-z0-9._-]{{0,{MAX_NAME - 2}}}[a-z0-9])?", re.ASCII)
_DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{device}{n}" for device in ("com", "lpt") for n in range(1, 10))})


@lru_cache(maxsize=256)
def check_name(name: str) -> str:
    """Return the name if it can name an entry, a team, a game or a protocol.

    Raises:
        ValueError: If it is not 1 to ``MAX_NAME`` lower-case letters, digits, dots, dashes and underscores that begin
            and end with a letter or digit, or if some system keeps it for a device.
    """
    if _NAME.fullmatch(name) is None:
        raise ValueError(
            f"expected 1 to {MAX_NAME} lower-case letters, digits, dots, dashes and underscores, beginning and ending "
            f"with a letter or digit, got {name[:80]!a}"
        )
    if name.split(".")[0] in _DEVICES:
        raise ValueError(f"expected a name that no system keeps for a device, got {name!r}")
    return name
