"""Thinking before an answer, as long as models write it: made of words, the same for the same key."""

from __future__ import annotations

import random
from functools import cache

from games.rng import below, hashed

MEDIAN = 1_500
"""Characters of the middle reply."""
LONG = 40_000
LONG_PERCENT = 5

_CORPUS = 4_000_000
_SYLLABLES = 300
_VOCABULARY = 6_000
_SENTENCE = 14
_PARAGRAPH = 4
_MARKS = (*(".", "?", ":", "!", " \u2014", " **so**.", ' "that".') * 5, " (x < 3).")


@cache
def corpus() -> str:
    """Return much text whose words follow Zipf's law, in sentences and paragraphs.

    It is far longer than what gzip looks back on, so that pieces of it compress as fresh text does: about 1 to 2.7.
    """
    draw = random.Random("paper-sized set").random
    consonants, vowels = "bcdfghklmnprstvw", "aeiou"
    syllables = [
        consonants[below(draw(), 16)] + vowels[below(draw(), 5)] + consonants[below(draw(), 16)] * below(draw(), 2)
        for _ in range(_SYLLABLES)
    ]
    words = [
        "".join(syllables[below(draw(), _SYLLABLES)] for _ in range(1 + below(draw(), 3))) for _ in range(_VOCABULARY)
    ]
    parts: list[str] = []
    size = sentences = 0
    while size < _CORPUS:
        # A word of rank r comes about as often as 1 / r.
        said = [words[int(_VOCABULARY ** draw()) - 1] for _ in range(3 + below(draw(), _SENTENCE))]
        sentences += 1
        end = "\n\n" if sentences % _PARAGRAPH == 0 else " "
        parts.append(f"{' '.join(said).capitalize()}{_MARKS[below(draw(), len(_MARKS))]}{end}")
        size += len(parts[-1])
    return "".join(parts)


def thinking(key: str) -> str:
    """Return the thinking of one reply: half of the usual ones are longer than the median, one in twenty is long."""
    drawn = random.Random(hashed("thinking", key))
    size = LONG if drawn.random() * 100 < LONG_PERCENT else int(MEDIAN * (0.4 + 1.2 * drawn.random()))
    start = below(drawn.random(), _CORPUS - 2 * LONG)
    text = corpus()[start : start + size].strip()
    return f"<think>\n{text}\n</think>\n" if drawn.random() < 0.25 else f"{text}\n"
