"""Colours can be told from their ground, light and dark (WCAG 2.2: 4.5 for text, 3 for lines and points)."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

import leaderboard.build

SHEET = (Path(leaderboard.build.__file__).parent / "static" / "site.css").read_text()


def colours(scheme: str) -> dict[str, str]:
    light, dark = re.findall(r":root \{(.*?)\}", SHEET.partition("@media print")[0], re.DOTALL)
    return dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6});", light + (dark if scheme == "dark" else "")))


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_the_measure_itself() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read(scheme: str) -> None:
    found = colours(scheme)
    for ground in ("paper", "card"):
        for ink in ("ink", "ink-soft", "accent"):
            assert contrast(found[ink], found[ground]) >= 4.5, (ink, ground)
    for ground in ("first", "second", "third"):
        assert contrast(found["ink"], found[ground]) >= 4.5, ground
    assert contrast(found["warn"], found["warn-soft"]) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_curves_can_be_seen(scheme: str) -> None:
    found = colours(scheme)
    series = [found[f"series-{place}"] for place in range(1, 9)]
    assert len(set(series)) == 8
    assert all(contrast(colour, found["card"]) >= 3 for colour in series)
    assert contrast(found["ink-soft"], found["card"]) >= 3


def test_curves_differ_without_colour() -> None:
    from leaderboard.figures import SERIES, key_of

    keys = [key_of(place, "name", "page", "model") for place in range(SERIES)]
    assert len({(key.glyph, key.dashes) for key in keys}) == SERIES
    assert len({key.glyph for key in keys}) == SERIES
    assert all(one.dashes != other.dashes for one, other in pairwise(keys))
