"""What remains of a verified bundle once it is scored: all that results and pages need."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.report import Report
from scoring.results import BlockPoint, CalibrationBin, CurvePoint, EntryResult, ExplorePoint, Row

_MAKER = object()


@dataclass(frozen=True, slots=True)
class EntryNumbers:
    """The numbers of one entry whose bundle passed every verification step.

    Two make it: ``measure`` from a ``VerifiedBundle``, and ``Cache`` from what it kept of one.
    """

    entry: EntryResult
    rows: tuple[Row, ...]
    curves: tuple[CurvePoint, ...]
    explorations: tuple[ExplorePoint, ...]
    blocks: tuple[BlockPoint, ...]
    calibration: tuple[CalibrationBin, ...]
    report: Report
    maker: object

    def __post_init__(self) -> None:
        if self.maker is not _MAKER:
            raise AssertionError("EntryNumbers are made by scoring.score and scoring.cache only")
        if not self.report.accepted:
            raise AssertionError(f"{self.entry.entry}: numbers without an accepting report")


def seal() -> object:
    """Return what proves that the maker is one of the two; nothing else calls this."""
    return _MAKER
