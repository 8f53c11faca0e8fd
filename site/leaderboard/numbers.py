"""How a number is shown; the full value stands beside it in ``data-value``."""

from __future__ import annotations

MINUS = "−"
THIN = "\u202f"
DASH = "—"

ROUNDING_RULE = (
    "Scores are shown with three decimals, rounded half to even from the exact value. An exact zero is shown as 0; "
    "what is nearer to zero than 0.0005 without being zero is shown in powers of ten. Ranks and counts are whole. "
    "The full value of every number is in the data files, and in the page itself."
)
"""The written rule that ``shown`` follows."""


def shown(value: float) -> str:
    """Return a score as it is shown."""
    if value == 0:
        return "0"
    text = f"{value:.1e}" if abs(value) < 0.0005 else f"{value:.3f}"
    return text.replace("-", MINUS)


def shown_count(value: int) -> str:
    """Return a count as it is shown, thousands set apart."""
    return f"{value:,}".replace(",", THIN).replace("-", MINUS)


def shown_bytes(value: int) -> str:
    """Return a size as it is shown."""
    if value < 1000:
        return f"{value}{THIN}B"
    if value < 1_000_000:
        return f"{value / 1000:.1f}{THIN}kB"
    return f"{value / 1_000_000:.1f}{THIN}MB"


def shown_seconds(value: float) -> str:
    """Return a duration as it is shown, in the two largest units."""
    seconds = round(value)
    if seconds < 60:
        return f"{value:.1f}{THIN}s"
    if seconds < 3600:
        return f"{seconds // 60}{THIN}min {seconds % 60}{THIN}s"
    return f"{shown_count(seconds // 3600)}{THIN}h {seconds % 3600 // 60}{THIN}min"


def full(value: float) -> str:
    """Return the whole number, as JSON writes it."""
    return repr(value)
