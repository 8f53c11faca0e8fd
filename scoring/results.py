"""Results: what was measured, as rows; every page, table and file is made from these."""

from __future__ import annotations

import csv
import io
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, model_validator

from protocol.context import Pathway
from protocol.records import Decoding, Endpoint, Totals

SCHEMA = "s3gym-results-1"

Metric = Literal["y0", "avg", "max", "auc_plus", "final_delta", "avg_floor", "auc_plus_floor"]
"""``*_floor``: with failed checkpoints set to the run's worst, so that failing never pays; ranks use the lower."""

RANKED_METRICS: tuple[Metric, ...] = ("avg", "max", "auc_plus")


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)


class Row(_Frozen):
    """One metric of one run."""

    entry: str
    protocol: str
    pathway: Pathway
    game: str
    metric: Metric
    value: float | None
    n: int
    """Checkpoints that the value rests on."""
    low: float | None
    high: float | None
    reason: str | None
    """Why there is no value (never 0, never NaN), or a note on the value."""

    @model_validator(mode="after")
    def _no_value_has_a_reason(self) -> Self:
        if self.value is None and not self.reason:
            raise ValueError(f"{self.entry}/{self.game}/{self.metric}: a missing value needs a reason")
        return self


class CurvePoint(_Frozen):
    """One checkpoint of one run."""

    entry: str
    game: str
    checkpoint: int
    """x: exploration episodes played before it."""
    mean: float | None
    """y(x); None if the checkpoint failed."""
    scores: tuple[float, ...]
    """Scores of its valid strict episodes (at x = 0 of all repeats)."""
    failed: int


class ExplorePoint(_Frozen):
    """One exploration episode of one run."""

    entry: str
    game: str
    index: int
    score: float | None
    """y; None if the episode failed."""


class RunResult(_Frozen):
    """How a run went, and whether it is ranked."""

    game: str
    rules_version: int
    ranked: bool
    reason: str | None
    """Why it is not ranked."""
    marks: tuple[str, ...]
    """Remarks on the row, such as "episode window" or "2 failed checkpoints"."""
    steps: int
    unreadable: int
    truncated: int
    empty: int
    filtered: int
    missing_scores: int
    failed_explorations: int
    failed_checkpoints: int


class EntryResult(_Frozen):
    """One verified entry."""

    entry: str
    team: str
    model: str
    pathway: Pathway
    protocol: str
    protocol_title: str
    rankable: bool
    bundle_digest: str
    keyid: str
    endpoint: Endpoint
    decoding: Decoding
    input_budget: int
    output_budget: int
    deviations: tuple[str, ...]
    totals: Totals
    runs: tuple[RunResult, ...]
    outside_main_table: str | None
    """Why the entry stands outside the main table; None if it holds all games of its protocol, ranked."""


class Rank(_Frozen):
    """The place of a run among the runs of one game, pathway, protocol and rules version."""

    protocol: str
    pathway: Pathway
    game: str
    rules_version: int
    metric: Metric
    entry: str
    rank: int | None
    """Competition ranking: ties share the better rank."""
    n: int
    """Ranked runs in this table."""
    reason: str | None
    """Why there is no rank."""


class Results(_Frozen):
    """Everything that the scorer says."""

    schema_id: str = SCHEMA
    scorer: str
    """Version of the scorer; results of different scorers never share a table."""
    entries: tuple[EntryResult, ...]
    rows: tuple[Row, ...]
    curves: tuple[CurvePoint, ...]
    explorations: tuple[ExplorePoint, ...]
    ranks: tuple[Rank, ...]

    def to_json(self) -> str:
        """Return strict JSON (no NaN), the same bytes for the same results."""
        return self.model_dump_json(indent=1) + "\n"

    def rows_csv(self) -> str:
        """Return the rows as CSV; missing values are empty cells, and text that a spreadsheet would run is defused."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(Row.model_fields)
        for row in self.rows:
            writer.writerow([csv_cell(value) for _, value in row])
        return out.getvalue()


def csv_cell(value: object) -> str:
    """Return a CSV cell: text that starts like a formula gets a leading apostrophe, None is empty."""
    if value is None:
        return ""
    text = str(value)
    return f"'{text}" if isinstance(value, str) and text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
