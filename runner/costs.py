"""What a reply took: the part of a run that differs between equal runs."""

from __future__ import annotations

from typing import Literal

from protocol.records import MAX_TAKEN, CostRecord, Phase
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
    """Return the cost of one step or summary call; where the endpoint reports no usage, estimates stand in.

    What no endpoint can have counted, more tokens than ``MAX_TAKEN`` or more from a cache than in the prompt, is as
    good as not reported.
    """
    outcome = known.outcome
    reported_in, reported_out = _possible(outcome.tokens_in, MAX_TAKEN), _possible(outcome.tokens_out, MAX_TAKEN)
    estimated = not reported_in or reported_out is None
    tokens_in = outcome.prompt_tokens if estimated else reported_in or 0
    return CostRecord(
        game=game,
        phase=phase,
        checkpoint=checkpoint,
        index=index,
        replicate=replicate,
        step=step,
        requests=known.requests,
        tokens_in=tokens_in,
        tokens_out=estimate(outcome.reply or "") if estimated else reported_out or 0,
        tokens_cached=_possible(outcome.tokens_cached, tokens_in),
        estimated=estimated,
        seconds=round(outcome.seconds, 3),
        model=outcome.model,
        request_id=outcome.request_id,
        fingerprint=outcome.fingerprint,
    )


def _possible(count: int | None, most: int) -> int | None:
    return None if count is None or count > most else count
