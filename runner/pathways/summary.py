"""Summary Memory: a separate call compresses the history into tips."""

from __future__ import annotations

from typing import Literal

from protocol.context import RunContext
from protocol.memory import memory_text
from protocol.records import MemoryRecord
from protocol.summary import SummaryPrompt
from runner.costs import cost_record
from runner.desk import CONTEXT_OVERFLOW, Asks, Known
from runner.pathways.pathway import Consolidated

MemoryFailure = Literal["transport", "empty", "filtered", "context_overflow"]


class SummaryPathway:
    """Makes memory[i] once, from the first i exploration episodes."""

    async def consolidate(self, run: RunContext, desk: Asks, index: int, sources: tuple[int, ...]) -> Consolidated:
        """Make the next memory; a failed or empty call keeps the last good one and says so."""
        key = f"{run.game.id} summary {index}"
        prompt = SummaryPrompt(run)
        known = await desk.ask(key, prompt)
        outcome = known.outcome
        text = memory_text(outcome.reply or "", run.budget.memory_tokens)
        failure = _failure(known, text)
        if failure is None:
            prompt.remember(text)
        record = MemoryRecord(
            game=run.game.id,
            index=index,
            status="made" if failure is None else "kept",
            failure=failure,
            mode=run.mode,
            sources=sources[prompt.cut.episodes :],
            context=outcome.context,
            dropped_episodes=outcome.dropped_episodes,
            dropped_steps=outcome.dropped_steps,
            cut=outcome.cut,
            reply=outcome.reply,
            finish=outcome.finish,
            memory=run.memory,
        )
        return Consolidated(record, cost_record(run.game.id, known, phase="summary", index=index))


def _failure(known: Known, text: str) -> MemoryFailure | None:
    outcome = known.outcome
    if outcome.fault is not None:
        return "context_overflow" if outcome.fault == CONTEXT_OVERFLOW else "transport"
    if not text:
        return "filtered" if outcome.finish == "content_filter" else "empty"
    return None
