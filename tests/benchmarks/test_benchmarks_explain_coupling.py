"""The page on coupling prints what the scorer gives for the stored runs."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, linear_regression

from benchmarks.metric_plots import GAMES, TITLES, blocks_of, neighbours
from benchmarks.metric_runs import PATHWAYS, RunName, stored
from scoring.measured import Measured
from scoring.metrics.coupling import Block, Coupling, RunPoint, coupling, run_level, score_range
from scoring.metrics.curve import auc_plus
from scoring.published.tables import coupling_table
from scoring.statistics.correlation import pearson
from tests.benchmarks.explained import Page, curve_of, judging_of, naba_of, value_of

PAIR = ("random", "learner")
NAMES = [name for name in stored().curves if name.player in PAIR]
BLOCKS = blocks_of(stored(), NAMES)


def span(measured: Measured, digits: int = 3) -> str:
    assert measured.interval is not None
    return f"{measured.interval.low:.{digits}f} to {measured.interval.high:.{digits}f}"


def gains(page: Page) -> None:
    tetris = curve_of("learner", "tetris")
    at = tetris.xs.index(6)
    rise = tetris.ys[at] - tetris.ys[at - 1]
    company = [curve_of(player, "tetris", pathway) for player in PAIR for pathway in PATHWAYS]
    best = curve_of("greedy", "tetris").ys[0]
    with_greedy = [*company, curve_of("greedy", "tetris")]
    assert (len(NAMES), len(BLOCKS)) == (28, 280)
    page.says(
        f"The learner's checkpoint at x = 6 in Tetris lies {rise:.3f} above the one before.",
        f"so g = {rise / score_range(each.ys for each in company):.3f}.",
        f"which scores {best:.3f}, the same block has g = {rise / score_range(each.ys for each in with_greedy):.3f}.",
    )


def reported(page: Page) -> None:
    every = coupling(BLOCKS)
    rows: list[tuple[str, Coupling]] = [("all, 280 blocks", every)]
    games = dict.fromkeys(block.game for block in BLOCKS)
    rows += [(TITLES[game], coupling([block for block in BLOCKS if block.game == game])) for game in games]
    for title, found in rows:
        rho, other, gap = (value_of(each) for each in (found.rho_agreement, found.rho_error, found.gap_agreement))
        page.says(f"| {title} | {rho:.3f} | {span(found.rho_agreement)} | {other:.3f} | {gap:.3f} |")
        for each in (found.rho_agreement, found.rho_error):
            assert each.interval is not None
            assert each.interval.low < 0 < each.interval.high
    parted = {title for title, found in rows if value_of(found.rho_agreement) * value_of(found.gap_agreement) < 0}
    assert parted == {"Chess", "Minesweeper", "Trust"}
    ordered = sorted(BLOCKS, key=lambda block: (block.agreement, block.run, block.t))
    best, worst = (fmean(block.gain for block in third) for third in (ordered[-93:], ordered[:93]))
    (published,) = [row for row in coupling_table() if row.game is None]
    flat = sum(block.gain == 0 for block in BLOCKS)
    page.says(
        f"over all, ({best:.3f}) - ({worst:.3f}) = {value_of(every.gap_agreement):.3f}, 93 blocks each.",
        f"The paper's pooled figures are {published.rho_agreement_gain}, {published.rho_neg_error_gain} and "
        f"{published.gap_agreement}.",
        f"In {flat} of the 280 blocks",
    )


def renamed(pooled: Sequence[Block]) -> list[Block]:
    """Return the blocks with run names in the opposite order."""
    names = sorted({block.run for block in pooled})
    opposite = dict(zip(names, reversed(names), strict=True))
    return [block._replace(run=opposite[block.run]) for block in pooled]


def ties(page: Page) -> None:
    snake = [block for block in BLOCKS if block.game == "snake"]
    one, other = (value_of(coupling(each).gap_agreement) for each in (snake, renamed(snake)))
    assert coupling(snake).rho_agreement == coupling(renamed(snake)).rho_agreement
    page.says(f"In Snake the gap of {one:.3f} would be {other:.3f} if the runs' names")


def shared_checkpoints(page: Page) -> None:
    trust = curve_of("random", "trust").ys[4:7]
    alone = neighbours(blocks_of(stored(), [RunName("random", "history", game) for game in GAMES]))
    found, every = pearson(*zip(*alone, strict=True)), pearson(*zip(*neighbours(BLOCKS), strict=True))
    assert (found.n, every.n) == (63, 252)
    assert all(len(set(curve_of("random", game).ys)) > 1 for game in GAMES)
    slope = linear_regression(*zip(*alone, strict=True)).slope
    assert -0.5 < slope < -0.4
    assert found.interval is not None
    assert found.interval.low < -0.5 < found.interval.high
    page.says(
        f"from {trust[0]:.2f} at x = 12 to {trust[1]:.2f} at x = 15 and back to {trust[2]:.2f} at x = 18: gains of "
        f"{trust[1] - trust[0]:.2f} and +{trust[2] - trust[1]:.2f} points",
        f"Over the seven games the 63 pairs correlate with {value_of(found):.2f}, in an interval from "
        f"{span(found, 2)}, which holds the -1/2;",
        f"over all 252 pairs of the 28 runs with {value_of(every):.2f}.",
    )


def upside_down(page: Page) -> None:
    runs = [RunName("learner", pathway, "nullify") for pathway in PATHWAYS]
    found = blocks_of(stored(), runs)
    won = {
        (f"{each.run.player}-{each.run.pathway}", each.after + 3.0): each.steps
        for each in stored().steps
        if each.run in runs and each.reward > 0
    }
    with_win = [block for block in found if (block.run, block.t) in won]
    without = [block for block in found if (block.run, block.t) not in won]
    assert set(won.values()) == {1}
    assert {block.agreement for block in without} == {1.0}
    assert all(value_of(judging_of("learner", "nullify", pathway).self_rate) == 0 for pathway in PATHWAYS)
    moves = {
        pathway: [
            (block.t, block.gain, (block.run, block.t) in won)
            for block in found
            if block.run.endswith(pathway) and block.gain != 0
        ]
        for pathway in PATHWAYS
    }
    assert moves["summary"] == [(15, 1, False), (18, -1, True)]
    assert len(moves["history"]) == 2
    history, summary = (
        value_of(coupling([block for block in found if block.run.endswith(pathway)]).rho_agreement)
        for pathway in ("history", "summary")
    )
    rho = coupling(found).rho_agreement
    assert rho.interval is not None
    judged = [block.agreement for block in with_win]
    page.says(
        f"| no exploration episode won | {len(without)} | 1.000 | {sum(block.gain for block in without):.1f} |",
        f"| one won | {len(with_win)} | {min(judged):.3f} to {max(judged):.3f} | "
        f"{sum(block.gain for block in with_win):.1f} |",
        f"Over these {len(found)} blocks rho(A, g) = {value_of(rho):.3f}, from {span(rho)};",
        f"under Summary ICL alone it is {summary:.3f},",
        f"Under History ICL two other gains make {history:.3f}.",
    )


def whole_runs(page: Page) -> None:
    def over(*players: str) -> Measured:
        names = [name for name in stored().curves if name.player in players]
        judged = [judging_of(name.player, name.game, name.pathway) for name in names]
        return run_level(
            [
                RunPoint(
                    each.agreement.value, each.self_rate.value, each.reward_rate.value, naba_of(stored().curves[name])
                )
                for name, each in zip(names, judged, strict=True)
            ]
        ).rho_agreement

    rows = ("random and learner", "random and greedy", "random alone", "learner alone", "greedy alone")
    for title in rows:
        found = over(*title.removesuffix(" alone").split(" and "))
        page.says(f"| {title} | {found.n} | {value_of(found):.3f} | {span(found)} |")
    flat = sum(auc_plus(stored().curves[name]) == 0 for name in NAMES)
    assert flat == 12
    greedy = [name for name in stored().curves if name.player == "greedy"]
    unmoved = sum(auc_plus(stored().curves[name]) == 0 for name in greedy)
    judged = [value_of(judging_of(name.player, name.game, name.pathway).agreement) for name in greedy]
    page.says(
        f"agrees in {min(judged):.3f} of its steps or more in every run",
        f"so {unmoved} of its {len(greedy)} runs have no area above",
        f"makes all of greedy's own {value_of(over('greedy')):.3f}.",
    )
    found = over("random", "greedy")
    assert found.interval is not None
    assert found.interval.high < 0
    page.says("Twelve runs share the lowest place")


def test_the_page_on_coupling_prints_what_the_runs_give() -> None:
    page = Page("coupling.md")
    for check in (gains, reported, ties, shared_checkpoints, upside_down, whole_runs):
        check(page)
    page.has_no_other_decimals()
