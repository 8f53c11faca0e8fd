"""What is generated about verification: the schema of its report, and what each step refuses."""

from __future__ import annotations

import json

from scoring.confirming import STEPS as RERUN_STEPS
from scoring.report import Report
from scoring.verify import STEPS
from tests.bad_bundles.catalogue import CATALOGUE
from tests.scoring.bad_reruns import BAD as BAD_RERUNS

HEAD = """\
# What verification refuses

Every fault below is a bundle that the test suite makes from a good one: changed in this one thing and, where the
signature is not itself at fault, signed again with a valid key. Each is refused by its step alone: every earlier step
passes, every later one is not run. A test follows every line of the code that can name a fault and fails if no bundle
here reaches it.

`python -m tests.bad_bundles FOLDER` writes them, to look at or to try another verifier on.
"""

RERUNS = """\
## Re-runs

A re-run of the organisers is checked in steps of its own, whoever signed it, and refused in the same way: each fault
below by one step alone. `s3gym log verify` makes the steps up to 5, `s3gym site build` all of them.

| step | what must hold | faults |
| --- | --- | --- |"""


def report_schema() -> str:
    """Return the JSON schema of a report, from the model that writes and reads it."""
    schema = Report.model_json_schema(mode="serialization")
    return json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}, indent=2) + "\n"


def refusals_page() -> str:
    """Return the list of faults, step by step."""
    parts = [HEAD]
    for step in STEPS:
        bad = [each for each in CATALOGUE if each.step == step.code]
        rows = "\n".join(f"| `{each.name}` | {_cell(each.changed)} |" for each in bad)
        parts.append(f"## {step.number} {step.code}\n\n{step.title}: {len(bad)} faults.\n")
        parts.append(f"| fault | what is changed |\n| --- | --- |\n{rows}\n")
    return "\n".join([*parts, RERUNS, *_reruns(), ""])


def _reruns() -> list[str]:
    """Return a row for each check of a re-run, with the faults that it alone refuses."""
    return [
        f"| {step.number} `{step.code}` | {_cell(step.title)} | "
        + ", ".join(f"`{bad.name}`" for bad in BAD_RERUNS if bad.check == step.code)
        + " |"
        for step in RERUN_STEPS
    ]


def _cell(text: str) -> str:
    for sign in "\\*_<>[]|`":
        text = text.replace(sign, f"\\{sign}")
    return text
