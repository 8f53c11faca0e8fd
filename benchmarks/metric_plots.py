"""The charts of the explanation pages on metrics, each a pure function of the stored runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from math import log10, sqrt
from statistics import fmean

from benchmarks.metric_runs import PRESET, RunName, Runs, explored, judged_steps
from benchmarks.svg import Anchor, Axis, Chart, Colour, Frame, Panel, Point
from scoring.metrics.coupling import Block, blocks, score_range
from scoring.metrics.curve import Curve, auc_plus
from scoring.metrics.judging import judging
from scoring.metrics.naba import naba
from scoring.run_metrics import round_orders
from scoring.statistics.correlation import average_ranks
from scoring.statistics.trend import LEVEL, trend_test

GAMES = tuple(PRESET.games)
TITLES: Mapping[str, str] = {
    "chess": "Chess",
    "minesweeper": "Minesweeper",
    "nullify": "Nullify",
    "tetris": "Tetris",
    "snake": "Snake",
    "pvz": "PvZ",
    "trust": "Trust",
}
LEARNER_IN_TRUST = RunName("learner", "history", "trust")
TRUST_STAND_IN = (0, 4, 6, 8, 30, 12, 10, 9, 8, 7, 0, 9, 10, 12, 11, 9, 7, 6, 4, 3)
"""One of many curves over epochs 0 to 19 that have the numbers which the paper prints of training in Trust."""
SNAKE_PRINTED = tuple(int(epoch in (8, 12, 15)) for epoch in range(20))
PVZ_PRINTED = (23, *[6] * 19)
EPISODES = "exploration episodes x"


def trends(runs: Runs, player: str, pathway: str) -> dict[str, float]:
    """Return the p-value of the trend test of every game of an entry."""
    found = {}
    for game in GAMES:
        curve = runs.curves[RunName(player, pathway, game)]
        share = trend_test(curve, round_orders(PRESET.round, game, len(curve.xs))).value
        assert share is not None
        found[game] = share
    return found


def blocks_of(runs: Runs, names: Sequence[RunName]) -> list[Block]:
    """Return the blocks of some runs, gains in shares of the range of each game over these runs."""
    found: list[Block] = []
    for name in names:
        span = score_range(runs.curves[each].ys for each in names if each.game == name.game)
        range_ = PRESET.games[name.game].judging_range
        run = f"{name.player}-{name.pathway}"
        found += blocks(run, name.game, runs.curves[name], explored(runs, name), range_, span)
    return found


def neighbours(pooled: Iterable[Block]) -> list[Point]:
    """Return (gain, next gain) of neighbouring blocks of one run."""
    return [(one.gain, other.gain) for one, other in pairwise(pooled) if (one.run, one.game) == (other.run, other.game)]


def rewards_by_score(runs: Runs, name: RunName) -> dict[float, list[float]]:
    """Return the rewards of all steps that were given a self-score, by self-score."""
    found: dict[float, list[float]] = {}
    for step in judged_steps(runs, name):
        if step.self_score is not None and not step.ended:
            found.setdefault(step.self_score, []).append(step.reward)
    return dict(sorted(found.items()))


def curve_areas(runs: Runs) -> str:
    """Draw one curve with the area above and the area below its baseline."""
    curve = runs.curves[LEARNER_IN_TRUST]
    chart = Chart(300, "Learning curve of the learner in Trust with the areas above and below its baseline")
    x, y = Axis(0, 30, range(0, 31, 6), EPISODES), Axis(7, 16, range(8, 17, 2), "strict score, points")
    panel = Panel(chart, Frame(48, 40, 424, 246), x, y)
    base = curve.ys[0]
    for sign, colour in ((1, "one"), (-1, "two")):
        for piece in _clipped(curve, sign):
            chart.area([panel.at(*each) for each in piece], _as_colour(colour), 0.35)
    panel.level(base, "ink")
    panel.line(list(zip(curve.xs, curve.ys, strict=True)), "ink")
    panel.dots(list(zip(curve.xs, curve.ys, strict=True)), "ink", 3.5)
    panel.label(3, base, "y(0)", "ink", "middle", dy=-7)
    panel.label(15, 14.33, "AUC+", "one", "middle", dy=-10)
    panel.label(21, 11, "AUC−", "two", "middle")
    return chart.written()


def _as_colour(name: str) -> Colour:
    return "one" if name == "one" else "two"


def _clipped(curve: Curve, sign: int) -> list[list[Point]]:
    """Return what lies on one side of the baseline, a polygon for each segment."""
    base, pieces = curve.ys[0], []
    for (x, y), (x2, y2) in pairwise(zip(curve.xs, curve.ys, strict=True)):
        one, other = sign * (y - base), sign * (y2 - base)
        if max(one, other) <= 0:
            continue
        cross = x + (x2 - x) * one / (one - other) if one * other < 0 else x
        if one >= 0 and other >= 0:
            pieces.append([(x, base), (x, y), (x2, y2), (x2, base)])
        elif one > 0:
            pieces.append([(x, base), (x, y), (cross, base)])
        else:
            pieces.append([(cross, base), (x2, y2), (x2, base)])
    return pieces


def curve_snakes(runs: Runs) -> str:
    """Draw the learner and the random player in Snake, each with its baseline."""
    chart = Chart(300, "Learning curves of the learner and of the random player in Snake")
    x, y = Axis(0, 30, range(0, 31, 6), EPISODES), Axis(0, 18, range(0, 19, 6), "strict score, apples")
    panel = Panel(chart, Frame(48, 40, 424, 246), x, y)
    for player, colour in (("learner", "one"), ("random", "two")):
        curve = runs.curves[RunName(player, "history", "snake")]
        points = list(zip(curve.xs, curve.ys, strict=True))
        panel.level(curve.ys[0], _as_colour(colour))
        panel.line(points, _as_colour(colour))
        if player == "learner":
            panel.dots(points, "one")
        else:
            for point in points:
                chart.diamond(panel.at(*point), "two")
    panel.label(12, 14.33, "learner", "one", "end", dx=-10, dy=-2)
    panel.label(30, 3.4, "random", "two", "end", dy=-3)
    panel.label(30, 4.67, "random’s y(0)", "two", "end", dy=-6)
    panel.label(30, 0.33, "learner’s y(0)", "one", "end", dy=-5)
    return chart.written()


def judging_base_rate(runs: Runs) -> str:
    """Draw agreement against the agreement of a judge that always says 0, for every game of two players."""
    chart = Chart(392, "Agreement of each run against the agreement of a judge that always says 0")
    x = Axis(0, 1, (0, 0.25, 0.5, 0.75, 1), "agreement of “always 0” (base rate)")
    panel = Panel(chart, Frame(52, 40, 424, 338), x, Axis(0, 1, (0, 0.25, 0.5, 0.75, 1), "agreement A"))
    panel.line([(0, 0), (1, 1)], "soft", width=1.5, dash="5 4")
    places: dict[tuple[str, str], Point] = {}
    for player in ("random", "learner"):
        for game in GAMES:
            found = judging(judged_steps(runs, RunName(player, "history", game)), PRESET.games[game].judging_range)
            assert found.agreement.value is not None
            assert found.always_zero.value is not None
            places[player, game] = (found.always_zero.value, found.agreement.value)
            at = panel.at(*places[player, game])
            if player == "learner":
                chart.dot(at, "one", 5)
            else:
                chart.diamond(at, "two", 6)
    for game in ("pvz", "trust", "snake"):
        anchor: Anchor = "end" if game == "snake" else "start"
        panel.label(*places["learner", game], TITLES[game], "one", anchor, dx=-9 if game == "snake" else 9, dy=5)
    chart.path([panel.at(0.965, 0.93), panel.at(0.965, 0.75)], "one", width=1)
    for line, words in enumerate(("Chess,", "Minesweeper,", "Nullify, Tetris")):
        panel.label(0.995, 0.7, words, "one", "end", dy=17 * line)
    panel.label(0.56, 0.36, "● learner", "one", dy=5)
    panel.label(0.56, 0.29, "◆ random", "two", dy=5)
    panel.label(0.3, 0.2, "below: “always 0” agrees more", "soft", dy=5)
    return chart.written()


def judging_calibration(runs: Runs) -> str:
    """Draw what the steps of the learner in Trust earned, by what it said they would."""
    chart = Chart(320, "Mean reward of the learner's steps in Trust by the self-score that it gave them")
    x = Axis(-1.5, 3.5, (-1, 0, 1, 2, 3), "self-score s, points")
    panel = Panel(chart, Frame(48, 40, 424, 266), x, Axis(-1.5, 3.5, (-1, 0, 1, 2, 3), "mean reward r, points"))
    panel.line([(-1.5, -1.5), (3.5, 3.5)], "soft", width=1.5, dash="5 4")
    for score, rewards in rewards_by_score(runs, LEARNER_IN_TRUST).items():
        panel.dots([(score, fmean(rewards))], "one", 2.5 + sqrt(len(rewards)) / 2)
        up = score < 1
        panel.label(score, fmean(rewards), f"{len(rewards)} steps", "ink", "middle", dy=-14 if up else 26)
    panel.label(0.1, -0.9, "line: what is said comes", "soft", "start", dy=5)
    return chart.written()


def coupling_neighbours(runs: Runs) -> str:
    """Draw each gain of the random player against the gain after it."""
    points = neighbours(blocks_of(runs, [RunName("random", "history", game) for game in GAMES]))
    chart = Chart(360, "Each gain of the random player against its next gain")
    ticks = (-1, -0.5, 0, 0.5, 1)
    x, y = (
        Axis(-1.05, 1.05, ticks, "gain of a block, share of the game’s range"),
        Axis(-1.05, 1.05, ticks, "gain after it"),
    )
    panel = Panel(chart, Frame(52, 40, 424, 306), x, y)
    panel.line([(-1, 0.5), (1, -0.5)], "soft", width=1.5, dash="5 4")
    panel.dots(points, "two", 4.5, hollow=True)
    panel.label(0.2, 0.85, "line: pure noise, −1/2", "soft")
    return chart.written()


def coupling_runs(runs: Runs) -> str:
    """Draw the place of every run by agreement against its place by NABA."""
    names = [name for name in runs.curves if name.player in ("random", "learner")]
    agreement = [judging(judged_steps(runs, each), PRESET.games[each.game].judging_range).agreement for each in names]
    across = average_ranks([each.value or 0.0 for each in agreement])
    up = average_ranks([naba(runs.curves[each]).result.value or 0.0 for each in names])
    chart = Chart(360, "Rank of each run by agreement against its rank by NABA")
    ticks = (1, 10, 20, 28)
    x, y = Axis(0, 29, ticks, "rank by agreement (28: best judge)"), Axis(0, 29, ticks, "rank by NABA (28: largest)")
    panel = Panel(chart, Frame(44, 40, 424, 306), x, y)
    for name, *place in zip(names, across, up, strict=True):
        at = panel.at(place[0], place[1])
        if name.player == "learner":
            chart.dot(at, "one", 5)
        else:
            chart.diamond(at, "two", 6)
    panel.label(1, 27.5, "● learner", "one")
    panel.label(8, 27.5, "◆ random", "two")
    return chart.written()


def ranks_shares(runs: Runs) -> str:
    """Draw what each game brings to the mean of raw AUC+."""
    chart = Chart(252, "Mean of raw AUC+ over seven games, by the game it comes from")
    y = Axis(0, 4, (0.5, 1.5, 2.5, 3.5), "", ("idle", "greedy", "random", "learner"), grid=False)
    panel = Panel(
        chart, Frame(72, 24, 410, 196), Axis(0, 48, range(0, 49, 12), "mean of raw AUC+ over the seven games"), y
    )
    shades: dict[str, tuple[Colour, float]] = {"snake": ("one", 0.45), "pvz": ("three", 0.45), "trust": ("two", 0.45)}
    for row, player in enumerate(("idle", "greedy", "random", "learner")):
        start = 0.0
        for game in ("snake", "trust", "pvz", "chess", "minesweeper", "nullify", "tetris"):
            part = auc_plus(runs.curves[RunName(player, "history", game)]) / len(GAMES)
            colour, opacity = shades.get(game, ("soft", 0.45))
            (left, bottom), (right, top) = panel.at(start, row + 0.2), panel.at(start + part, row + 0.8)
            if part > 0:
                chart.box(left, top, right, bottom, colour, opacity)
            start += part
    panel.label(15, 3.5, "Snake", "ink", dy=5)
    panel.label(11.6, 2.5, "Trust, then PvZ", "ink", dy=5)
    panel.label(1.6, 1.5, "Minesweeper", "ink", dy=5)
    panel.label(0.6, 0.5, "nothing", "soft", dy=5)
    return chart.written()


def ranks_adjusting(runs: Runs) -> str:
    """Draw the sorted p-values of two entries against the steps that they must pass."""
    chart = Chart(340, "Sorted p-values of the learner's seven games against Benjamini and Hochberg's steps")
    y = Axis(-4.2, 0.2, (-4, -3, -2, -1, 0), "p of the trend test", ("0.0001", "0.001", "0.01", "0.1", "1"))
    panel = Panel(chart, Frame(64, 40, 424, 286), Axis(0.5, 7.5, range(1, 8), "place among the entry’s seven games"), y)
    panel.line([(place, log10(LEVEL * place / 7)) for place in range(1, 8)], "ink", dash="5 4", width=1.5)
    panel.label(7.5, log10(LEVEL), "0.05 × place / 7", "ink", "end", dy=24)
    for pathway, colour in (("history", "two"), ("summary", "one")):
        shares = sorted(trends(runs, "learner", pathway).items(), key=lambda each: each[1])
        for place, (_, share) in enumerate(shares, 1):
            at = panel.at(place, log10(share))
            if pathway == "summary":
                chart.dot(at, "one", 5)
            else:
                chart.diamond(at, "two", 6)
        panel.label(1, log10(shares[0][1]), f"Snake, {pathway}", _as_colour(colour), dx=10, dy=-20)
    return chart.written()


def training_curves(_runs: Runs) -> str:
    """Draw what the paper's printed numbers say of training: two games in full, and one of many curves for Trust."""
    chart = Chart(500, "Training in Trust, Snake and PvZ over epochs, drawn from printed numbers")
    rows: list[tuple[str, Sequence[int], Axis]] = [
        ("Trust: one of many curves with the printed numbers", TRUST_STAND_IN, Axis(0, 32, (0, 10, 20, 30), "")),
        ("Snake: as printed", SNAKE_PRINTED, Axis(0, 1.1, (0, 1), "")),
        ("PvZ: as printed", PVZ_PRINTED, Axis(0, 25, (0, 10, 20), "")),
    ]
    for row, (title, ys, y) in enumerate(rows):
        top = 40 + 156 * row
        x = Axis(0, 19, (0, 5, 10, 15, 19), "epochs of training" if row == 2 else "")
        panel = Panel(chart, Frame(44, top, 424, top + 96), x, y)
        points = list(enumerate(map(float, ys)))
        panel.level(ys[0], "soft")
        panel.line([(float(epoch), score) for epoch, score in points], "three")
        panel.dots([(float(epoch), score) for epoch, score in points[1:]], "three", 3.5)
        panel.dots([(0.0, points[0][1])], "three", 4.5, hollow=True)
        chart.text(10, top - 14, title, "ink")
    return chart.written()


PICTURES: dict[str, Callable[[Runs], str]] = {
    "curve-areas.svg": curve_areas,
    "curve-snakes.svg": curve_snakes,
    "judging-base-rate.svg": judging_base_rate,
    "judging-calibration.svg": judging_calibration,
    "coupling-neighbours.svg": coupling_neighbours,
    "coupling-runs.svg": coupling_runs,
    "ranks-shares.svg": ranks_shares,
    "ranks-adjusting.svg": ranks_adjusting,
    "training-curves.svg": training_curves,
}
