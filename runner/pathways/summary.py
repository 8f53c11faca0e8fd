"""Summary Memory: a separate call compresses the history into tips."""

from __future__ import annotations

from protocol.context import RunContext
from protocol.memory import memory_failure, memory_text
from protocol.records import MemoryFailure, MemoryRecord
from protocol.summary import SummaryPrompt
from runner.costs import cost_record
from runner.desk import CONTEXT_OVERFLOW, Asks
from runner.journal import Outcome
from runner.models.model import FaultKind
from runner.pathways.pathway import Consolidated


class SummaryPathway:
    """Makes memory[i] once, from the first i exploration episodes."""

    async def consolidate(self, run: RunContext, desk: Asks, index: int, sources: tuple[int, ...]) -> Consolidated:
        """Make the next memory; what is no summary keeps the last good one and says why."""
        key = f"{run.game.id} summary {index}"
        prompt = SummaryPrompt(run)
        known = await desk.ask(key, prompt, summary=True)
        outcome = known.outcome
        failure = _failure(outcome)
        if failure is None and outcome.reply is not None:
            prompt.remember(memory_text(outcome.reply, run.budget.memory_tokens))
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


def _failure(outcome: Outcome) -> MemoryFailure | None:
    if outcome.reply is not None and outcome.finish is not None:
        return memory_failure(outcome.reply, outcome.finish)
    if outcome.fault == CONTEXT_OVERFLOW:
        return "context_overflow"
    return "timeout" if outcome.fault == FaultKind.TIMEOUT else "transport"
