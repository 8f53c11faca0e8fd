"""What a check found, fit to be shown: short, one line, without any secret."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from pydantic import BaseModel, ConfigDict

from runner.models.masking import Masker

Verdict = Literal["pass", "warn", "fail"]


class _Shown(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class Finding(_Shown):
    """One line of the report."""

    check: str
    verdict: Verdict
    found: str
    remedy: str | None = None
    """What to do about it; none where it passed."""


class Sample(_Shown):
    """A model's reply to the first step of an episode, read as a run reads it."""

    game: str
    action: str | None
    score: float | None
    legal: bool
    """Whether the game took the action."""
    kind: str
    """What kind of reply it is."""
    finish: str
    seconds: float
    tokens_out: int | None
    start: str
    """How the reply begins."""


class Report(_Shown):
    """All that was found."""

    schema_id: str = "s3gym-doctor-1"
    passed: bool
    """Whether nothing failed; warnings do not count."""
    findings: tuple[Finding, ...]
    samples: tuple[Sample, ...]
    requests: int
    """Completions that were asked for."""
    tokens_in: int
    tokens_out: int
    cost: float | None
    currency: str | None


class Notes:
    """Takes findings down: every text is masked and made printable here, and nowhere else.

    Args:
        secrets: What must never be shown.
        told: Called with every finding as it is made.
    """

    def __init__(self, secrets: tuple[str, ...], told: Callable[[Finding], None]) -> None:
        self._masker = Masker(secrets)
        self._told = told
        self.findings: list[Finding] = []
        self.samples: list[Sample] = []

    def passed(self, check: str, found: str) -> None:
        """Note what is as it should be."""
        self._note(check, "pass", found, None)

    def warn(self, check: str, found: str, remedy: str) -> None:
        """Note what may do harm."""
        self._note(check, "warn", found, remedy)

    def fail(self, check: str, found: str, remedy: str) -> None:
        """Note what a run cannot do with."""
        self._note(check, "fail", found, remedy)

    def sample(self, sample: Sample) -> None:
        """Keep a reply."""
        action = None if sample.action is None else self._masker.shown(sample.action)
        self.samples.append(sample.model_copy(update={"start": self._masker.shown(sample.start), "action": action}))

    @property
    def failed(self) -> bool:
        """Return whether anything failed."""
        return any(finding.verdict == "fail" for finding in self.findings)

    def _note(self, check: str, verdict: Verdict, found: str, remedy: str | None) -> None:
        remedy = None if remedy is None else self._masker.shown(remedy)
        finding = Finding(check=check, verdict=verdict, found=self._masker.shown(found), remedy=remedy)
        self.findings.append(finding)
        self._told(finding)
