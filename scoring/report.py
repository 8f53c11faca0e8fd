"""What a verification says: every step as passed, failed or not run."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from protocol.strictjson import Several

_CONFIG = ConfigDict(
    frozen=True,
    strict=True,
    extra="forbid",
    use_attribute_docstrings=True,
    json_schema_serialization_defaults_required=True,
)


class Fault(BaseModel):
    """One fault: where, what was expected, what was got, and what to do."""

    model_config = _CONFIG

    code: str
    """The code of the verification step that found it."""
    file: str
    place: str | None = None
    """The episode, memory or field, in words; None if the whole file is meant."""
    step: int | None = None
    """The step in the episode, counted from 0."""
    expected: str
    got: str
    remedy: str

    def line(self) -> str:
        """Return the fault on one line."""
        where = self.file
        if self.place:
            where += f", {self.place}"
        if self.step is not None:
            where += f", step {self.step}"
        return f"{where}: expected {self.expected}, got {self.got}. {self.remedy}"


class CheckReport(BaseModel):
    """One verification step."""

    model_config = _CONFIG

    number: int
    code: str
    title: str
    status: Literal["passed", "failed", "not run"]
    detail: str
    """What was checked, with counts; or why it was not run."""
    faults: Several[Fault]


class Report(BaseModel):
    """A whole verification."""

    model_config = _CONFIG

    schema_id: Literal["s3gym-report-1"] = "s3gym-report-1"
    verdict: Literal["accepted", "refused"]
    scorer: str
    bundle_digest: str | None
    """SHA-256 of the envelope file; None if it could not be read."""
    entry: str | None
    team: str | None
    checks: Several[CheckReport]

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Return all faults."""
        return tuple(fault for check in self.checks for fault in check.faults)

    @property
    def accepted(self) -> bool:
        """Return whether the bundle was accepted: every step ran and passed."""
        return self.verdict == "accepted" and all(check.status == "passed" for check in self.checks)

    def to_json(self) -> str:
        """Return strict JSON."""
        return self.model_dump_json(indent=1) + "\n"
