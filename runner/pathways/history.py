"""History ICL: the raw history is the experience; there is nothing to consolidate."""

from __future__ import annotations

from protocol.context import RunContext
from runner.desk import Asks


class HistoryPathway:
    """Carries exploration episodes on as they are."""

    async def consolidate(
        self, run: RunContext, desk: Asks, index: int, sources: tuple[int, ...]
    ) -> None:  # the interface
        """Do nothing: the run context already carries the episode."""
