"""The interface of a pathway: what happens after an exploration episode."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from protocol.context import RunContext
from protocol.records import CostRecord, MemoryRecord
from runner.desk import Asks


class Consolidated(NamedTuple):
    """What a consolidation left behind."""

    memory: MemoryRecord
    cost: CostRecord


class PathwayRunner(Protocol):
    """Turns exploration into what later episodes carry."""

    async def consolidate(
        self, run: RunContext, desk: Asks, index: int, sources: tuple[int, ...]
    ) -> Consolidated | None:
        """Consolidate after the first ``index`` exploration episodes.

        Args:
            run: What the run carries; changed in place.
            desk: Where a model call goes.
            index: Exploration episodes played so far.
            sources: Which of them are valid, oldest first.

        Returns:
            The memory record and its cost, or None where the pathway makes none.
        """
