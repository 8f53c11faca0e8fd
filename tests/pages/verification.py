"""What is generated about verification: the schema of its report, and what each step refuses."""

from __future__ import annotations

import json

from scoring.report import Report
from scoring.verify import STEPS
from tests.bad_bundles.catalogue import CATALOGUE

HEAD = """\
# What verification refuses

Every fault below is a bundle that the test suite makes from a good one: changed in this one thing and, where the
signature is not itself at fault, signed again with a valid key. Each is refused by its step alone: every earlier step
passes, every later one is not run. A test follows every line of the code that can name a fault and fails if no bundle
here reaches it.

`python -m tests.bad_bundles FOLDER` writes them, to look at or to try another verifier on.
"""


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
    return "\n".join(parts)


def _cell(text: str) -> str:
    for sign in "\\*_<>[]|`":
        text = text.replace(sign, f"\\{sign}")
    return text
