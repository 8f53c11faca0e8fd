"""What prompts and replies may hold: a protocol's budgets on an endpoint with a context of its own."""

from __future__ import annotations

from dataclasses import dataclass

from protocol.preset import Preset
from protocol.records import Endpoint

_ESTIMATE_PERCENT = 88
"""Share of an endpoint's context that prompts may fill: estimates may fall short of the real count by up to 13%."""
_OUTPUT_SHARE = 4


@dataclass(frozen=True, slots=True)
class Budgets:
    """What prompts and replies may hold on an endpoint."""

    input_tokens: int
    output_tokens: int


def budgets(preset: Preset, endpoint: Endpoint) -> Budgets:
    """Return min(preset, what the endpoint's context leaves).

    Raises:
        ValueError: If the context is too small to play in at all.
    """
    context = endpoint.context_tokens
    if context is None:
        return Budgets(preset.input_tokens, preset.output_tokens)
    output = min(preset.output_tokens, context // _OUTPUT_SHARE)
    room = (context - output) * _ESTIMATE_PERCENT // 100
    if room < 1000:
        raise ValueError(f"model: expected a context of at least 1,600 tokens, got {context}")
    return Budgets(min(preset.input_tokens, room), output)
