"""What a reply took: the part of a run that differs between equal runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from protocol.records import MAX_TAKEN, CostRecord, Phase
from protocol.tokens import estimate
from runner.desk import Known
from runner.journal import Outcome
from runner.models.model import Usage


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
    """Return the cost of one step or summary call: all that was counted of its requests, also where no reply was kept.

    Where the endpoint counted nothing of any of them, the estimate of the prompt and the reply stands in. What no
    endpoint can have counted, more tokens than ``MAX_TAKEN`` or more from a cache than in the prompt, is as good as not
    reported.
    """
    outcome = known.outcome
    kept = _counted(outcome)
    counted = [
        Usage(each.tokens_in, each.tokens_out, each.tokens_cached) for each in known.billed if not each.estimated
    ]
    estimated = kept is None and not counted
    if kept is None and (estimated or outcome.reply is not None):
        kept = Usage(outcome.prompt_tokens, estimate(outcome.reply or ""), outcome.tokens_cached)
    counted += [kept] if kept is not None else []
    tokens_in = _sum(each.tokens_in for each in counted)
    cached = [each.tokens_cached for each in counted if each.tokens_cached is not None]
    return CostRecord(
        game=game,
        phase=phase,
        checkpoint=checkpoint,
        index=index,
        replicate=replicate,
        step=step,
        requests=known.requests,
        tokens_in=tokens_in,
        tokens_out=_sum(each.tokens_out for each in counted),
        tokens_cached=_possible(_sum(cached), tokens_in) if cached else None,
        estimated=estimated,
        seconds=round(outcome.seconds, 3),
        model=outcome.model,
        request_id=outcome.request_id,
        fingerprint=outcome.fingerprint,
    )


def _counted(outcome: Outcome) -> Usage | None:
    """Return what was counted of the reply that is kept; None if it was not, in whole or in part."""
    tokens_in = _possible(outcome.tokens_in, MAX_TAKEN)
    # No token of an empty reply is as good as none told.
    told_out = outcome.tokens_out if outcome.reply or outcome.tokens_out else 0
    tokens_out = _possible(told_out, MAX_TAKEN)
    if not tokens_in or tokens_out is None:
        return None
    return Usage(tokens_in, tokens_out, _possible(outcome.tokens_cached, tokens_in))


def _sum(counts: Iterable[int | None]) -> int:
    return min(MAX_TAKEN, sum(count or 0 for count in counts))


def _possible(count: int | None, most: int) -> int | None:
    return None if count is None or count > most else count
