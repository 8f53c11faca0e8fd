"""What makes a row comparable: decided here alone, for whoever plays, scores or shows an entry.

Before a run only what is declared is known, afterwards its records are too. The words are the same ones everywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from protocol.decoding import DEFAULT, decoding_differences
from protocol.outcomes import CHANNEL_FAULTS, ReplyKind
from protocol.preset import Preset, is_released
from protocol.records import CheckpointRecord, Decoding, Digest, Endpoint, Manifest


@dataclass(frozen=True, slots=True)
class Declared:
    """What an entry declares of how it is played, as far as a row hangs on it."""

    endpoint: Endpoint
    input_budget: int
    output_budget: int
    system_role: bool
    deviations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Played:
    """What the records of one game's run add."""

    steps: int
    kinds: Mapping[ReplyKind, int]
    checkpoints: tuple[CheckpointRecord, ...]
    failed_explorations: int
    windowed: bool
    """Whether an episode was too long for its prompt."""
    overflowed: bool
    """Whether a prompt was cut again for the server."""
    kept_memories: int
    """Summary calls that made no memory."""

    @property
    def failed_checkpoints(self) -> int:
        """Return how many checkpoints have no mean."""
        return sum(checkpoint.score is None for checkpoint in self.checkpoints)


class Comparability(NamedTuple):
    """Whether a row is ranked among those of its protocol, and what stands on it."""

    reason: str | None
    """Why it is not ranked; None if it is."""
    marks: tuple[str, ...]


def declared(manifest: Manifest) -> Declared:
    """Return what a manifest declares."""
    return Declared(
        manifest.endpoint,
        manifest.input_budget,
        manifest.output_budget,
        manifest.options.system_role,
        manifest.deviations,
    )


def comparability(preset: Preset, told: Declared, played: Played | None = None) -> Comparability:
    """Return whether a row is ranked, with the first reason why not, and its marks.

    Args:
        preset: The protocol.
        told: What is declared.
        played: What the records hold; None before there are any.
    """
    reasons = [*_declared_reasons(preset, told), *(() if played is None else _played_reasons(preset, played))]
    marks = [*(() if played is None else _played_marks(played)), *_declared_marks(preset, told)]
    return Comparability(
        next((reason for holds, reason in reasons if holds), None), tuple(mark for holds, mark in marks if holds)
    )


def outside(preset: Preset, games: Collection[str]) -> str | None:
    """Return why an entry with these games stands outside the main table, however its runs go; None if it may not."""
    missing = [game for game in preset.games if game not in games]
    if not preset.rankable:
        return _never(preset)
    if missing:
        return f"incomplete: {len(games)} of {len(preset.games)} games, without {', '.join(missing)}"
    return None


def decoding_deviations(preset: Preset, decoding: Decoding) -> tuple[str, ...]:
    """Return in which settings of the decoding an entry departs from what its protocol fixes."""
    fixed = preset.temperature
    if fixed is None or decoding.temperature == fixed:
        return ()
    sent = DEFAULT if decoding.temperature is None else f"{decoding.temperature:g}"
    return (f"temperature: the protocol fixes {fixed:g}, sent {sent}",)


def shown_the_state(endpoint: Endpoint) -> bool:
    """Return whether the player is the one that is shown the true state."""
    return endpoint.kind == "builtin" and endpoint.model == "oracle"


def whose(preset: Preset) -> str:
    """Return whose protocol it is, in few words."""
    return whose_words(preset.digest, released=is_released(preset))


def whose_words(digest: Digest, *, released: bool) -> str:
    """Return the same for a protocol of which no more is known."""
    return "released with s3gym" if released else f"not released with s3gym, a protocol of its own: {digest[:12]}"


class Conditions(NamedTuple):
    """What two entries must share so that nothing but what is compared differs between them."""

    protocol: str
    protocol_digest: str
    input_budget: int
    output_budget: int
    decoding: Decoding
    endpoint: str
    """Its kind."""
    deviations: tuple[str, ...]


def unequal(one: Conditions, other: Conditions) -> tuple[str, ...]:
    """Return what differs between the conditions of two entries; without any they ran under equal ones."""
    sides = (
        ("protocol", one.protocol, other.protocol),
        ("protocol digest", one.protocol_digest[:12], other.protocol_digest[:12]),
        ("input budget", one.input_budget, other.input_budget),
        ("output budget", one.output_budget, other.output_budget),
        *decoding_differences(one.decoding, other.decoding),
        ("kind of endpoint", one.endpoint, other.endpoint),
    )
    return tuple(f"{what}: {mine} and {theirs}" for what, mine, theirs in sides if mine != theirs)


def _never(preset: Preset) -> str:
    return f"protocol {preset.id} is never ranked"


def _declared_reasons(preset: Preset, told: Declared) -> tuple[tuple[bool, str], ...]:
    return (
        (not preset.rankable, _never(preset)),
        (shown_the_state(told.endpoint), "it was shown the true state"),
        (bool(told.deviations), f"it departs from the protocol: {'; '.join(told.deviations)}"),
    )


def _played_reasons(preset: Preset, played: Played) -> tuple[tuple[bool, str], ...]:
    first, last = played.checkpoints[0], played.checkpoints[-1]
    limits, failed, explorations = preset.limits, played.failed_checkpoints, played.failed_explorations
    faults = sum(played.kinds[kind] for kind in CHANNEL_FAULTS)
    unreliable = faults * 100 > limits.unreliable_percent * played.steps
    return (
        (first.score is None, "the x = 0 checkpoint failed, so there is no baseline"),
        (last.score is None, f"the last checkpoint (x = {last.checkpoint}) failed"),
        (failed > limits.failed_checkpoints, f"{failed} failed checkpoints"),
        (explorations > limits.failed_explorations, f"{explorations} failed explorations"),
        (played.steps == 0, "it holds no step"),
        (
            unreliable,
            f"unreliable channel: {faults} of {played.steps} replies are truncated, empty or filtered",
        ),
    )


def _played_marks(played: Played) -> tuple[tuple[bool, str], ...]:
    failed, explorations, kept = played.failed_checkpoints, played.failed_explorations, played.kept_memories
    return (
        (played.windowed, "episode window"),
        (played.overflowed, "cut again after a server overflow"),
        (failed > 0, f"failed checkpoints: {failed}"),
        (explorations > 0, f"failed explorations: {explorations}"),
        (kept > 0, f"summary calls that made no memory: {kept}"),
    )


def _declared_marks(preset: Preset, told: Declared) -> tuple[tuple[bool, str], ...]:
    return (
        (told.input_budget < preset.input_tokens, f"input budget {told.input_budget}"),
        (told.output_budget < preset.output_tokens, f"output budget {told.output_budget}"),
        (not told.system_role, "no system role"),
    )
