"""Who is told how a run goes."""

from __future__ import annotations

from typing import Protocol

from protocol.records import EpisodeRecord, MemoryRecord
from protocol.schedule import Slot


class Watcher(Protocol):
    """Who is told how a run goes."""

    def stepped(self, game: str, slot: Slot, step: int) -> None:
        """Hear of a step before it is asked for."""

    def finished(self, record: EpisodeRecord) -> None:
        """Hear of a finished episode."""

    def remembered(self, record: MemoryRecord) -> None:
        """Hear of a summary call."""

    def waiting(self, what: str, seconds: float, why: str) -> None:
        """Hear of a wait before a request is sent again.

        Args:
            what: What is asked for: first the game, then the episode and the step.
            seconds: How long.
            why: The kind of fault, in words.
        """

    def warned(self, message: str) -> None:
        """Hear, once, of something about the endpoint that whoever reads the results will be told as well."""
