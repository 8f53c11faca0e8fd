"""The stored results of the pinned round, one row a line, so that a changed number is one changed line."""

from __future__ import annotations

import difflib
import json
from pathlib import Path

from scoring.results import EntryResult, Results

STORED = Path(__file__).with_name("results.json")
UNSTABLE = "not kept"
"""What stands for what no two releases share: the version of the scorer, and digests that cover the runner's source."""


def written(results: Results) -> str:
    """Return the results as text, without what changes with every release."""
    stable = results.model_copy(update={"scorer": UNSTABLE, "entries": tuple(map(_stable, results.entries))})
    parts = [f" {json.dumps(name)}: {_value(value)}" for name, value in stable.model_dump(mode="json").items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _stable(entry: EntryResult) -> EntryResult:
    return entry.model_copy(update={"bundle_digest": UNSTABLE})


def _value(value: object) -> str:
    if not isinstance(value, list):
        return json.dumps(value)
    rows = ",\n".join(f"  {json.dumps(row)}" for row in value)
    return f"[\n{rows}\n ]" if rows else "[]"


def differences(results: Results) -> str:
    """Return how results differ from the stored ones, as a diff; empty if they do not."""
    stored = STORED.read_text(encoding="utf-8") if STORED.is_file() else ""
    lines = difflib.unified_diff(
        stored.splitlines(), written(results).splitlines(), "stored results", "results now", lineterm="", n=0
    )
    return "\n".join(lines)
