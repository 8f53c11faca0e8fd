"""Checks that a page prints what the stored runs give, and no number that nobody looked at."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.metric_runs import PRESET, RunName, judged_steps, stored
from scoring.measured import Measured
from scoring.metrics.curve import Curve
from scoring.metrics.judging import Judging, judging
from scoring.metrics.naba import naba

DOCS = Path(__file__).resolve().parents[2] / "docs"


class Page:
    """A page of the docs; every phrase that is checked is taken off, and no decimal may be left at the end."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._text = _plain((DOCS / "explanation" / name).read_text(encoding="utf-8"))
        self._left = self._text

    def says(self, *phrases: str) -> None:
        """Check that the page holds each phrase; line breaks do not count."""
        for phrase in map(_plain, phrases):
            assert phrase in self._text, f"{self._name}: expected to read {phrase!r}"
            self._left = self._left.replace(phrase, " … ")

    def has_no_other_decimals(self) -> None:
        """Check that every number with a decimal point was in a phrase."""
        left = re.findall(r".{0,30}\d\.\d+.{0,20}", self._left)
        assert left == [], f"{self._name}: numbers that no test computes"


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def curve_of(player: str, game: str, pathway: str = "history") -> Curve:
    """Return the stored curve of a run."""
    return stored().curves[RunName(player, pathway, game)]


def judging_of(player: str, game: str, pathway: str = "history") -> Judging:
    """Return the self-judging of a stored run."""
    return judging(judged_steps(stored(), RunName(player, pathway, game)), PRESET.games[game].judging_range)


def naba_of(curve: Curve) -> float:
    """Return the NABA of a curve that has one."""
    return value_of(naba(curve).result)


def value_of(measured: Measured) -> float:
    """Return the value of what has one."""
    assert measured.value is not None, measured.reason
    return measured.value
