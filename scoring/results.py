"""Results: what was measured, as rows; every page, table and file is made from these."""

from __future__ import annotations

import json
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator

from protocol.comparable import Conditions
from protocol.context import Pathway
from protocol.records import Decoding, Digest, Endpoint, Totals
from protocol.strictjson import Several
from scoring.metric_terms import EntryMetric, PairMetric, PoolMetric, RunMetric

SCHEMA = "s3gym-results-1"

RANKED_METRICS: tuple[RunMetric, ...] = ("avg", "max", "auc_plus")


RunKey = tuple[str, str]
"""Entry, game."""


class _Frozen(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        allow_inf_nan=False,
        use_attribute_docstrings=True,
        json_schema_serialization_defaults_required=True,
    )


class _Number(_Frozen):
    """One number, or the reason why there is none; what it belongs to comes first, from the second base of each row."""

    value: float | None
    n: int
    """What the value rests on: checkpoints, steps, blocks, games, runs or pairs, as the metric's term says."""
    low: float | None
    """Lower bound, of the kind that the metric's term names."""
    high: float | None
    """Upper bound."""
    reason: str | None
    """Why there is no value (never 0, never NaN), or a note on the value."""
    no_bounds: str | None
    """Why there are no bounds where the metric could have some."""

    @model_validator(mode="after")
    def _no_value_has_a_reason(self) -> Self:
        if self.value is None and not self.reason:
            raise ValueError(f"{self!r}: a missing value needs a reason")
        if self.value is None and not self.low is self.high is None:
            raise ValueError(f"{self!r}: a missing value has no bounds")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"{self!r}: expected low <= high")
        return self


class _RowPlace(_Frozen):
    entry: str
    protocol: str
    pathway: Pathway
    game: str
    metric: RunMetric


class Row(_Number, _RowPlace):
    """One metric of one run."""


class _EntryRowPlace(_Frozen):
    entry: str
    protocol: str
    pathway: Pathway
    metric: EntryMetric


class EntryRow(_Number, _EntryRowPlace):
    """One metric of one entry over its games; never a mean of scores."""


class _PairRowPlace(_Frozen):
    summary: str
    """The entry under Summary Memory."""
    history: str
    """The entry under History ICL."""
    protocol: str
    game: str
    metric: PairMetric
    warning: str | None
    """Why the pair may not be one: the two differ where nothing was carried yet."""


class PairRow(_Number, _PairRowPlace):
    """One metric of Summary Memory minus History ICL, of one model and game."""


class _PoolRowPlace(_Frozen):
    protocol: str
    pathway: Pathway | None
    """None: both."""
    game: str | None
    """None: all games."""
    metric: PoolMetric


class PoolRow(_Number, _PoolRowPlace):
    """One metric over the ranked runs of a protocol."""


class CurvePoint(_Frozen):
    """One checkpoint of one run."""

    entry: str
    game: str
    checkpoint: int
    """x: exploration episodes played before it."""
    mean: float | None
    """y(x); None if the checkpoint failed."""
    scores: Several[float]
    """Scores of its valid strict episodes (at x = 0 of all repeats)."""
    failed: int
    delta: float | None
    """y(x) - y(0), points; None where one of the two failed."""
    low: float | None
    """Lower bound of the delta's 95% interval, conditional on this round's seeds; None where there is none."""
    high: float | None


class ExplorePoint(_Frozen):
    """One exploration episode of one run."""

    entry: str
    game: str
    index: int
    score: float | None
    """y; None if the episode failed."""


class BlockPoint(_Frozen):
    """The exploration between two neighbouring valid checkpoints of one run, where it was judged."""

    entry: str
    game: str
    checkpoint: int
    """x of the checkpoint after it."""
    agreement: float
    """A of its steps."""
    nmae: float
    """E of its steps."""
    rise: float
    """y at the checkpoint after it minus y at the one before, points; divided by the game's score range it is g."""


class CalibrationBin(_Frozen):
    """Exploration steps of one run whose self-scores lie in one tenth of the game's judging range."""

    entry: str
    game: str
    place: int
    """0 to 9; what lies outside the range is in the first or the last."""
    steps: int
    self_score: float
    """Mean s', scaled by the judging range and clipped to 0..1."""
    reward: float
    """Mean r', scaled in the same way."""


class RunResult(_Frozen):
    """How a run went, and whether it is ranked."""

    game: str
    rules_version: int
    ranked: bool
    reason: str | None
    """Why it is not ranked."""
    marks: Several[str]
    """Remarks on the row, such as "episode window" or "2 failed checkpoints"."""
    steps: int
    unreadable: int
    truncated: int
    empty: int
    filtered: int
    cut_off: int
    """Replies that ended at the token limit, answered or not; `truncated` are those without an answer."""
    second_answers: int
    """Replies with another answer line above the one that was played."""
    missing_scores: int
    failed_explorations: int
    failed_checkpoints: int
    improved: bool | None
    """AUC+ > 0, the naive count; None where there is no AUC+."""
    beyond_noise: bool | None
    """AUC+ > 0 and an adjusted p-value of at most 0.05; None where that cannot be told.

    One of the two is missing, or there are so few checkpoints that no order of them gives such a p-value.
    """
    never_recovered: bool | None
    """Whether every later checkpoint lies below y(0); None where there is no baseline or no later checkpoint."""
    totals: Totals
    """What the run took."""


class EntryResult(_Frozen):
    """One verified entry."""

    entry: str
    team: str
    model: str
    pathway: Pathway
    protocol: str
    protocol_digest: Digest
    protocol_title: str
    rankable: bool
    released: bool
    """Whether the protocol ships with the scorer; else it is somebody's own, known by its digest."""
    bundle_digest: str
    keyid: str
    endpoint: Endpoint
    decoding: Decoding
    input_budget: int
    output_budget: int
    deviations: Several[str]
    totals: Totals
    runs: Several[RunResult]
    outside_main_table: str | None
    """Why the entry stands outside the main table; None if it holds all games of its protocol, ranked."""

    @property
    def conditions(self) -> Conditions:
        """Return under which conditions it was played."""
        return Conditions(
            self.protocol,
            self.protocol_digest,
            self.input_budget,
            self.output_budget,
            self.decoding,
            self.endpoint.kind,
            self.deviations,
        )


class Rank(_Frozen):
    """The place of a run among the runs of one game, pathway, protocol and rules version."""

    protocol: str
    pathway: Pathway
    game: str
    rules_version: int
    metric: RunMetric
    entry: str
    rank: int | None
    """Competition ranking: ties share the better rank."""
    n: int
    """Ranked runs in this table."""
    reason: str | None
    """Why there is no rank."""
    behind: float | None
    """The first of the table minus this run: of Avg by Avg, of AUC+ by net area, over the checkpoints of both."""
    behind_low: float | None
    """Lower bound of its 95% interval, conditional on this round's seeds."""
    behind_high: float | None
    separable: bool | None
    """Whether the first is ahead beyond that interval; False for the first itself; None where that is not told."""
    behind_reason: str | None
    """Why there is no difference, or no interval of it."""


class Results(_Frozen):
    """Everything that the scorer says."""

    schema_id: str = SCHEMA
    scorer: str
    """Version of the scorer; results of different scorers never share a table."""
    entries: Several[EntryResult]
    rows: Several[Row]
    entry_rows: Several[EntryRow]
    pair_rows: Several[PairRow]
    pool_rows: Several[PoolRow]
    curves: Several[CurvePoint]
    explorations: Several[ExplorePoint]
    blocks: Several[BlockPoint]
    calibration: Several[CalibrationBin]
    ranks: Several[Rank]

    def to_json(self) -> str:
        """Return strict JSON (no NaN), the same bytes for the same results."""
        return self.model_dump_json(indent=1) + "\n"


def results_schema() -> str:
    """Return the JSON schema of the results, from the model that writes and reads them."""
    schema = Results.model_json_schema(mode="serialization")
    return json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}, indent=2) + "\n"
