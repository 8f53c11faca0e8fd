"""The clock of who writes: recorded as a claim, never decisive."""

from __future__ import annotations

from datetime import UTC, datetime


def claimed_now() -> str:
    """Return the time as a log line holds it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
