"""The page on self-judging prints what the scorer gives for the stored runs."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import pytest

from benchmarks.metric_plots import LEARNER_IN_TRUST, TITLES, rewards_by_score
from benchmarks.metric_runs import PLAYERS, PRESET, RunName, judged_steps, stored
from scoring.metrics.judging import JudgedStep, judging
from scoring.metrics.judging import calibration as by_tenths
from tests.benchmarks.explained import Page, judging_of, value_of

TRUST = PRESET.games["trust"].judging_range


def steps_of(player: str, game: str) -> Sequence[JudgedStep]:
    """Return the steps of a run under History ICL."""
    return judged_steps(stored(), RunName(player, "history", game))


def counts(page: Page) -> None:
    steps = [(step.self_score or 0.0, step.reward) for step in steps_of("learner", "trust")]
    over = sum(s > 0 >= r for s, r in steps)
    under = sum(s <= 0 < r for s, r in steps)
    agree, said, paid = len(steps) - over - under, sum(s > 0 for s, _ in steps), sum(r > 0 for _, r in steps)

    def share(count: int) -> str:
        return f"{count}/{len(steps)} = {count / len(steps):.3f}"

    page.says(
        f"has {len(steps)} judged steps: {agree} agree,",
        f"{over} are over-confident (s > 0, r <= 0), {under} under-confident (s <= 0, r > 0).",
        f"A = {share(agree)}, over = {share(over)}, under = {share(under)};",
        f"p(s) = {share(said)} and p(r) = {share(paid)}; p(s) - p(r) = {(said - paid) / len(steps):.3f} =",
        f'"{over / 300:.0%} over-confident" does not mean that {over / 300:.0%} of',
        f"{over}/{said} = {over / said:.3f}.",
    )
    assert said - paid == over - under


def base_rates(page: Page) -> None:
    for game, title in TITLES.items():
        found = judging_of("learner", game)
        numbers = (found.agreement, found.always_zero, found.reward_rate, found.self_rate, found.over, found.under)
        page.says(f"| {title} | " + " | ".join(f"{value_of(each):.3f}" for each in numbers) + " |")
        lazy = value_of(found.self_rate) == 0
        assert lazy == (game in ("chess", "minesweeper", "nullify", "tetris"))
        assert not lazy or found.agreement == found.always_zero
    snake, pvz, trust, chess = (judging_of("learner", game) for game in ("snake", "pvz", "trust", "chess"))
    positive = [step.reward > 0 for step in steps_of("learner", "snake") if (step.self_score or 0) > 0]
    assert all(positive)
    tetris = steps_of("learner", "tetris")
    assert not any(step.reward > 0 for step in tetris)
    for found in (snake, pvz, trust):
        lazy_best = max(value_of(found.always_zero), value_of(found.reward_rate))
        assert (value_of(found.agreement) > lazy_best) == (found is not pvz)
    assert value_of(trust.reward_rate) > value_of(trust.always_zero)
    page.says(
        f"perfect {value_of(judging_of('learner', 'tetris').agreement):.3f} in Tetris says that not one of its "
        f"{len(tetris)} steps cleared a row.",
        f"{value_of(snake.agreement):.3f} where always 0 would have {value_of(snake.always_zero):.3f}, and of its "
        f"{len(positive)} positive scores all were right",
        f"agree in {value_of(pvz.reward_rate):.3f} of steps; the learner has {value_of(pvz.agreement):.3f}.",
        f"in Trust, there by {value_of(trust.agreement) - value_of(trust.reward_rate):.3f}.",
        f"Random's p(r) in Chess is {value_of(judging_of('random', 'chess').reward_rate):.3f}, the learner's "
        f"{value_of(chess.reward_rate):.3f},",
    )


def sizes(page: Page) -> None:
    rows = ("greedy chess", "learner chess", "learner trust", "idle trust", "idle minesweeper", "learner nullify")
    for player, game in map(str.split, rows):
        found = judging_of(player, game)
        numbers = (found.agreement, found.nmae, found.mae, found.bias)
        shown = [f"{round(value_of(each), 3) + 0.0:.3f}" for each in numbers]
        page.says(f"| {player}, {TITLES[game]} | " + " | ".join(shown) + " |")
    idle, nullify = judging_of("idle", "minesweeper"), judging_of("learner", "nullify")
    flags = {step.self_score for step in steps_of("idle", "minesweeper")}
    assert {round(flag, 3) for flag in flags if flag is not None} == {0.012, -0.012}
    assert min(step.self_score or 0 for step in steps_of("learner", "nullify")) == -0.5
    assert PRESET.games["nullify"].judging_range[0] == 0
    low, high = PRESET.games["chess"].judging_range
    idle_trust, greedy_chess = judging_of("idle", "trust"), judging_of("greedy", "chess")
    mae = value_of(idle_trust.mae) / value_of(greedy_chess.mae)
    nmae = value_of(idle_trust.nmae) / value_of(greedy_chess.nmae)
    page.says(
        f"idle's MAE in Trust is {mae:.0f} times greedy's in Chess, its NMAE {nmae:.0f} times.",
        f"on a range of {TRUST[1] - TRUST[0]:g} in Trust and of {high - low:g} in Chess",
        f"scores of +0.012 and -0.012 in turns: bias {abs(value_of(idle.bias)):.3f}, while it is over-confident in "
        f"{value_of(idle.over):.0%} of its steps",
        "in Nullify the learner says -0.5, and",
        f"clips that away ({value_of(nullify.nmae):.3f}), MAE and bias keep it ({value_of(nullify.mae):.3f}).",
    )


def calibration(page: Page) -> None:
    found = rewards_by_score(stored(), LEARNER_IN_TRUST)
    for score, rewards in found.items():
        share = sum(reward > 0 for reward in rewards) / len(rewards)
        page.says(f"| {score:g} | {len(rewards)} | {fmean(rewards):.3f} | {share:.3f} |")
    means = {score: f"{fmean(rewards):.3f}" for score, rewards in found.items()}
    page.says(
        f"{len(found[-1])} steps scored -1 earned {means[-1]} on average, {len(found[0])} scored 0 earned {means[0]}, "
        f"{len(found[2])} scored 2 earned {means[2]} and {len(found[3])} scored 3 earned {means[3]}.",
        f"in the bias of {value_of(judging_of('learner', 'trust').bias):.3f}.",
    )
    tenths = by_tenths(steps_of("learner", "trust"), TRUST)
    assert [each.place for each in tenths] == [0, 2, 7, 9]
    assert [each.steps for each in tenths] == [len(rewards) for rewards in found.values()]
    assert list(TRUST) == [-1, 3]
    positive = {score: sum(reward > 0 for reward in rewards) / len(rewards) for score, rewards in found.items()}
    assert positive[3] < positive[2]
    assert list(map(fmean, found.values())) == sorted(map(fmean, found.values()))


def left_out(page: Page) -> None:
    chess = steps_of("learner", "chess")
    agreeing = sum(((step.self_score or 0) > 0) == (step.reward > 0) for step in chess)
    silent = [
        step if (step.self_score or 0) > 0 else step._replace(self_score=None) for step in steps_of("learner", "trust")
    ]
    found = judging(silent, TRUST)
    n, missing = found.agreement.n, sum(step.self_score is None for step in silent)
    page.says(
        f"from {agreeing}/{len(chess)} = {agreeing / len(chess):.3f} to "
        f"{agreeing + 30}/{len(chess) + 30} = {(agreeing + 30) / (len(chess) + 30):.3f} for nothing.",
        f"A would be {round(n * value_of(found.agreement))}/{n} = {value_of(found.agreement):.3f} instead of "
        f"{value_of(judging_of('learner', 'trust').agreement):.3f},",
        f"and the missing share {missing}/{len(silent)} = {value_of(found.missing_share):.3f}.",
    )
    for name in stored().curves:
        assert not any(step.ended or step.self_score is None for step in judged_steps(stored(), name)), name


def test_the_page_on_self_judging_prints_what_the_runs_give() -> None:
    page = Page("self-judging.md")
    for check in (counts, base_rates, sizes, calibration, left_out):
        check(page)
    page.has_no_other_decimals()


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("game", TITLES)
def test_the_three_shares_of_every_run_add_up(player: str, game: str) -> None:
    found = judging_of(player, game)
    assert sum(map(value_of, (found.agreement, found.over, found.under))) == pytest.approx(1)
    gap = value_of(found.self_rate) - value_of(found.reward_rate)
    assert gap == pytest.approx(value_of(found.over) - value_of(found.under))
