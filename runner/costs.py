"""What a reply took: the part of a run that differs between equal runs."""

from __future__ import annotations

from typing import Literal

from protocol.records import CostRecord, Phase
from protocol.tokens import estimate
from runner.desk import Known


def cost_record(
    game: str,
    known: Known,
    *,
    phase: Phase | Literal["summary"],
    index: int,
    checkpoint: int | None = None,
    replicate: int = 0,
    step: int = 0,
) -> CostRecord:
    """Return the cost of one step or summary call; where the endpoint reports no usage, estimates stand in."""
    outcome = known.outcome
    estimated = not outcome.tokens_in or outcome.tokens_out is None
    return CostRecord(
        game=game,
        phase=phase,
        checkpoint=checkpoint,
        index=index,
        replicate=replicate,
        step=step,
        requests=known.requests,
        tokens_in=outcome.prompt_tokens if estimated else outcome.tokens_in or 0,
        tokens_out=estimate(outcome.reply or "") if estimated else outcome.tokens_out or 0,
        tokens_cached=outcome.tokens_cached,
        estimated=estimated,
        seconds=round(outcome.seconds, 3),
        model=outcome.model,
        request_id=outcome.request_id,
        fingerprint=outcome.fingerprint,
    )
