"""Read the published tables; every number keeps the digits it was printed with."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib import resources
from typing import get_args

from protocol.context import Pathway

FILES = (
    "s3gym-main-table.csv",
    "s3gym-self-judging.csv",
    "s3gym-block-coupling.csv",
    "s3gym-summary-vs-history.csv",
    "s3gym-training.csv",
    "evopolicygym-core16.csv",
)

GAMES = {
    "Chess": "chess",
    "Minesweeper": "minesweeper",
    "Nullify": "nullify",
    "Tetris": "tetris",
    "Snake": "snake",
    "PvZ": "pvz",
    "TrustEvo": "trust",
    "Trust": "trust",
}
"""Published names of the games and ours; the main table says TrustEvo where the others say Trust."""

MODELS = ("GPT-4o", "GPT-4.1", "o3-mini", "Gemini-2.5-Flash", "Gemini-2.5-Pro", "GPT-5.5", "Gemini-3.5-Flash")
AGENTS = ("gpt_5_5_codex", "opus_4_7_claude_code", "minimax_m3_claude_code", "deepseek_v4_pro_claude_code", "random")
ALL_GAMES = "All"
MAIN_NUMBERS = 294

_NUMBER = re.compile(r"-?(0|[1-9]\d{0,5})(\.\d{1,6})?", re.ASCII)
PATHWAYS: dict[str, Pathway] = {"history_icl": "history", "summary_memory": "summary"}
_SUM_TOLERANCE = Decimal("0.0015")
"""Three shares, each rounded to three decimals, add up to 1 within this."""


@dataclass(frozen=True, slots=True)
class MainRow:
    """One model on one game under one pathway (Table 4)."""

    pathway: Pathway
    game: str
    model: str
    avg: Decimal
    max: Decimal
    auc_plus: Decimal


@dataclass(frozen=True, slots=True)
class JudgingRow:
    """Self-judging on one game."""

    game: str
    agreement: Decimal
    nmae: Decimal
    over_confidence: Decimal
    under_confidence: Decimal


@dataclass(frozen=True, slots=True)
class CouplingRow:
    """Coupling of judging quality and gain between neighbouring checkpoints."""

    game: str | None
    """None: all games pooled."""
    rho_agreement_gain: Decimal
    rho_neg_error_gain: Decimal
    gap_agreement: Decimal
    gap_error: Decimal


@dataclass(frozen=True, slots=True)
class PairRow:
    """Summary Memory against History ICL on one game (Table 7)."""

    game: str
    pairs: int
    summary_wins: int
    history_wins: int
    ties: int
    mean_delta_naba: Decimal


@dataclass(frozen=True, slots=True)
class TrainingRow:
    """Parameter training on one game; None where nothing was published."""

    game: str
    y0: Decimal
    avg: Decimal | None
    max: Decimal | None
    delta_final: Decimal | None
    auc_plus: Decimal | None
    note: str | None


@dataclass(frozen=True, slots=True)
class Core16Row:
    """One environment of EvoPolicyGym's Core16."""

    environment: str
    scores: tuple[Decimal, ...]
    """One for each of ``AGENTS``."""


def published_bytes(name: str) -> bytes:
    """Return a published file as it lies in this package."""
    assert name in FILES, name
    return (resources.files("scoring.published") / name).read_bytes()


def read_table(text: str, name: str, header: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the rows of a CSV text.

    Raises:
        ValueError: If the header is another, a row is too short or too long, or a row stands twice.
    """
    rows = [tuple(row) for row in csv.reader(text.splitlines(), strict=True)]
    if not rows or rows[0] != tuple(header):
        raise ValueError(
            f"{name}, line 1: expected the header {','.join(header)}, got {rows[0] if rows else 'nothing'}"
        )
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            raise ValueError(f"{name}, line {line}: expected {len(header)} cells, got {len(row)}")
    if len(set(rows)) != len(rows):
        raise ValueError(f"{name}: expected every row once, got one twice")
    return tuple(rows[1:])


def number(text: str, place: str) -> Decimal:
    """Return a printed number, its digits kept.

    Raises:
        ValueError: If it is not a plain decimal.
    """
    if not _NUMBER.fullmatch(text):
        raise ValueError(
            f"{place}: expected a plain decimal such as 0.333, got {text[:200]!r}; "
            "write it without a sign + and without an exponent"
        )
    return Decimal(text)


def _count(text: str, place: str) -> int:
    value = number(text, place)
    if value != int(value) or value < 0:
        raise ValueError(f"{place}: expected a count, got {text!r}")
    return int(value)


def _optional(text: str, place: str) -> Decimal | None:
    return number(text, place) if text else None


def _known(text: str, known: Sequence[str], place: str) -> str:
    if text not in known:
        raise ValueError(f"{place}: expected one of {', '.join(known)}, got {text!r}")
    return text


def _game(text: str, place: str) -> str:
    return GAMES[_known(text, tuple(GAMES), place)]


def _each_once(found: Sequence[object], wanted: Sequence[object], name: str) -> None:
    if sorted(map(str, found)) != sorted(map(str, wanted)):
        raise ValueError(f"{name}: expected each of {len(wanted)} rows once, got {len(found)} rows: {found}")


def _games() -> list[str]:
    return sorted(set(GAMES.values()))


def _text(name: str) -> str:
    return published_bytes(name).decode("ascii")


def parse_main(text: str, name: str = "s3gym-main-table.csv") -> tuple[MainRow, ...]:
    """Return the main table.

    Raises:
        ValueError: If it is not whole: 2 pathways x 7 games x 7 models x 3 numbers.
    """
    rows = []
    for line, cells in enumerate(read_table(text, name, ("pathway", "game", "model", "avg", "max", "auc_plus")), 2):
        place = f"{name}, line {line}"
        pathway, game, model, *numbers = cells
        avg, top, auc_plus = (number(cell, place) for cell in numbers)
        if not 0 <= avg <= top or auc_plus < 0:
            raise ValueError(f"{place}: expected 0 <= avg <= max and auc_plus >= 0, got {avg}, {top}, {auc_plus}")
        known = PATHWAYS[_known(pathway, tuple(PATHWAYS), place)]
        rows.append(MainRow(known, _game(game, place), _known(model, MODELS, place), avg, top, auc_plus))
    wanted = [(path, game, model) for path in get_args(Pathway) for game in _games() for model in MODELS]
    _each_once([(row.pathway, row.game, row.model) for row in rows], wanted, name)
    if (numbers_found := 3 * len(rows)) != MAIN_NUMBERS:
        raise ValueError(f"{name}: expected {MAIN_NUMBERS} numbers, got {numbers_found}")
    return tuple(rows)


def parse_judging(text: str, name: str = "s3gym-self-judging.csv") -> tuple[JudgingRow, ...]:
    """Return the self-judging table.

    Raises:
        ValueError: If a game is missing, or agreement, over- and under-confidence do not add up to 1.
    """
    rows = []
    header = ("game", "agreement", "nmae", "over_confidence", "under_confidence")
    for line, (game, *numbers) in enumerate(read_table(text, name, header), 2):
        place = f"{name}, line {line}"
        row = JudgingRow(_game(game, place), *(number(cell, place) for cell in numbers))
        total = row.agreement + row.over_confidence + row.under_confidence
        if abs(total - 1) > _SUM_TOLERANCE:
            raise ValueError(f"{place}: expected agreement + over + under = 1, got {total}")
        rows.append(row)
    _each_once([row.game for row in rows], _games(), name)
    return tuple(rows)


def parse_coupling(text: str, name: str = "s3gym-block-coupling.csv") -> tuple[CouplingRow, ...]:
    """Return the coupling table.

    Raises:
        ValueError: If a scope is missing or a number lies outside [-1, 1].
    """
    rows = []
    header = ("scope", "rho_agreement_gain", "rho_neg_error_gain", "gap_agreement", "gap_error")
    for line, (scope, *cells) in enumerate(read_table(text, name, header), 2):
        place = f"{name}, line {line}"
        numbers = [number(cell, place) for cell in cells]
        if any(abs(value) > 1 for value in numbers):
            raise ValueError(f"{place}: expected numbers in [-1, 1], got {cells}")
        rows.append(CouplingRow(None if scope == ALL_GAMES else _game(scope, place), *numbers))
    _each_once([row.game for row in rows], [None, *_games()], name)
    return tuple(rows)


def parse_pairs(text: str, name: str = "s3gym-summary-vs-history.csv") -> tuple[PairRow, ...]:
    """Return the comparison of the pathways.

    Raises:
        ValueError: If a game is missing, or wins and ties do not add up to the pairs.
    """
    rows = []
    header = ("game", "pairs", "summary_wins", "history_wins", "ties", "mean_delta_naba")
    for line, (game, *counts, delta) in enumerate(read_table(text, name, header), 2):
        place = f"{name}, line {line}"
        pairs, summary, history, ties = (_count(cell, place) for cell in counts)
        if summary + history + ties != pairs:
            raise ValueError(f"{place}: expected wins and ties to add up to {pairs}, got {summary + history + ties}")
        rows.append(PairRow(_game(game, place), pairs, summary, history, ties, number(delta, place)))
    _each_once([row.game for row in rows], _games(), name)
    return tuple(rows)


def parse_training(text: str, name: str = "s3gym-training.csv") -> tuple[TrainingRow, ...]:
    """Return the training table.

    Raises:
        ValueError: If a game is missing.
    """
    rows = []
    header = ("game", "y0", "avg_epochs_1_19", "max_epochs_1_19", "delta_final", "auc_plus", "note")
    for line, (game, y0, *cells, note) in enumerate(read_table(text, name, header), 2):
        place = f"{name}, line {line}"
        avg, top, delta, auc_plus = (_optional(cell, place) for cell in cells)
        rows.append(TrainingRow(_game(game, place), number(y0, place), avg, top, delta, auc_plus, note or None))
    _each_once([row.game for row in rows], _games(), name)
    return tuple(rows)


def parse_core16(text: str, name: str = "evopolicygym-core16.csv") -> tuple[Core16Row, ...]:
    """Return the Core16 scores.

    Raises:
        ValueError: If there are not 16 environments.
    """
    rows = []
    for line, (environment, *numbers) in enumerate(read_table(text, name, ("environment", *AGENTS)), 2):
        rows.append(Core16Row(environment, tuple(number(cell, f"{name}, line {line}") for cell in numbers)))
    if (found := len({row.environment for row in rows})) != 16 or len(rows) != 16:
        raise ValueError(f"{name}: expected 16 environments, got {found} in {len(rows)} rows")
    return tuple(rows)


@cache
def main_table() -> tuple[MainRow, ...]:
    """Return Table 4 of the paper."""
    return parse_main(_text("s3gym-main-table.csv"))


@cache
def judging_table() -> tuple[JudgingRow, ...]:
    """Return the paper's self-judging table."""
    return parse_judging(_text("s3gym-self-judging.csv"))


@cache
def coupling_table() -> tuple[CouplingRow, ...]:
    """Return the paper's coupling table."""
    return parse_coupling(_text("s3gym-block-coupling.csv"))


@cache
def pairs_table() -> tuple[PairRow, ...]:
    """Return Table 7 of the paper."""
    return parse_pairs(_text("s3gym-summary-vs-history.csv"))


@cache
def training_table() -> tuple[TrainingRow, ...]:
    """Return the paper's training results."""
    return parse_training(_text("s3gym-training.csv"))


@cache
def core16_table() -> tuple[Core16Row, ...]:
    """Return EvoPolicyGym's Core16 scores."""
    return parse_core16(_text("evopolicygym-core16.csv"))


def printed(value: Decimal) -> str:
    """Return a number as it was printed."""
    return format(value, "f")
