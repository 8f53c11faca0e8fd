"""Results as one flat table: CSV, and Parquet where pyarrow is installed."""

from __future__ import annotations

import csv
import importlib
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from scoring.results import EntryRow, PairRow, PoolRow, Results, Row

if TYPE_CHECKING:
    import pandas as pd

_AnyRow = Row | EntryRow | PairRow | PoolRow
_TEXT = ("scope", "protocol", "pathway", "entry", "other", "game", "metric", "reason", "no_bounds")
_FLOATS = ("value", "low", "high")


class FlatRow(NamedTuple):
    """One number of the results; what does not apply is None."""

    scope: str
    """run, entry, pair or pool."""
    protocol: str
    pathway: str | None
    entry: str | None
    """Of a pair the entry under Summary Memory."""
    other: str | None
    """Of a pair the entry under History ICL, which is taken off."""
    game: str | None
    metric: str
    value: float | None
    n: int
    low: float | None
    high: float | None
    reason: str | None
    no_bounds: str | None


def flat_rows(results: Results) -> Iterator[FlatRow]:
    """Yield every number of the results: of runs, entries, pairs and pools, each in the order of the results."""
    for row in results.rows:
        yield _flat("run", row, row.pathway, row.entry, None, row.game)
    for entry in results.entry_rows:
        yield _flat("entry", entry, entry.pathway, entry.entry, None, None)
    for pair in results.pair_rows:
        yield _flat("pair", pair, None, pair.summary, pair.history, pair.game)
    for pool in results.pool_rows:
        yield _flat("pool", pool, pool.pathway, None, None, pool.game)


def to_csv(results: Results) -> str:
    """Return the rows as CSV; missing values are empty cells, and text that a spreadsheet would run is defused."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(FlatRow._fields)
    for row in flat_rows(results):
        writer.writerow([csv_cell(value) for value in row])
    return out.getvalue()


def to_frame(results: Results) -> pd.DataFrame:
    """Return the rows as a table with one column for each field of ``FlatRow``; missing values are null, never NaN."""
    import pandas as pd  # it takes longer to load than everything else that reads results

    frame = pd.DataFrame(list(flat_rows(results)), columns=list(FlatRow._fields))
    kinds = dict.fromkeys(_TEXT, "string") | dict.fromkeys(_FLOATS, "Float64") | {"n": "int64"}
    return frame.astype(kinds)


def to_parquet(results: Results) -> bytes:
    """Return the rows as a Parquet file.

    Raises:
        ValueError: If pyarrow is not installed.
    """
    check_parquet()
    data = to_frame(results).to_parquet(engine="pyarrow", index=False)
    assert isinstance(data, bytes)
    return data


def check_parquet() -> None:
    """Check that Parquet can be written.

    Raises:
        ValueError: If pyarrow is not installed.
    """
    try:
        importlib.import_module("pyarrow")
    except ImportError as error:
        raise ValueError(
            "Parquet: expected pyarrow, which is not installed; pip install 's3gym[parquet]', or take CSV"
        ) from error


def csv_cell(value: object) -> str:
    """Return a CSV cell: text that starts like a formula gets a leading apostrophe, None is empty."""
    if value is None:
        return ""
    text = str(value)
    return f"'{text}" if isinstance(value, str) and text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def _flat(
    scope: str, row: _AnyRow, pathway: str | None, entry: str | None, other: str | None, game: str | None
) -> FlatRow:
    """Return a row as a flat one; a pair's warning stands with its note."""
    notes = [row.reason, row.warning if isinstance(row, PairRow) else None]
    reason = "; ".join(note for note in notes if note) or None
    return FlatRow(
        scope, row.protocol, pathway, entry, other, game, row.metric, row.value, row.n, row.low, row.high, reason,
        row.no_bounds,
    )  # fmt: skip
