"""The paper's quotations that do not follow from its own table, by the arithmetic of docs/explanation."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from scoring.audit.bounds import Case, area_bounds
from scoring.audit.printed import Span, span_of
from scoring.published.tables import MainRow, main_table, pairs_table

XS = tuple(range(0, 31, 3))


def pair(game: str, model: str) -> tuple[MainRow, MainRow]:
    """Return a model's rows, Summary Memory and History ICL."""
    rows = {row.pathway: row for row in main_table() if (row.game, row.model) == (game, model)}
    return rows["summary"], rows["history"]


def quotients(row: MainRow, highest: int, parts: int = 3) -> list[Span]:
    """Return what NABA can be over every baseline of whole parts up to a highest one."""
    area = span_of(row.auc_plus)
    bases = [Fraction(count, parts) for count in range(1, parts * highest + 1)]
    return [Span(max(Fraction(0), area.low) / base, area.high / base) for base in bases]


def can_differ_by(quoted: str, summary: list[Span], history: list[Span]) -> bool:
    wanted = span_of(Decimal(quoted))
    return any(s.low - h.high <= wanted.high and wanted.low <= s.high - h.low for s in summary for h in history)


def test_gpt_4o_in_snake_cannot_be_minus_22() -> None:
    summary, history = pair("snake", "GPT-4o")
    assert not can_differ_by("-22.00", quotients(summary, 64), quotients(history, 64))
    (snake,) = [row for row in pairs_table() if row.game == "snake"]
    won = [
        s.model
        for s in main_table()
        if s.pathway == "summary" and s.game == "snake" and pair("snake", s.model)[1].auc_plus == 0
    ]
    assert "GPT-4o" in won
    assert len(won) == snake.summary_wins == 3


def test_o3_mini_in_tetris_cannot_be_plus_14_42() -> None:
    summary, history = pair("tetris", "o3-mini")
    assert history.auc_plus == 0
    assert not can_differ_by("14.42", quotients(summary, 64), quotients(history, 64))


def test_gemini_3_5_flash_in_nullify_cannot_be_plus_8_50() -> None:
    summary, history = pair("nullify", "Gemini-3.5-Flash")
    assert not can_differ_by("8.50", quotients(summary, 1), quotients(history, 1))
    assert can_differ_by("7.96", quotients(summary, 1), quotients(history, 1))


def test_gpt_5_5_in_pvz_cannot_be_minus_2_56() -> None:
    summary, history = pair("pvz", "GPT-5.5")
    least = span_of(history.auc_plus).low / span_of(history.max).high + span_of(Decimal("-2.56")).low
    highest_base = span_of(summary.auc_plus).high / least
    assert highest_base < Fraction(375, 100)
    for failed in (None, *XS[1:]):
        xs = tuple(x for x in XS if x != failed)
        avg = span_of(summary.avg)
        total = Span(avg.low * len(xs), avg.high * len(xs))
        bounds = area_bounds(Case(Span(Fraction(0), highest_base), span_of(summary.max), total, Fraction(0)), xs)
        assert bounds is not None
        assert bounds.low > 700


def test_gemini_3_5_flash_in_chess_cannot_be_minus_33_27_on_steps_of_a_225th() -> None:
    summary, history = pair("chess", "Gemini-3.5-Flash")
    assert summary.auc_plus == 0
    # An AUC+ of at most 0.0005 and an Avg of 0.208 leave y(0) at least 0.2: below it the area is that of the Avg.
    low = area_bounds(
        Case(Span(Fraction(0), Fraction(1, 5)), span_of(summary.max), Span(*_total(summary)), Fraction(0)), XS
    )
    assert low is not None
    assert low.low > Fraction(5, 10_000)
    little = [Span(Fraction(0), Fraction(5, 10_000) / Fraction(1, 5))]
    assert not can_differ_by("-33.27", little, quotients(history, 1, 225))
    assert can_differ_by("-33.29", little, quotients(history, 1, 225))


def _total(row: MainRow) -> tuple[Fraction, Fraction]:
    avg = span_of(row.avg)
    return 11 * avg.low, 11 * avg.high


def test_gpt_5_5_in_trust_cannot_be_plus_66_89_on_steps_of_a_twelfth() -> None:
    summary, history = pair("trust", "GPT-5.5")
    assert [str(row.max) for row in (summary, history)] == ["17.000", "23.000"]
    assert not can_differ_by("66.89", quotients(summary, 17, 12), quotients(history, 23, 12))


def test_the_printed_maxima_lie_on_the_steps_that_are_taken_for_the_papers() -> None:
    for game, parts in (("chess", 225), ("trust", 12)):
        for row in main_table():
            if row.game == game:
                span = span_of(row.max)
                assert int(span.high * parts) >= span.low * parts
