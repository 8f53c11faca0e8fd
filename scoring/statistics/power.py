"""What a run of so many checkpoints and strict episodes can show at all, from the stored simulations."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import NamedTuple

from scoring.statistics.student import normal_quantile

WANTED = 0.8


class Found(NamedTuple):
    """Share of learners that the trend test finds, who gain one standard deviation of an episode along a line."""

    won_or_lost: float
    """Episodes score 0 or 1."""
    normal: float
    """Episode scores are normal."""


FOUND: Mapping[int, Mapping[int, Found]] = {
    5: {3: Found(0.209, 0.284), 12: Found(0.620, 0.644), 16: Found(0.703, 0.744)},
    11: {
        3: Found(0.473, 0.478),
        6: Found(0.710, 0.730),
        8: Found(0.788, 0.809),
        12: Found(0.916, 0.926),
        16: Found(0.968, 0.968),
    },
}
"""By checkpoints and strict episodes; a test holds them equal to docs/reference/simulation.csv."""


class Gain(NamedTuple):
    """The smallest gain that is found as often as wanted, in standard deviations of one episode."""

    value: float
    exact: bool
    """False: more than this, which is as far as the simulations go."""


def smallest_gain(checkpoints: int, strict_episodes: int) -> Gain | None:
    """Return the smallest gain by the last checkpoint that 80% of runs show, None if such runs were not simulated.

    With normal scores the power hangs on gain times sqrt(strict episodes) alone, so that the simulated numbers of
    episodes are points of one curve; between two of them the normal quantile of the power is taken as straight.
    """
    points = [(math.sqrt(strict), found.normal) for strict, found in sorted(FOUND.get(checkpoints, {}).items())]
    if not points or strict_episodes < 1:
        return None
    for (near, low), (far, high) in itertools.pairwise(points):
        if low <= WANTED <= high:
            ends = normal_quantile(low), normal_quantile(high)
            share = (normal_quantile(WANTED) - ends[0]) / (ends[1] - ends[0])
            return Gain((near + share * (far - near)) / math.sqrt(strict_episodes), exact=True)
    return Gain(points[-1][0] / math.sqrt(strict_episodes), exact=False)


def power_note(checkpoints: int, strict_episodes: int) -> str:
    """Return the sentence that says how little so many episodes can show; to stand where a gain is not found.

    Args:
        checkpoints: Valid checkpoints of a run.
        strict_episodes: Strict episodes of each.
    """
    runs = f"{checkpoints} checkpoints of {strict_episodes} strict episode{'' if strict_episodes == 1 else 's'}"
    gain = smallest_gain(checkpoints, strict_episodes)
    if gain is None:
        return f"What {runs} can show was not simulated; no gain beyond noise does not mean no gain."
    found = FOUND[checkpoints].get(strict_episodes)
    least = f"{'at least' if gain.exact else 'more than'} {gain.value:.1f} standard deviations of an episode"
    often = f" find a gain of one standard deviation in {min(found):.0%} of runs, and" if found else ""
    return (
        f"{runs}{often} find a gain in {WANTED:.0%} of runs only if it is {least}; "
        "no gain beyond noise does not mean no gain."
    )
