"""The records of a run, as they are written and read back; pydantic because they come from outside."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from games.base import End
from protocol.asking import BodyField, Effort, Header, SamplingSeed, Temperature, TopP
from protocol.context import Pathway, SummaryMode
from protocol.exact import MAX_EXACT
from protocol.extras import MAX_EXTRAS, check_names
from protocol.names import check_name
from protocol.record import Record
from protocol.strictjson import Several

MAX_STEPS = 64
"""Steps of an episode under any protocol."""
MAX_REPLY = 1_200_000
"""Bytes of one reply as a record holds it; the runner takes a longer one for a fault of the transport."""
Phase = Literal["explore", "strict"]
Finish = Literal["stop", "length", "content_filter", "refusal", "other"]
"""Why a completed reply ended, as the endpoint says it; ``refusal``: the model declined, in the field for it."""

Failure = Literal["transport", "context_overflow"]
"""Why an episode has no outcome; never the model's doing."""

MemoryFailure = Literal["transport", "timeout", "empty", "truncated", "filtered", "refused", "context_overflow"]
"""Why a summary call made no memory."""

CutReason = Literal["rule", "server_overflow"]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Name = Annotated[str, AfterValidator(check_name)]
"""A name that is also a safe file name on every system."""
Count = Annotated[int, Field(ge=0, le=MAX_EXACT)]
MAX_TAKEN = 10**9
"""Tokens, requests or seconds of one reply or summary call: the sum over all records of a bundle is still a count."""
Taken = Annotated[int, Field(ge=0, le=MAX_TAKEN)]
Seed = Annotated[str, Field(pattern=r"^(0|[1-9][0-9]{0,18})$")]
"""A seed in decimal: seeds have 63 bits, and many JSON readers keep only 53 of a number."""
Points = Annotated[float, Field(ge=-1e9, le=1e9, allow_inf_nan=False)]
Label = Annotated[str, Field(min_length=1, max_length=200)]
MAX_TOLD = 1_000
MAX_LABELS = 64
Told = Annotated[str, Field(max_length=MAX_TOLD)] | None
"""A name that the endpoint reported, cut by the runner."""
Labels = Annotated[Several[Label], Field(max_length=MAX_LABELS)]


class StepRecord(Record):
    """One reply and its transition."""

    reply: str
    action: str | None
    """The action as read; null if the reply could not be read."""
    score: float | None = Field(allow_inf_nan=False)
    """The self-score s; null if missing."""
    reward: Points
    """The verifier reward r as claimed; replay decides."""
    finish: Finish
    context: Digest
    """SHA-256 over the exact messages sent."""
    dropped_episodes: Count
    dropped_steps: Count
    window: Count
    cut: CutReason


class EpisodeRecord(Record):
    """One play of one seed."""

    game: Name
    phase: Phase
    checkpoint: Count | None
    """x, for strict episodes."""
    index: Count
    """The exploration episode i, or the place among the strict episodes of a checkpoint."""
    replicate: Count
    """Which repeat of the x = 0 checkpoint; 0 elsewhere."""
    seed: Seed
    start_digest: Digest
    layout_digest: Digest
    status: Literal["valid", "failed"]
    failure: Failure | None
    end: End | None
    score: Points | None
    """The episode score y as claimed; null if failed."""
    steps: Annotated[Several[StepRecord], Field(max_length=MAX_STEPS)]


class MemoryRecord(Record):
    """One summary call: memory[i], made from the first i exploration episodes."""

    game: Name
    index: Count
    status: Literal["made", "kept"]
    """``kept``: the call failed and the last good memory (or none) stays."""
    failure: MemoryFailure | None
    mode: SummaryMode
    sources: Several[Count]
    """The exploration episodes whose steps stand in the prompt."""
    context: Digest | None
    """SHA-256 over the exact messages sent; null if no prompt could be made."""
    dropped_episodes: Count
    dropped_steps: Count
    cut: CutReason
    reply: str | None
    finish: Finish | None
    memory: Annotated[str, Field(max_length=MAX_REPLY)] | None
    """The text carried on after this call; none has more characters than the longest reply has bytes."""


class CostRecord(Record):
    """What one step or summary call took; this is what differs between equal runs."""

    game: Name
    phase: Phase | Literal["summary"]
    checkpoint: Count | None
    index: Count
    replicate: Count
    step: Count
    requests: Taken
    """Requests sent for this reply, failed and repeated ones included."""
    tokens_in: Taken
    tokens_out: Taken
    tokens_cached: Taken | None
    """Those of ``tokens_in`` that came from the endpoint's cache."""
    estimated: bool
    """Whether the endpoint reported no usage and the estimate stands in for it."""
    seconds: Annotated[float, Field(ge=0, le=MAX_TAKEN, allow_inf_nan=False)]
    model: Told
    request_id: Told
    fingerprint: Told


class CheckpointRecord(Record):
    """A claimed checkpoint mean."""

    game: Name
    checkpoint: Count
    valid: Count
    """Strict episodes with an outcome."""
    score: Points | None
    """The mean of the episode scores; null if the checkpoint failed."""


class Endpoint(Record):
    """What is said of the model's endpoint: no secret and no host name."""

    kind: Literal["openai_chat", "openai_responses", "embedded", "builtin"]
    model: Label
    context_tokens: Count | None


class Decoding(Record):
    """How replies were asked for, as sent; null means the server's default."""

    temperature: Temperature | None
    top_p: TopP | None
    sampling_seed: SamplingSeed | None
    """The seed of the endpoint's sampling; the seeds of episodes are the protocol's and never sent."""
    reasoning_effort: Effort | None
    stream: bool
    extra_body: Annotated[Several[BodyField], Field(max_length=MAX_EXTRAS)]
    extra_headers: Annotated[Several[Header], Field(max_length=MAX_EXTRAS)]

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        check_names(each.name for each in self.extra_body)
        check_names(each.name for each in self.extra_headers)
        return self


class PathwayOptions(Record):
    """The pathway and its declared options."""

    pathway: Pathway
    summary_mode: SummaryMode
    system_role: bool


class Totals(Record):
    """What the whole entry took."""

    steps: Count
    requests: Count
    tokens_in: Count
    tokens_out: Count
    tokens_cached: Count | None
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)]


class GameRules(Record):
    """The rules version that a game was played under."""

    game: Name
    rules_version: Count


class Content(Record):
    """The digest of a file's uncompressed bytes, equal for equal runs."""

    name: str
    sha256: Digest


class FailureCount(Record):
    """How often a failure kind stands in the episodes of the entry."""

    kind: Failure
    episodes: Count


class Manifest(Record):
    """What an entry declares; the predicate of the signed statement."""

    entry: Name
    team: Name
    model: Label
    """The base model as claimed."""
    protocol: Name
    protocol_digest: Digest
    options: PathwayOptions
    games: Several[GameRules]
    input_budget: Count
    """min(preset, what the endpoint's context leaves), in estimated tokens."""
    output_budget: Count
    decoding: Decoding
    endpoint: Endpoint
    runner_version: Label
    runner_digest: Digest
    adaptations: Labels
    """How the form of requests was adapted to the endpoint; this changes nothing that is measured."""
    deviations: Labels
    """Every departure from the preset; a row with any is not comparable."""
    totals: Totals
    failures: Several[FailureCount]
    checkpoints: Several[CheckpointRecord]
    contents: Several[Content]
