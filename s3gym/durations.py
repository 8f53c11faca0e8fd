"""Times and counts as a person reads them at a glance."""

from __future__ import annotations

import math


def duration(seconds: float) -> str:
    """Return a time span in its largest units: ``40 s``, ``12 min``, ``3 h 20 min``, ``2 d 4 h``."""
    whole = math.ceil(max(0.0, seconds))
    if whole < 120:
        return f"{whole} s"
    minutes = round(whole / 60)
    if minutes < 120:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {rest} min" if rest else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if hours else f"{days} d"


def short_count(count: int) -> str:
    """Return a count in at most six characters: ``9,999``, ``12 k``, ``3.4 M``."""
    if count < 10_000:
        return f"{count:,}"
    if count < 1_000_000:
        return f"{count // 1000} k"
    return f"{count / 1e6:.1f} M" if count < 100_000_000 else f"{count / 1e6:.0f} M"
