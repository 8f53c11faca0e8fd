"""The page on ranks prints what the scorer gives for the stored runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from benchmarks.metric_plots import GAMES, TITLES, trends
from benchmarks.metric_runs import PLAYERS, stored
from scoring.measured import Measured
from scoring.metrics.curve import Curve, auc_plus, average, net_area
from scoring.metrics.ranks import competition_ranks, games_improved, mean_ranks, rank_score
from scoring.statistics.ties import difference
from scoring.statistics.trend import adjusted, beyond_noise
from tests.benchmarks.explained import Page, curve_of

ORDER = ("chess", "minesweeper", "nullify", "tetris", "snake", "pvz", "trust")
Values = Mapping[str, Mapping[str, float]]


def values_of(metric: Callable[[Curve], float]) -> Values:
    """Return a metric by game, then by player, under History ICL."""
    return {game: {player: metric(curve_of(player, game)) for player in PLAYERS} for game in ORDER}


def mean(values: Values, player: str, weights: Mapping[str, float] | None = None) -> float:
    """Return what the pages never show otherwise: a mean of raw values over games."""
    chosen = weights or dict.fromkeys(values, 1.0)
    return sum(chosen[game] * values[game][player] for game in chosen) / len(chosen)


def table(page: Page, name: str, values: Values, players: Sequence[str]) -> Mapping[str, float]:
    """Check the table of a metric; return mean ranks."""
    ranks = mean_ranks({game: competition_ranks(each) for game, each in values.items()})
    for game in ORDER:
        page.says(f"| {TITLES[game]} | " + " | ".join(f"{values[game][player]:.2f}" for player in players) + " |")
    page.says(
        f"| game | {' | '.join(players)} |",
        f"| **mean of raw {name}** | " + " | ".join(f"{mean(values, player):.2f}" for player in players) + " |",
        "| **mean rank** | " + " | ".join(f"{float(ranks[player]):.3f}" for player in players) + " |",
    )
    return {player: float(rank) for player, rank in ranks.items()}


def raw_means(page: Page) -> None:
    areas, nets = values_of(auc_plus), values_of(net_area)
    ranks = table(page, "AUC+", areas, ("learner", "random", "greedy", "idle"))
    net_ranks = table(page, "net area", nets, ("learner", "random", "idle", "greedy"))
    assert min(PLAYERS, key=ranks.__getitem__) == "random"
    assert 4 <= mean(areas, "learner") / mean(areas, "random") < 4.5
    without = {game: 1.0 for game in ORDER if game != "snake"}
    cents = {game: 100.0 if game == "trust" else 1.0 for game in ORDER}
    assert competition_ranks(areas["minesweeper"])["greedy"] == 1
    page.says(f"its net area is {nets['minesweeper']['idle'] - nets['minesweeper']['greedy']:.2f} *below* idle's")
    page.says(
        f"{areas['snake']['learner'] / sum(areas[game]['learner'] for game in ORDER):.0%} of its sum is Snake",
        f"the means are {mean(areas, 'learner', without):.2f} for the learner and "
        f"{mean(areas, 'random', without):.2f} for random:",
        f"the means are {mean(areas, 'learner', cents):.2f} for the learner and {mean(areas, 'random', cents):.2f} for",
    )
    for weights in (without, cents):
        assert mean(areas, "learner", weights) < mean(areas, "random", weights)
    assert max(PLAYERS, key=lambda player: mean(nets, player)) == "learner"
    assert sorted(PLAYERS, key=net_ranks.__getitem__) == ["random", "idle", "greedy", "learner"]
    assert [sum(sign * nets[game]["learner"] > 0 for game in ORDER) for sign in (-1, 1)] == [4, 3]


def within_a_game(page: Page) -> None:
    areas, levels = values_of(auc_plus), values_of(lambda curve: average(curve.ys))
    assert competition_ranks(areas["snake"]) == {"learner": 1, "random": 2, "idle": 2, "greedy": 2}
    nothing = {player: auc_plus(curve_of(player, "tetris", "summary")) for player in PLAYERS}
    assert set(nothing.values()) == {0}
    assert set(competition_ranks(nothing).values()) == {1}
    trust, tetris = levels["trust"], levels["tetris"]
    for values, one, other in ((trust, "learner", "random"), (tetris, "greedy", "learner")):
        ranks = competition_ranks(values)
        assert ranks[other] - ranks[one] == 1
    score = rank_score(2, 4)
    assert score is not None
    page.says(
        f"of four, second is {score:.3f}.",
        f"in Trust, {trust['learner']:.2f} to {trust['random']:.2f}, and greedy is one rank before the learner in "
        f"Tetris, {tetris['greedy']:.2f} to {tetris['learner']:.2f}.",
    )


def tie_groups(page: Page) -> None:
    for pathway, title in (("history", "History ICL"), ("summary", "Summary Memory")):
        for game in ORDER:
            best = curve_of("greedy", game, pathway)
            for player in ("learner", "random", "idle"):
                assert average(best.ys) > average(curve_of(player, game, pathway).ys)
                assert difference(best, curve_of(player, game, pathway)).ahead
        curves = {player: curve_of(player, "pvz", pathway) for player in ("idle", "random", "learner")}
        found = difference(curves["learner"], curves["random"])
        assert sorted(curves, key=lambda player: average(curves[player].ys)) == ["idle", "random", "learner"]
        assert found.value is not None
        assert found.interval is not None
        page.says(
            f"| {title} | {average(curves['learner'].ys):.2f} | {found.value:.2f} | {found.interval.low:.2f} to "
            f"{found.interval.high:.2f} | {'yes' if found.ahead is False else 'no'} |",
        )
    (last,) = set(curve_of("random", "pvz", "summary").ys[1:])
    page.says(f"random has {last:.2f} at each of the last ten.")


def improved(page: Page) -> None:
    entries = ("learner history", "learner summary", "random history", "random summary", "greedy history")
    for player, pathway in map(str.split, entries):
        areas = {game: auc_plus(curve_of(player, game, pathway)) for game in GAMES}
        shares = trends(stored(), player, pathway)
        least, levels = min(GAMES, key=shares.__getitem__), adjusted(shares)
        beyond = [
            beyond_noise(areas[game] > 0, Measured(levels[game], len(curve_of(player, game, pathway).xs)))
            for game in GAMES
        ]
        page.says(
            f"| {player} | {pathway} | {games_improved(areas)} | {shares[least]:.4f} ({TITLES[least]}) | "
            f"{levels[least]:.4f} | {beyond.count(True)} |"
        )
    page.says(
        "is at most 0.05.",
        f"finds a p of 0.05 or less in one of them by luck alone with a chance of 1 - 0.95⁷ = {1 - 0.95**7:.3f}.",
        "a dashed line at 0.05 times place over 7.",
        "below 0.05 but not below a seventh of it.",
    )


def adjusting(page: Page) -> None:
    shares = trends(stored(), "learner", "summary")
    ordered = sorted(shares.items(), key=lambda each: each[1])
    levels = adjusted(shares)
    page.says(f"sorted: {', '.join(f'{share:.4f}' for _, share in ordered)}.")
    for place, (game, share) in enumerate(ordered, 1):
        page.says(f"| {place} ({TITLES[game]}) | {share:.4f} | {7 * share / place:.4f} | {levels[game]:.4f} |")
        later = [7 * other / i for i, (_, other) in enumerate(ordered, 1) if i >= place]
        assert levels[game] == pytest.approx(min(1, *later))
    snake, other_snake = curve_of("learner", "snake", "summary"), curve_of("learner", "snake")
    assert 9 < average(snake.ys) < 11
    assert max(snake.ys) == snake.ys[5]
    assert min(snake.ys[5:]) == snake.ys[9]
    assert max(other_snake.ys) == other_snake.ys[10]
    page.says(
        f"it went from {snake.ys[0]:.2f} apples to about ten",
        f"to {snake.ys[5]:.2f} apples at x = 15, then the curve fell to {snake.ys[9]:.2f} at x = 27,",
    )


def test_the_page_on_ranks_prints_what_the_runs_give() -> None:
    page = Page("ranks.md")
    for check in (raw_means, within_a_game, tie_groups, improved, adjusting):
        check(page)
    page.has_no_other_decimals()
