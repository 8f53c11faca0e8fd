"""The verdict on one printed row: feasible with a curve, impossible with the bound that it breaks, or undecided."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

import numpy as np

from games.rng import hashed
from scoring.audit.blend import candidates, spread
from scoring.audit.bounds import Case, area_bounds
from scoring.audit.grids import Grid, Levels
from scoring.audit.printed import PrintedRow, Span, span_of
from scoring.audit.witness import Found, Means, Target, Try, fitting, gives, is_small, nearest

Kind = Literal["reproduced", "not reproduced", "feasible", "impossible", "undecided"]
ROUNDS = (24, 48)
"""Baselines and middle values that are drawn for each pattern of failed checkpoints, round by round."""
RARELY = 3
"""So many times the effort for runs without a failed checkpoint goes to all patterns of failed ones together."""
TOPS = 6
CELLS = 400
"""Ranges of baselines that bounds are told for where a grid has more values."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found out about a row."""

    kind: Kind
    reason: str
    xs: tuple[int, ...] = ()
    """Checkpoints of the curve that was found or given, exploration episodes; a missing one failed."""
    ys: tuple[Fraction, ...] = ()
    """Its means, points."""
    again: tuple[str, ...] = ()
    """Avg, Max and AUC+ as they would be printed from a curve that was given."""


class Plan(NamedTuple):
    """Where a run's checkpoints stand, how many may have failed, and how their means were written down."""

    xs: tuple[int, ...]
    failures: int
    digits: int | None
    """Decimals that means may have been rounded to before anything was computed from them; None: not rounded."""

    def patterns(self) -> Iterator[tuple[int, ...]]:
        """Yield the checkpoints that may have been valid, fewest failures first; without x = 0 there is no AUC+."""
        for failed in range(min(self.failures, len(self.xs) - 2) + 1):
            for lost in itertools.combinations(self.xs[1:], failed):
                yield tuple(x for x in self.xs if x not in lost)


class _Question(NamedTuple):
    """A row with the numbers that its digits may stand for, means written down with few decimals included."""

    row: PrintedRow
    grid: Grid
    plan: Plan
    avg: Span
    top: Span
    area: Span

    def sums(self, count: int) -> range:
        """Return what so many checkpoints may add up to, steps."""
        low, high = max(self.avg.low, self.grid.low), min(self.avg.high, self.grid.high)
        return range(math.ceil(low * count / self.grid.step), math.floor(high * count / self.grid.step) + 1)


def _question(row: PrintedRow, grid: Grid, plan: Plan) -> _Question:
    blur = Fraction(0) if plan.digits is None else Fraction(1, 2) / 10**plan.digits
    # A height is a difference of two means, and AUC+ moves by at most the length times what the heights move by.
    spread = 2 * blur * (plan.xs[-1] - plan.xs[0])
    avg, top = span_of(row.avg).wider(blur), span_of(row.max).wider(blur)
    return _Question(row, grid, plan, avg, top, span_of(row.auc_plus).wider(spread))


def audit(row: PrintedRow, grid: Grid, plan: Plan, rounds: Sequence[int] = ROUNDS) -> Verdict:
    """Return whether a row's three numbers can belong to one curve.

    ``impossible`` is a proof; ``undecided`` says only that no curve was found.

    Args:
        row: What was printed.
        grid: Checkpoint means that the game can give.
        plan: Checkpoints of the run.
        rounds: How many curves to look for; (0,) leaves all to the bounds where not every curve can be tried.
    """
    asked = _question(row, grid, plan)
    flaw = _flaw(asked)
    if flaw:
        return Verdict("impossible", flaw)
    generator = random.Random(hashed("audit", row.game, row.model, str(row.avg), str(row.max), str(row.auc_plus)))
    cells: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    rare = sum(len(xs) < len(plan.xs) for xs in plan.patterns())
    looked = 0
    tried = False
    for number, tries in enumerate(rounds):
        # Bounds for runs with failed checkpoints wait until a run without has been looked for.
        for xs in list(cells) if number else plan.patterns():
            some = cells.get(xs) or _open_cells(asked, xs)
            effort = tries if len(xs) == len(plan.xs) else -(-tries * RARELY // max(1, rare))
            found = _search(asked, xs, some, effort, generator) if some else Found(None, whole=True)
            if found.ys is not None:
                return _feasible(plan, xs, found.ys)
            tried = tried or bool(some)
            looked += found.looked
            if found.whole:
                cells.pop(xs, None)
            else:
                cells[xs] = some
    if not tried:
        return Verdict("impossible", _broken(asked))
    if not cells:
        return Verdict("impossible", "no curve on the grid gives these digits: all were tried")
    return Verdict(
        "undecided", f"no bound is broken, and none of {looked:.2g} curves that were tried gives these digits"
    )


def _feasible(plan: Plan, xs: tuple[int, ...], ys: tuple[Fraction, ...]) -> Verdict:
    failed = [x for x in plan.xs if x not in xs]
    note = f", with x = {', '.join(map(str, failed))} failed" if failed else ""
    return Verdict("feasible", f"a curve on the grid gives these digits{note}", xs, ys)


def _flaw(asked: _Question) -> str | None:
    row, grid = asked.row, asked.grid
    if row.auc_plus < 0:
        return f"AUC+ {row.auc_plus} is below 0"
    if not grid.multiples(asked.top.low, asked.top.high):
        return f"Max {row.max} is no multiple of {grid.step} between {grid.low} and {grid.high}"
    if asked.avg.low > asked.top.high:
        return f"Avg {row.avg} is above Max {row.max}"
    if not any(asked.sums(len(xs)) for xs in asked.plan.patterns()):
        counts = " or ".join(map(str, dict.fromkeys(len(xs) for xs in asked.plan.patterns())))
        return f"Avg {row.avg} is no mean of {counts} multiples of {grid.step}"
    return None


def _open_cells(asked: _Question, xs: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return ranges of baselines, in steps, that no bound rules out."""
    return [cell for cell, bounds in _cells(asked, xs) if bounds and _meet(bounds, asked.area)]


def _cells(asked: _Question, xs: tuple[int, ...]) -> Iterator[tuple[tuple[int, int], Span | None]]:
    step, sums = asked.grid.step, asked.sums(len(xs))
    tops = asked.grid.multiples(asked.top.low, asked.top.high)
    if not sums or not tops:
        return
    top, total = Span(tops[0] * step, tops[-1] * step), Span(sums[0] * step, sums[-1] * step)
    baselines = asked.grid.multiples(asked.grid.low, asked.top.high)
    width = -(-len(baselines) // CELLS)
    for first in range(baselines.start, baselines.stop, width):
        cell = (first, min(first + width, baselines.stop) - 1)
        yield cell, area_bounds(Case(Span(cell[0] * step, cell[1] * step), top, total, asked.grid.low), xs)


def _meet(one: Span, other: Span) -> bool:
    return one.low <= other.high and other.low <= one.high


def _broken(asked: _Question) -> str:
    row, area = asked.row, asked.area
    found = [bounds for xs in asked.plan.patterns() for _, bounds in _cells(asked, xs) if bounds]
    if not found:
        return f"no curve has Avg {row.avg} and Max {row.max}"
    below = max((each.high for each in found if each.high < area.low), default=None)
    above = min((each.low for each in found if each.low > area.high), default=None)
    parts = [f"at most {float(below):.6g}"] if below is not None else []
    parts += [f"at least {float(above):.6g}"] if above is not None else []
    return f"Avg {row.avg} and Max {row.max} allow an AUC+ of {' or '.join(parts)}, not {row.auc_plus}"


def _search(
    asked: _Question, xs: tuple[int, ...], cells: list[tuple[int, int]], tries: int, generator: random.Random
) -> Found:
    """Return a curve over these checkpoints if one was found, or that there is none."""
    grid, sums = asked.grid, asked.sums(len(xs))
    limits = (float(asked.area.low / grid.step), float(asked.area.high / grid.step))
    printed = span_of(asked.row.auc_plus)
    tight = (float(printed.low / grid.step), float(printed.high / grid.step))
    means = Means(grid.step, asked.plan.digits)
    whole = not grid.shares
    looked = 0
    for top, levels in _tops(asked, sums, len(xs)):
        target = Target((sums[0], sums[-1]), limits, top)
        baselines = _within(levels, cells)
        small = is_small(levels, xs)
        if not small and tries:
            near = Target(target.sums, tight, top)
            for steps in candidates(xs, levels, near, baselines, tries, generator):
                if gives(asked.row, xs, steps, means):
                    return Found(tuple(each * means.step for each in steps), whole=False)
        mean = sums[0] / len(xs)
        for tried in _tries(baselines, levels, None if small else (tries, mean), generator):
            found = fitting(asked.row, xs, means, levels, target, tried, None if small else generator)
            if found.ys is not None:
                return found
            looked += found.looked
            whole = whole and found.whole
        whole = whole and small
    return Found(None, whole, looked)


def _within(levels: Levels, cells: list[tuple[int, int]]) -> list[int]:
    """Return the values that lie in one of some ranges, which stand in order and do not meet."""
    starts, ends = (np.array(side, dtype=np.int64) for side in zip(*cells, strict=True))
    place = np.searchsorted(starts, levels, side="right") - 1
    inside: list[int] = levels[(place >= 0) & (levels <= ends[place])].tolist()
    return inside


def _tops(asked: _Question, sums: range, count: int) -> Iterator[tuple[int, Levels]]:
    """Yield values that Max may have, with the values up to it, steps; a few drawn ones where there are many."""
    allowed = asked.grid.multiples(asked.top.low, asked.top.high)
    levels = asked.grid.levels(allowed[-1])
    tops = levels[(levels >= allowed[0]) & (levels <= allowed[-1])].tolist()
    if asked.grid.shares and tops:
        tops = spread(tops, TOPS)
    for top in tops:
        # What is left for the highest value when all others are the lowest bounds every value.
        most = sums[-1] - (count - 1) * int(levels[0])
        yield top, levels[(levels <= top) & (levels <= most)]


def _tries(
    baselines: list[int], levels: Levels, drawn: tuple[int, float] | None, generator: random.Random
) -> Iterator[Try]:
    """Yield all baselines and middle values, or so many drawn ones, the middle values about a mean level."""
    if drawn is None:
        yield from (Try(baseline, middle) for baseline in baselines for middle in levels.tolist())
        return
    tries, mean = drawn
    low, high = float(levels[0]), float(levels[-1])
    share = min(0.95, max(0.02, (mean - low) / max(1.0, high - low)))
    for number in range(tries if baselines else 0):
        # A run that starts at its best is common, and hit by chance only where there are few baselines.
        baseline = baselines[-1 if number % 4 == 0 else int(generator.random() * len(baselines))]
        raw = low + (high - low) * generator.random() ** (1 / share - 1)
        yield Try(baseline, int(nearest(levels, np.array([raw]))[0]))
