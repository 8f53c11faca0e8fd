"""What goes wrong with a request: drawn from a seed, the digest of its messages and how often they were sent.

Nothing else enters, so whatever the concurrency, the order or the number of sittings, the same prompt meets the same
weather.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Weather(StrEnum):
    """How a request is met."""

    CLEAR = "clear"
    # No completed reply comes.
    RESET = "connection reset"
    CLOSED = "closed without an answer"
    CUT = "body cut"
    STREAM_DIES = "stream that dies"
    HANG = "hang"
    DRIP = "drip of blanks"
    RATE_LIMIT = "429"
    RATE_LIMIT_WAIT = "429 with Retry-After"
    SERVER = "500"
    GATEWAY = "502 with HTML"
    DOWN = "503 with Retry-After"
    BUSY = "529"
    ERROR_200 = "200 with an error"
    NO_CHOICES = "200 with choices null"
    HTML_200 = "200 with HTML"
    TRUNCATED_200 = "200 with half a JSON"
    # A reply comes that says nothing.
    EMPTY = "empty content"
    REASONING = "reasoning only"
    TOOL_CALLS = "tool calls only"
    FILTER_ERROR = "content-filter error"
    FILTER_FINISH = "content-filter finish"
    # The reply comes whole, in another form.
    NO_USAGE = "usage null"
    PARTS = "content in parts"
    BLANKS = "blanks before the body"
    CHUNKED = "body in chunks"
    SLOW = "slow"


FAULTS: Mapping[Weather, int] = {
    Weather.RESET: 4,
    Weather.CLOSED: 4,
    Weather.CUT: 4,
    Weather.STREAM_DIES: 4,
    Weather.HANG: 1,
    Weather.DRIP: 1,
    Weather.RATE_LIMIT: 6,
    Weather.RATE_LIMIT_WAIT: 6,
    Weather.SERVER: 4,
    Weather.GATEWAY: 4,
    Weather.DOWN: 4,
    Weather.BUSY: 4,
    Weather.ERROR_200: 4,
    Weather.NO_CHOICES: 4,
    Weather.HTML_200: 4,
    Weather.TRUNCATED_200: 4,
}
"""Transport faults and their weights; those that take a whole time limit are rare."""
POOR: Mapping[Weather, int] = {
    Weather.EMPTY: 3,
    Weather.REASONING: 3,
    Weather.TOOL_CALLS: 3,
    Weather.FILTER_ERROR: 3,
    Weather.FILTER_FINISH: 3,
}
"""Empty and filtered replies."""
ODD = (Weather.NO_USAGE, Weather.PARTS, Weather.BLANKS, Weather.CHUNKED, Weather.SLOW)

Schedule = Callable[[str, int], Weather]
"""From the digest of a prompt and the number of its sending, from 1, to what it meets."""


def clear(digest: str, sending: int) -> Weather:
    """Return a fair day."""
    return Weather.CLEAR


@dataclass(frozen=True)
class Storm:
    """Faults by chance, never more for one prompt than the retry policy bears.

    The bounds hold for all sendings of a prompt together, so they hold for every ask of it as well, also where two
    episodes ask the same or a sitting was killed in between.
    """

    seed: int
    share: float = 0.1
    """Of the sendings that meet a fault or a poor reply."""
    worst: float = 0.003
    """Of the prompts that first meet as many faults and poor replies as there may be."""
    odd: float = 0.1
    """Of the other sendings that are answered in an odd form."""
    most_faults: int = 5
    most_poor: int = 2
    never: frozenset[Weather] = frozenset()
    """What does not come; the others come the more often."""

    def __call__(self, digest: str, sending: int) -> Weather:
        """Return what a sending meets."""
        worst = self._draws(digest, 0).random() < self.worst
        left = {**dict.fromkeys(FAULTS, self.most_faults), **dict.fromkeys(POOR, self.most_poor)}
        for each in range(1, self.most_faults + self.most_poor + 1):
            met = self._one(digest, each, worst, left)
            if each == sending:
                return met
            for weather in FAULTS if met in FAULTS else POOR if met in POOR else ():
                left[weather] -= 1
        draws = self._draws(digest, sending)
        return draws.choice(ODD) if draws.random() < self.odd else Weather.CLEAR

    def _one(self, digest: str, sending: int, worst: bool, left: Mapping[Weather, int]) -> Weather:
        draws = self._draws(digest, sending)
        weights = {
            weather: weight
            for weather, weight in {**FAULTS, **POOR}.items()
            if left[weather] > 0 and weather not in self.never
        }
        if weights and (worst or draws.random() < self.share):
            return draws.choices(list(weights), list(weights.values()))[0]
        return draws.choice(ODD) if draws.random() < self.odd else Weather.CLEAR

    def _draws(self, digest: str, sending: int) -> random.Random:
        seed = hashlib.sha256(f"{self.seed}\n{digest}\n{sending}".encode()).digest()
        return random.Random(int.from_bytes(seed, "big"))
