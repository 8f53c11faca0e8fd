"""The published numbers: whole, as printed, and with the facts that follow from them."""

from collections.abc import Callable
from decimal import Decimal

import pytest

from protocol.context import Pathway
from scoring.published.derived import metric_of, model_facts
from scoring.published.tables import (
    FILES,
    MODELS,
    core16_table,
    coupling_table,
    judging_table,
    main_table,
    pairs_table,
    parse_core16,
    parse_coupling,
    parse_judging,
    parse_main,
    parse_pairs,
    parse_training,
    printed,
    published_bytes,
    training_table,
)

GAMES = {"chess", "minesweeper", "nullify", "tetris", "snake", "pvz", "trust"}
PARSERS: dict[str, Callable[[str], object]] = {
    "s3gym-main-table.csv": parse_main,
    "s3gym-self-judging.csv": parse_judging,
    "s3gym-block-coupling.csv": parse_coupling,
    "s3gym-summary-vs-history.csv": parse_pairs,
    "s3gym-training.csv": parse_training,
    "evopolicygym-core16.csv": parse_core16,
}


def text(name: str) -> str:
    return published_bytes(name).decode()


def test_every_table_has_its_rows() -> None:
    assert 3 * len(main_table()) == 294
    assert {row.game for row in main_table()} == GAMES
    assert {row.game for row in judging_table()} == {row.game for row in pairs_table()} == GAMES
    assert {row.game for row in training_table()} == GAMES
    assert {row.game for row in coupling_table()} == GAMES | {None}
    assert len(core16_table()) == 16
    assert {len(row.scores) for row in core16_table()} == {5}


def test_every_number_keeps_the_digits_it_was_printed_with() -> None:
    lines = text("s3gym-main-table.csv").splitlines()[1:]
    for line, row in zip(lines, main_table(), strict=True):
        assert line.split(",")[3:] == [printed(number) for number in (row.avg, row.max, row.auc_plus)]
    assert printed(Decimal("0.000")) == "0.000"


@pytest.mark.parametrize(
    ("pathway", "counts"), [("history", [6, 6, 4, 5, 4, 7, 7]), ("summary", [6, 5, 7, 6, 6, 6, 6])]
)
def test_games_with_a_gain_by_model(pathway: Pathway, counts: list[int]) -> None:
    facts = model_facts(main_table(), pathway)
    assert [fact.model for fact in facts] == list(MODELS)
    assert [fact.games_improved for fact in facts] == counts


@pytest.mark.parametrize(
    ("pathway", "place", "means"),
    [
        ("history", 2, [4.714, 3.429, 4.714, 4.286, 3.571, 2.429, 2.571]),
        ("summary", 2, [5.286, 4.429, 4.286, 3.143, 4.429, 2.286, 3.286]),
        ("history", 0, [6.143, 5.714, 3.571, 5.000, 3.000, 2.143, 1.571]),
        ("summary", 0, [6.143, 5.429, 4.429, 4.429, 3.857, 1.857, 1.857]),
    ],
)
def test_mean_ranks_within_a_game_by_model(pathway: Pathway, place: int, means: list[float]) -> None:
    facts = model_facts(main_table(), pathway)
    assert [round(float(fact.mean_ranks[place]), 3) for fact in facts] == means


def test_the_contradiction_that_is_kept_as_a_quotation() -> None:
    """GPT-4o in Snake: Table 4 gives History ICL an AUC+ of 0, so a Delta-NABA of -22.00 cannot follow."""
    row = next(row for row in main_table() if (row.pathway, row.game, row.model) == ("history", "snake", "GPT-4o"))
    assert metric_of(row, "auc_plus") == 0


def test_training_says_nothing_where_nothing_was_published() -> None:
    rows = {row.game: row for row in training_table()}
    assert (rows["trust"].avg, rows["trust"].max, rows["trust"].auc_plus) == (
        Decimal("8.684"),
        Decimal(30),
        Decimal("163.5"),
    )
    assert rows["snake"].avg is None
    assert (rows["pvz"].y0, rows["pvz"].avg) == (Decimal(23), Decimal(6))


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("fault", ["missing", "doubled", "cut", "widened", "no header", "empty"])
def test_a_missing_doubled_cut_or_widened_row_is_refused(name: str, fault: str) -> None:
    header, first, *rest = text(name).splitlines()
    bad = {
        "missing": [header, *rest],
        "doubled": [header, first, first, *rest],
        "cut": [header, first.rpartition(",")[0], *rest],
        "widened": [header, f"{first},1", *rest],
        "no header": [first, *rest],
        "empty": [],
    }
    with pytest.raises(ValueError, match="expected"):
        PARSERS[name]("\n".join(bad[fault]))


@pytest.mark.parametrize("number", ["NaN", "inf", "1e3", "", "0x1", "1,5", "--1", "+1", "٣", "01.5", " 1", "1.", ".5"])
def test_what_is_no_plain_decimal_is_refused(number: str) -> None:
    lines = text("s3gym-main-table.csv").splitlines()
    lines[5] = f"{lines[5].rpartition(',')[0]},{number}" if "," not in number else f"{lines[5]},{number}"
    with pytest.raises(ValueError, match=r"main-table\.csv, line 6: expected"):
        parse_main("\n".join(lines))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("s3gym-main-table.csv", "0.007,0.018,0.233", "0.019,0.018,0.233"),
        ("s3gym-main-table.csv", "GPT-4o,0.007", "GPT-4q,0.007"),
        ("s3gym-main-table.csv", "history_icl,Chess,GPT-4o", "history,Chess,GPT-4o"),
        ("s3gym-self-judging.csv", "0.496", "0.596"),
        ("s3gym-block-coupling.csv", "All,-0.010", "All,-1.010"),
        ("s3gym-summary-vs-history.csv", "Chess,7,3,3,1", "Chess,7,4,3,1"),
        ("s3gym-summary-vs-history.csv", "Chess,7,3,3,1", "Chess,7.5,3,3,1"),
        ("s3gym-training.csv", "Trust,0,", "Poker,0,"),
    ],
)
def test_a_number_that_cannot_be_is_refused(name: str, old: str, new: str) -> None:
    assert old in text(name)
    with pytest.raises(ValueError, match="expected"):
        PARSERS[name](text(name).replace(old, new, 1))
