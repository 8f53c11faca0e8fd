"""The rows of a table with their verdicts, as ``s3gym audit`` finds and shows them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter
from rich import box
from rich.table import Table

from s3gym.output import out, plain
from scoring.audit.curves import GivenCurve
from scoring.audit.grids import Grid
from scoring.audit.printed import PrintedRow
from scoring.audit.reproduction import reproduction
from scoring.audit.sheet import MAX_BYTES
from scoring.audit.verdict import Kind, Plan, Verdict, audit

STYLES: dict[Kind, str] = {
    "reproduced": "bold green",
    "not reproduced": "bold red",
    "feasible": "green",
    "impossible": "bold red",
    "undecided": "yellow",
}
CONTRADICTED: tuple[Kind, ...] = ("not reproduced", "impossible")


class AuditedRow(BaseModel):
    """One row of the table with its verdict."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    pathway: str
    """Empty where the table does not say."""
    game: str
    model: str
    avg: str
    max: str
    auc_plus: str
    verdict: Kind
    reason: str
    xs: tuple[int, ...]
    """Checkpoints of the curve that was given or found; empty if there is none."""
    ys: tuple[str, ...]
    """Its means, as fractions."""
    again: tuple[str, ...]
    """Avg, Max and AUC+ as they would be printed from a curve that was given; else empty."""

    @classmethod
    def of(cls, row: PrintedRow, verdict: Verdict) -> AuditedRow:
        """Return the entry of a row."""
        numbers = {"avg": str(row.avg), "max": str(row.max), "auc_plus": str(row.auc_plus)}
        ys = tuple(map(str, verdict.ys))
        return cls(
            pathway=row.pathway,
            game=row.game,
            model=row.model,
            **numbers,
            verdict=verdict.kind,
            reason=verdict.reason,
            xs=verdict.xs,
            ys=ys,
            again=verdict.again,
        )


ROWS: TypeAdapter[list[AuditedRow]] = TypeAdapter(list[AuditedRow])


def verdict_of(row: PrintedRow, curve: GivenCurve | None, steps: Grid | None, plan: Plan) -> Verdict:
    """Return the verdict on a row: by its curve where it has one, else by what an episode can score."""
    if curve is not None:
        return reproduction(row, curve, plan.digits, steps)
    assert steps is not None, "a row without a curve was checked to have a grid"
    return audit(row, steps, plan)


def read_table(path: Path) -> str:
    """Return the text of a file of bounded size."""
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"{path}: expected at most {MAX_BYTES:,} bytes; split the file")
    return path.read_text(encoding="utf-8-sig")


def show_audited(audited: list[AuditedRow]) -> None:
    """Print the rows with their verdicts."""
    listing = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("game", "model", "Avg", "Max", "AUC+", "verdict", "why"):
        listing.add_column(column, overflow="fold")
    for row in audited:
        cells = [plain(cell) for cell in (row.game, row.model, row.avg, row.max, row.auc_plus)]
        listing.add_row(*cells, f"[{STYLES[row.verdict]}]{row.verdict}[/]", plain(row.reason))
    console = out()
    console.print(listing)
    counts = Counter(row.verdict for row in audited)
    shown = [kind for kind in STYLES if counts[kind] or kind in ("feasible", "impossible", "undecided")]
    console.print(", ".join(f"{counts[kind]} {kind}" for kind in shown))
