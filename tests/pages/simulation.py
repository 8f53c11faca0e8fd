"""The page that says how often intervals hold and tests err, from the stored simulations."""

from __future__ import annotations

from benchmarks.simulation import Row, stored

HEAD = """\
# How sure is it?

A run is a handful of checkpoints, each the mean of a few episodes. What can be claimed from that was simulated
before it was chosen: runs were made up whose truth is known, and every figure below is the share of {runs:,} such
runs (0.05 has an error of 0.005, 0.5 one of 0.011). `python -m benchmarks.simulation record` makes the
[figures](../reference/simulation.csv) anew, and the test suite repeats a part of them.

Most runs have the paper's 11 checkpoints. Seeds differ in difficulty and are the same at every checkpoint. A
*linear* learner gains one standard deviation of a single episode by x = 30, a *step* learner gains it at once at x
= 15. *shared*: all episodes of a checkpoint share a noise of half a deviation, as a memory of changing quality
would give. *failed*: the checkpoint x = 12 failed. *repeats*: x = 0 was played three times. *short*: five
checkpoints, up to x = 12 where the gain is one deviation, and from x = 6 on for a step learner. In the 0/1 game an
episode is won with a chance of about 0.3 at first.
"""

LEVEL = """\
## Without learning

What should happen: the trend test, and the comparison of two equal runs (*pairs apart*), raise a false alarm in 5% of
cases, and 95% of the intervals hold the truth. *AUC+ > 0* is the naive count: by luck alone most runs "improve", which
is why a game counts as improved beyond noise only by the trend test.

Where x = 0 is repeated its mean varies less than the other checkpoints, and the test, which puts all of them in random
order, errs in 3% of runs only. It would err in 5% if the repeats were all alike, as if x = 0 had been played once.
"""

POWER = """\
## With learning

*found* is the share of learners that the trend test finds at 0.05, before the adjustment over games; beside it a
permutation test on AUC+ itself, which finds next to nothing: AUC+ hangs on which checkpoint happens to be the
baseline. With 3 strict episodes half of such learners go unseen, so "no gain beyond noise" does not mean "no gain".
Intervals hold the truth at least as often as they say; for a step learner more often, since its step looks like
noise to a smooth trend. Repeats of x = 0 make up for what the test lets go by: they find as many learners or more.
"""

SEEDS = """\
## Why not a bootstrap over seeds

With three seeds, the usual bootstrap interval runs from the lowest to the highest of three means. It holds the
expected score over all levels in {low:.0%} to {high:.0%} of runs instead of 95%. No method makes three levels speak
for all: intervals here are labelled *conditional on this round's seeds*, and entries are compared on the same
seeds.

## What follows for a reader

- A claim about one game of one run under `paper-1` is weak. `rigorous-1`, with 16 strict episodes, finds
  {found:.0%} of linear learners where `paper-1` finds {lost:.0%}.
- More strict episodes help little against what a checkpoint's episodes share (*shared*: with 16 a third to a half of
  the learners still go unseen): only more runs do.
- The intervals take checkpoints as independent, given the trend. A context that drifts from checkpoint to
  checkpoint breaks that, and nothing inside one run can tell it from learning.
- Rates of self-judging carry intervals as if steps were independent. Steps of one episode are not; those are too
  narrow.
"""


def simulation_page() -> str:
    """Return the page."""
    rows = stored()
    plain = [row for row in rows if row.scenario.trouble == "plain" and row.scenario.strict == 3]
    seeds = [row.figures.seeds_resampled for row in plain if row.figures.seeds_resampled is not None]
    power = {
        row.scenario.strict: row.figures.beyond_noise
        for row in rows
        if (row.scenario.game, row.scenario.learner, row.scenario.trouble) == ("0/1", "linear", "plain")
    }
    return "\n".join(
        [
            HEAD.format(runs=rows[0].figures.runs),
            LEVEL,
            *_level([row for row in rows if row.scenario.learner == "none"]),
            POWER,
            *_power([row for row in rows if row.scenario.learner != "none"]),
            SEEDS.format(low=min(seeds), high=max(seeds), found=power[16], lost=power[3]),
        ]
    )


def _level(rows: list[Row]) -> list[str]:
    lines = [
        "| game | strict | kind | trend test | pairs apart | Avg holds | delta holds | net area holds | AUC+ > 0 |",
        "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for (game, strict, _, trouble), each in rows:
        shares = (each.beyond_noise, each.separated, each.avg, each.delta, each.net, each.positive)
        lines.append(f"| {game} | {strict} | {trouble} | " + " | ".join(f"{share:.3f}" for share in shares) + " |")
    return [*lines, ""]


def _power(rows: list[Row]) -> list[str]:
    lines = [
        "| game | strict | learner | kind | found | by AUC+ itself | Avg holds | delta holds | net area holds |",
        "| --- | ---: | --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for (game, strict, learner, trouble), each in rows:
        shares = (each.beyond_noise, each.area_test, each.avg, each.delta, each.net)
        row = f"| {game} | {strict} | {learner} | {trouble} | " + " | ".join(f"{share:.3f}" for share in shares)
        lines.append(f"{row} |")
    return [*lines, ""]
