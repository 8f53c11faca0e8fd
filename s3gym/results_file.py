"""Results from a file: what ``s3gym score --json`` printed, checked as far as the rest relies on it."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

from pydantic import ValidationError

from protocol.names import check_name
from protocol.strictjson import field_name, is_crowded, shown
from scoring.metric_terms import RUN_METRICS
from scoring.results import SCHEMA, CurvePoint, Results

MAX_BYTES = 1 << 26
"""A hundred entries of seven games take about 10 MB."""
MAX_PARTS = 1 << 23
"""Texts, commas and brackets; the same entries take under two million."""
_MOST = 1e9
"""No game scores more, in points."""


def read_results(path: Path) -> Results:
    """Return the results that a file holds; whether they are true it cannot tell.

    Raises:
        ValueError: If there is none, or it holds no whole results.
    """
    if not path.is_file():
        raise ValueError(f"results: expected a file of s3gym score --json, found none at {path}")
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"{path}: expected at most {MAX_BYTES:,} bytes, got {path.stat().st_size:,}")
    try:
        data = path.read_bytes()
        if is_crowded(data, MAX_PARTS):
            raise ValueError(f"{path}: expected at most {MAX_PARTS:,} texts, commas and brackets, got more")
        results = Results.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = field_name(first["loc"]) or "the file"
        raise ValueError(f"{path}: expected results of s3gym score --json: {where}: {shown(first['msg'])}") from error
    if results.schema_id != SCHEMA:
        raise ValueError(f"{path}: expected {SCHEMA}, got {results.schema_id[:80]!r}")
    _check(results, str(path))
    return results


def _check(results: Results, place: str) -> None:
    """Check that names are names, and that every run has each metric once and its checkpoints in order."""
    rows = Counter((row.entry, row.game, row.metric) for row in results.rows)
    points: dict[tuple[str, str], list[CurvePoint]] = defaultdict(list)
    for point in results.curves:
        points[point.entry, point.game].append(point)
    runs = [(entry.entry, run.game) for entry in results.entries for run in entry.runs]
    if len(set(runs)) < len(runs):
        raise ValueError(f"{place}: expected each run once")
    for name in {name for run in runs for name in run}:
        try:
            check_name(name)
        except ValueError as error:
            raise ValueError(f"{place}: the name of an entry or a game: {error}") from error
    for entry, game in runs:
        where = f"{place}: {entry[:80]}, {game[:80]}"
        if any(rows[entry, game, metric] != 1 for metric in RUN_METRICS):
            raise ValueError(f"{where}: expected each metric once")
        curve = points[entry, game]
        xs = [point.checkpoint for point in curve]
        if not xs or xs[0] != 0 or any(one >= other for one, other in pairwise(xs)):
            raise ValueError(f"{where}: expected the checkpoints in order, x = 0 first")
        if any(point.mean is not None and abs(point.mean) > _MOST for point in curve):
            raise ValueError(f"{where}: expected scores within {_MOST:g} points")
