"""Learning curves that come with a foreign table: checkpoint means, or the strict scores that they are means of.

Three forms, told apart by their columns. ``ys``: one line a run, its means in one cell. ``mean``: one line a
checkpoint. ``score``: one line a strict episode. The files are untrusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from scoring.audit.printed import HALF, PrintedRow
from scoring.audit.sheet import MAX_TEXT, Line, Sheet, read_sheet
from scoring.published.tables import GAMES, PATHWAYS

FORMS = ("ys", "mean", "score")
FAILED = "-"
"""Stands for a failed checkpoint among means; in a cell of its own nothing may stand there as well."""

_DECIMAL = re.compile(r"-?(\d{1,6}(\.\d{1,9})?|\.\d{1,9})", re.ASCII)
_FRACTION = re.compile(r"-?\d{1,12}/[1-9]\d{0,11}", re.ASCII)
_PLACE = re.compile(r"\d{1,6}", re.ASCII)


class RunKey(NamedTuple):
    """Whose curve it is."""

    game: str
    model: str
    pathway: str
    """Empty where the file does not say."""


@dataclass(frozen=True, slots=True)
class GivenCurve:
    """The valid checkpoints of a run as a file gives them."""

    run: RunKey
    where: str
    """File and line."""
    xs: tuple[int, ...]
    ys: tuple[Fraction, ...]
    """Means as they stand, points."""
    blur: Fraction
    """A mean may be off by so much for the decimals it was written with; 0 for fractions and whole numbers."""
    repeated: bool
    """Whether x = 0 was played more than once."""


class _Score(NamedTuple):
    """A number of a curve."""

    value: Fraction
    decimals: int


def key_of(line: Line) -> RunKey:
    """Return whose line it is; games and pathways by their own or their published names."""
    game, model, pathway = (line.cells.get(column, "")[:MAX_TEXT] for column in ("game", "model", "pathway"))
    return RunKey(GAMES.get(game, game.lower()), model, PATHWAYS.get(pathway, pathway.lower()))


def parse_curves(text: str, name: str, xs: tuple[int, ...], episodes: int) -> tuple[GivenCurve, ...]:
    """Return the curves of a file of any of the three forms; a run whose cell is empty has none.

    Args:
        text: The file.
        name: What errors call it.
        xs: Checkpoints of a run, exploration episodes, 0 first.
        episodes: Strict episodes a checkpoint.

    Raises:
        ValueError: If a column, a checkpoint or an episode is missing or stands twice, or a cell is no number.
    """
    sheet = read_sheet(text, name, ("game", "model"), ("pathway", "x", "xs", *FORMS))
    forms = [form for form in FORMS if form in sheet.columns]
    # A table that brings its curves may have columns called mean or score of its own.
    forms = ["ys"] if "ys" in forms else forms
    if len(forms) != 1 or (forms != ["ys"] and "x" not in sheet.columns):
        raise ValueError(
            f"{name}, line 1: expected a column ys, or x and mean, or x and score, "
            f"got {','.join(sheet.columns)[:MAX_TEXT]!r}; give one line a run, a checkpoint or a strict episode"
        )
    found = _whole_runs(sheet, name, xs) if forms == ["ys"] else _by_checkpoint(sheet, name, xs, forms[0], episodes)
    curves = tuple(found)
    seen: dict[RunKey, str] = {}
    for curve in curves:
        if curve.run in seen:
            raise ValueError(
                f"{curve.where}: expected one curve a run, got a second of {curve.run.model[:MAX_TEXT]!r} in "
                f"{curve.run.game!r} beside {seen[curve.run]}; leave one out, or tell them apart by a column pathway"
            )
        seen[curve.run] = curve.where
    return curves


def _whole_runs(sheet: Sheet, name: str, xs: tuple[int, ...]) -> Iterator[GivenCurve]:
    for line in sheet.lines:
        where = f"{name}, line {line.number}"
        means = line.cells["ys"].split()
        if not means:
            continue
        places = [_place(text, f"{where}, xs", xs) for text in line.cells.get("xs", "").split()] or list(xs)
        if len(means) != len(places) or sorted(set(places)) != places:
            raise ValueError(
                f"{where}, ys: expected {len(places)} means for x = {_listed(places)}, rising, got {len(means)}; "
                f"write {FAILED} for a failed checkpoint, or name the valid ones in a column xs"
            )
        scores = [None if text == FAILED else _score(text, f"{where}, ys") for text in means]
        yield _curve(key_of(line), where, places, [[score] for score in scores], repeated=False)


def _by_checkpoint(sheet: Sheet, name: str, xs: tuple[int, ...], form: str, episodes: int) -> Iterator[GivenCurve]:
    """Gather the lines of each run; they may stand in any order."""
    runs: dict[RunKey, dict[int, list[_Score | None]]] = {}
    first: dict[RunKey, str] = {}
    for line in sheet.lines:
        run, where = key_of(line), f"{name}, line {line.number}"
        place, text = _place(line.cells["x"], f"{where}, x", xs), line.cells[form]
        first.setdefault(run, where)
        score = None if text in ("", FAILED) else _score(text, f"{where}, {form}")
        runs.setdefault(run, {}).setdefault(place, []).append(score)
    wanted = 1 if form == "mean" else episodes
    for run, scores in runs.items():
        for place in xs:
            count = len(scores.get(place, []))
            if count != wanted and not (form == "score" and place == 0 and count and count % wanted == 0):
                raise ValueError(
                    f"{first[run]}: expected {wanted} lines for x = {place} of {run.model!r} in {run.game!r}, "
                    f"got {count}; give every {'checkpoint' if form == 'mean' else 'strict episode'}, with an empty "
                    f"{form} where it failed{'' if form == 'mean' else ', and their number as --episodes'}"
                )
        repeated = len(scores[0]) > wanted
        yield _curve(run, first[run], list(xs), [scores[place] for place in xs], repeated=repeated)


def _curve(
    run: RunKey, where: str, places: Sequence[int], scores: Sequence[Sequence[_Score | None]], *, repeated: bool
) -> GivenCurve:
    """Return a curve; a checkpoint fails if one of its scores is missing, as in a run."""
    valid: list[tuple[int, list[_Score]]] = []
    for place, several in zip(places, scores, strict=True):
        known = [score for score in several if score is not None]
        if len(known) == len(several):
            valid.append((place, known))
    if len(valid) < 2 or valid[0][0] != 0:
        raise ValueError(
            f"{where}: expected x = 0 and a later checkpoint to be valid, got x = {_listed([x for x, _ in valid])}; "
            "without them there is no AUC+, so leave this run out"
        )
    decimals = max(score.decimals for _, several in valid for score in several)
    means = tuple(sum((score.value for score in several), Fraction(0)) / len(several) for _, several in valid)
    blur = HALF / 10**decimals if decimals else Fraction(0)
    return GivenCurve(run, where, tuple(x for x, _ in valid), means, blur, repeated)


def _score(text: str, where: str) -> _Score:
    if _FRACTION.fullmatch(text):
        return _Score(Fraction(text), 0)
    if not _DECIMAL.fullmatch(text):
        raise ValueError(
            f"{where}: expected a number such as 0.6667 or 2/3, got {text[:MAX_TEXT]!r}; write it without exponent"
        )
    exponent = Decimal(text).as_tuple().exponent
    assert isinstance(exponent, int), "a matched decimal is finite"
    return _Score(Fraction(text), -exponent)


def _place(text: str, where: str, xs: tuple[int, ...]) -> int:
    if not _PLACE.fullmatch(text) or int(text) not in xs:
        raise ValueError(
            f"{where}: expected one of {_listed(xs)}, got {text[:MAX_TEXT]!r}; "
            "correct it, or say with --checkpoints and --every where checkpoints stand"
        )
    return int(text)


def _listed(places: Sequence[int]) -> str:
    return ", ".join(map(str, places)) or "none"


def matched(rows: Sequence[PrintedRow], curves: Sequence[GivenCurve]) -> tuple[GivenCurve | None, ...]:
    """Return the curve of each row, None where there is none.

    Raises:
        ValueError: If a curve belongs to no row or to several, or a row has several.
    """
    by_run: dict[tuple[str, str], list[int]] = {}
    for place, curve in enumerate(curves):
        by_run.setdefault((curve.run.game, curve.run.model), []).append(place)
    uses: dict[int, int] = {}
    found: list[GivenCurve | None] = []
    for row in rows:
        fitting = [
            place
            for place in by_run.get((row.game, row.model), [])
            if not row.pathway or curves[place].run.pathway in ("", row.pathway)
        ]
        if len(fitting) > 1 or any(place in uses for place in fitting):
            other = f"{len(fitting)} curves" if len(fitting) > 1 else f"one that the row in line {uses[fitting[0]]} has"
            raise ValueError(
                f"{curves[fitting[-1]].where}: expected one curve for the row of {row.model!r} in {row.game!r} "
                f"(line {row.line} of the table), got {other}; tell runs apart by a column pathway in both files"
            )
        uses.update(dict.fromkeys(fitting, row.line))
        found.append(curves[fitting[0]] if fitting else None)
    for place, curve in enumerate(curves):
        if place not in uses:
            raise ValueError(
                f"{curve.where}: expected a row of the table for {curve.run.model!r} in {curve.run.game!r}, got none; "
                "spell game, model and pathway as the table does"
            )
    return tuple(found)
