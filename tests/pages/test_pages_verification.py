"""What the docs say of bundles and verification is what the code does."""

from __future__ import annotations

import json
import re
from pathlib import Path

from protocol import bundle, records, strictjson
from s3gym.output import ACCEPTED, COULD_NOT, REFUSED
from scoring.checks.step import MAX_FAULTS
from scoring.report import CheckReport, Fault, Report
from scoring.verify import STEPS
from tests.pages.verification import report_schema

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "reference" / "bundle.md").read_text(encoding="utf-8")


def test_the_table_of_steps_is_the_written_list() -> None:
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \| (.+) \|$", PAGE, re.MULTILINE)
    assert [(int(number), code) for number, code, _ in rows] == [(step.number, step.code) for step in STEPS]
    assert "nine numbered steps" in PAGE
    assert len(STEPS) == 9
    assert MAX_FAULTS == 10
    assert "up to ten faults" in PAGE


def test_the_limits_are_those_of_the_code() -> None:
    rows = dict(re.findall(r"^\| ([^|]+?) \| ([0-9,]+)(?: [A-Za-z]+)? \|$", PAGE, re.MULTILINE))
    said = {what: int(number.replace(",", "")) for what, number in rows.items()}
    assert said == {
        "files and folders": bundle.MAX_FILES,
        "the envelope": bundle.MAX_ENVELOPE >> 20,
        "the README": bundle.MAX_README >> 20,
        "a record file, compressed": bundle.MAX_FILE >> 20,
        "all files together, compressed": bundle.MAX_BUNDLE >> 20,
        "the content of a record file": bundle.MAX_CONTENT >> 20,
        "content for each compressed byte, from 32 MiB on": bundle.MAX_RATIO,
        "a line": bundle.MAX_LINE >> 20,
        "a reply in it; the runner takes a longer one for a fault": records.MAX_REPLY,
        "lines of a record file": bundle.MAX_LINES,
        "steps of an episode": records.MAX_STEPS,
        "a memory": records.MAX_REPLY,
        "a name that the endpoint reported": records.MAX_TOLD,
        "departures, or adaptations, that the manifest names": records.MAX_LABELS,
        "keys of an object": strictjson.MAX_KEYS,
        "texts, commas and brackets of a record": strictjson.MAX_PARTS,
    }
    assert bundle.MAX_RATIO_FROM == 32 << 20


def test_the_exit_codes_are_those_of_the_command() -> None:
    assert f"Exit code {ACCEPTED}: accepted; {REFUSED}: refused; {COULD_NOT}: it\ncould not be checked" in PAGE


def test_the_schema_names_every_field_and_every_status() -> None:
    schema = json.loads(report_schema())
    assert set(schema["properties"]) == set(Report.model_fields)
    assert set(schema["$defs"]["CheckReport"]["properties"]) == set(CheckReport.model_fields)
    assert set(schema["$defs"]["Fault"]["properties"]) == set(Fault.model_fields)
    assert schema["$defs"]["CheckReport"]["properties"]["status"]["enum"] == ["passed", "failed", "not run"]
    assert schema["properties"]["verdict"]["enum"] == ["accepted", "refused"]
    for kind in (schema, *schema["$defs"].values()):
        assert kind["additionalProperties"] is False
        assert set(kind["required"]) == set(kind["properties"])
