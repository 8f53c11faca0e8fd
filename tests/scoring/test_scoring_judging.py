"""Self-judging and its coupling with gain, worked by hand and by identities."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.measured import Measured
from scoring.metrics.coupling import (
    Block,
    ExploredEpisode,
    RunPoint,
    blocks,
    coupling,
    run_level,
    score_range,
)
from scoring.metrics.curve import Curve
from scoring.metrics.judging import JudgedStep, judging, quality

RANGE = (0.0, 4.0)
scores = st.none() | st.floats(allow_nan=False, allow_infinity=False)
steps_drawn = st.lists(st.builds(JudgedStep, scores, st.sampled_from([-1.0, 0.0, 0.5, 1.0, 4.0]), st.booleans()))


def step(s: float | None, r: float, *, ended: bool = False) -> JudgedStep:
    return JudgedStep(s, r, ended)


@given(
    st.lists(
        st.builds(
            JudgedStep,
            st.none() | st.sampled_from([0.0, -0.0, 1.0, -2.0, 0.5, 1e200]),
            st.sampled_from([0.0, 1.0, -1.0, 0.25]),
            st.booleans(),
        ),
        max_size=12,
    )
)
def test_the_quality_of_steps_is_that_of_all_their_judging(steps: list[JudgedStep]) -> None:
    whole, short = judging(steps, (-1.0, 3.0)), quality(steps, (-1.0, 3.0))
    if short is None:
        assert whole.agreement.value is None or whole.nmae.value is None
    else:
        assert (short.agreement, short.nmae) == (whole.agreement.value, whole.nmae.value)


def test_each_judging_metric_worked_by_hand() -> None:
    """Four judged steps: right, over, under, right; one without a score; one END, which is not counted."""
    found = judging([step(2, 1), step(1, 0), step(0, 4), step(-1, 0), step(None, 1), step(0, 0, ended=True)], RANGE)
    assert found.agreement.value == 0.5
    assert found.over.value == found.under.value == 0.25
    assert found.self_rate.value == found.reward_rate.value == 0.5
    assert found.always_zero.value == 0.5
    assert found.mae.value == (1 + 1 + 4 + 1) / 4
    assert found.bias.value == (1 + 1 - 4 - 1) / 4
    assert found.nmae.value == (0.25 + 0.25 + 1 + 0) / 4
    assert found.missing_share.value == 0.2
    assert (found.agreement.n, found.missing_share.n) == (4, 5)


@given(steps_drawn)
def test_the_shares_of_self_judging_add_up(steps: list[JudgedStep]) -> None:
    found = judging(steps, RANGE)
    parts = [found.agreement, found.over, found.under, found.self_rate, found.reward_rate]
    known = [each.value for each in parts if each.value is not None]
    if not known:
        assert all(each.reason for each in parts)
        return
    agreement, over, under, self_rate, reward_rate = known
    assert agreement + over + under == pytest.approx(1)
    assert self_rate - reward_rate == pytest.approx(over - under)
    assert found.always_zero.value == pytest.approx(1 - reward_rate)


@given(steps_drawn)
def test_no_judging_number_is_nan_or_infinite_whatever_the_self_scores(steps: list[JudgedStep]) -> None:
    found = judging(steps, RANGE)
    for name in found.__slots__:
        number = getattr(found, name)
        assert isinstance(number, Measured)
        assert number.value is None or math.isfinite(number.value)
        json.dumps(number.value, allow_nan=False)
    assert found.nmae.value is None or 0 <= found.nmae.value <= 1


def test_MT_13_an_agent_that_never_scores_or_judges_is_missing_not_perfect() -> None:
    for steps in ([], [step(None, 0.0)], [step(0.0, 0.0, ended=True)] * 5):
        assert judging(steps, RANGE).agreement.value is None


def test_MT_13_always_zero_earns_no_more_than_the_base_rate_that_stands_beside_it() -> None:
    found = judging([step(0, 0)] * 9 + [step(0, 1)], RANGE)
    assert found.agreement.value == found.always_zero.value == 0.9


def test_MT_08_an_empty_judging_range_gives_a_reason() -> None:
    found = judging([step(1, 1)], (1.0, 1.0))
    assert found.nmae.value is None
    assert "range" in (found.nmae.reason or "")


def test_self_scores_beyond_the_range_are_clipped() -> None:
    assert judging([step(1e300, 4)], RANGE).nmae.value == 0
    assert judging([step(-1e300, 4)], RANGE).nmae.value == 1


def run_of(gains: list[float], agreement: list[bool]) -> tuple[Block, ...]:
    ys = [0.0]
    for gain in gains:
        ys.append(ys[-1] + gain)
    explored = [ExploredEpisode(3 * k, (step(1 if right else 0, 1),)) for k, right in enumerate(agreement)]
    curve = Curve(tuple(3.0 * k for k in range(len(ys))), tuple(ys))
    return blocks("a", "snake", curve, explored, RANGE, 10.0)


def test_a_block_holds_the_exploration_between_its_checkpoints_and_the_gain_after_it() -> None:
    found = run_of([1, -2], [True, False])
    assert found == (Block("a", "snake", 3.0, 1.0, 0.0, 0.1), Block("a", "snake", 6.0, 0.0, 0.25, -0.2))


def test_a_failed_checkpoint_joins_its_two_blocks() -> None:
    explored = [ExploredEpisode(i, (step(i, 1),)) for i in range(9)]
    found = blocks("a", "snake", Curve((0.0, 6.0, 9.0), (0.0, 1.0, 1.0)), explored, RANGE, 2.0)
    assert [(block.t, block.agreement) for block in found] == [(6.0, 5 / 6), (9.0, 1.0)]


def test_a_block_without_self_scores_is_left_out() -> None:
    explored = [ExploredEpisode(0, (step(None, 1),)), ExploredEpisode(3, (step(1, 1),))]
    found = blocks("a", "snake", Curve((0.0, 3.0, 6.0), (0.0, 1.0, 1.0)), explored, RANGE, 1.0)
    assert [block.t for block in found] == [6.0]


def test_MT_08_a_game_whose_scores_never_vary_has_no_blocks() -> None:
    curve = Curve((0.0, 3.0), (1.0, 1.0))
    assert score_range([curve.ys, curve.ys]) == 0
    assert score_range([]) == 0
    assert blocks("a", "snake", curve, [ExploredEpisode(0, (step(1, 1),))], RANGE, score_range([curve.ys])) == ()


def block(run: str, t: float, agreement: float, gain: float, game: str = "snake") -> Block:
    return Block(run, game, t, agreement, 1 - agreement, gain)


def test_coupling_of_a_run_whose_gain_follows_its_judging() -> None:
    found = coupling([block("a", k, k / 10, k / 5) for k in range(9)])
    for each in (found.rho_agreement, found.rho_error, found.r_agreement, found.r_error):
        assert each.value == pytest.approx(1)
        assert each.n == 9
    assert found.gap_agreement.value == pytest.approx((6 + 7 + 8) / 15 - (0 + 1 + 2) / 15)


def test_tertile_ties_are_broken_by_run_and_t_whatever_the_order() -> None:
    """Of five blocks the thirds hold one each; four tie, so the lowest is a's first, the highest b's last."""
    table = [block("a", 3, 0.5, 1), block("a", 6, 0.5, 2), block("b", 3, 0.5, 4), block("b", 6, 0.5, 8)]
    table.append(block("0", 3, 0.9, 16))
    for order in (table, table[::-1]):
        assert coupling(order).gap_agreement.value == 16 - 1
        assert coupling(order).gap_agreement.no_interval


@pytest.mark.parametrize("n", [0, 1, 2])
def test_MT_09_too_few_blocks_give_a_reason_not_a_zero(n: int) -> None:
    found = coupling([block("a", k, k / 10, k) for k in range(n)])
    assert found.gap_agreement.value is None
    assert found.gap_agreement.reason
    if n < 2:
        assert found.rho_agreement.value is None


def test_MT_09_judging_that_never_varies_gives_a_reason_not_a_zero() -> None:
    found = coupling([block("a", k, 0.5, k) for k in range(9)])
    for each in (found.rho_agreement, found.r_error, found.gap_agreement, found.gap_error):
        assert each.value is None
        assert each.reason


def test_runs_without_a_naba_are_left_out_of_the_run_level() -> None:
    runs = [RunPoint(k / 10, k / 10, 1 - k / 10, float(k)) for k in range(5)]
    found = run_level([*runs, RunPoint(0.0, 0.0, 0.0, None), RunPoint(None, 0.9, 0.0, 9.0)])
    assert (found.rho_agreement.n, found.rho_self_rate.n, found.rho_reward_rate.n) == (5, 6, 6)
    assert found.rho_agreement.value == pytest.approx(1)
    assert found.r_reward_rate.value is not None
    assert found.r_reward_rate.value < 0


PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "metrics.md"


def test_MT_14_the_worked_example_of_the_docs_is_what_the_code_computes() -> None:
    """Both rows are read from the page, and so is every result."""
    text = PAGE.read_text(encoding="utf-8")
    scores, rewards = (
        [cell.strip() for cell in re.findall(rf"^\| {name} \|(.*)\|$", text, re.MULTILINE)[0].split("|")]
        for name in ("s", "r")
    )
    found = judging(
        [
            step(float(s.split()[0]) if s else None, float(r), ended="END" in s)
            for s, r in zip(scores, rewards, strict=True)
        ],
        RANGE,
    )
    line = re.findall(r"^A = .*$", text, re.MULTILINE)[0]
    named = {
        name.strip(" ="): Fraction(value) for name, value in re.findall(r"([A-Za-z()\- ]+?)(?: =)? (\d+/\d+)", line)
    }
    wanted = {
        "A": found.agreement, "over": found.over, "under": found.under, "p(s)": found.self_rate,
        "p(r)": found.reward_rate, "base rate": found.always_zero, "NMAE": found.nmae, "MAE": found.mae,
        "bias": found.bias, "missing": found.missing_share,
    }  # fmt: skip
    assert named.keys() == wanted.keys()
    for name, number in wanted.items():
        assert number.value == pytest.approx(float(named[name])), name
