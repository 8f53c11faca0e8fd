"""A small writer of charts as SVG: the same bytes for the same numbers, no library.

A chart stands on a card of its own, light or dark as the reader's system asks, so that it can be read on either.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Literal, NamedTuple

WIDTH = 440
"""Pixels of a chart; a phone of 360 shows it at three quarters, and 14 then read as 10."""
_FONT = 14

Colour = Literal["ink", "soft", "line", "one", "two", "three"]
Anchor = Literal["start", "middle", "end"]
Point = tuple[float, float]

_STYLE = """\
<style>
svg { --card: #ffffff; --ink: #1c2126; --soft: #565e66; --line: #dedbd3 }
svg { --one: #0b6e78; --two: #b4470f; --three: #5b4fb0 }
@media (prefers-color-scheme: dark) {
svg { --card: #1b1f23; --ink: #e8e5de; --soft: #a5abb0; --line: #3d444a }
svg { --one: #5cc4c4; --two: #f19a63; --three: #aca3f2 }
}
text { font: 14px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif }
</style>"""


class Axis(NamedTuple):
    """The range of an axis and the places with a number, in the data's unit."""

    low: float
    high: float
    ticks: Sequence[float]
    name: str
    labels: Sequence[str] = ()
    """What stands at the ticks where it is not their number."""
    grid: bool = True
    """Whether a line goes through the panel at every tick; on the axis that runs upwards only."""

    def marks(self) -> list[tuple[float, str]]:
        """Return each tick and what stands there."""
        names = self.labels or [f"{tick:g}".replace("-", "−") for tick in self.ticks]
        return list(zip(self.ticks, names, strict=True))


class Frame(NamedTuple):
    """Where a panel lies on the chart, in pixels."""

    left: float
    top: float
    right: float
    bottom: float


def px(value: float) -> str:
    """Return a length with at most one decimal."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


class Chart:
    """Collects the elements of one chart."""

    def __init__(self, height: int, description: str) -> None:
        self._height = height
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"',
            f"><title>{escape(description, quote=False)}</title>",
            _STYLE,
            f'<rect width="{WIDTH}" height="{height}" rx="6" style="fill:var(--card);stroke:var(--line)"/>',
        ]

    def text(
        self, x: float, y: float, words: str, colour: Colour = "ink", anchor: Anchor = "start", *, bold: bool = False
    ) -> None:
        """Write words; y is the line they stand on."""
        weight = ";font-weight:600" if bold else ""
        self._parts.append(
            f'<text x="{px(x)}" y="{px(y)}" text-anchor="{anchor}" style="fill:var(--{colour}){weight}">'
            f"{escape(words, quote=False)}</text>"
        )

    def path(self, points: Sequence[Point], colour: Colour, *, width: float = 2, dash: str = "") -> None:
        """Draw a line through points."""
        dashed = f";stroke-dasharray:{dash}" if dash else ""
        self._parts.append(
            f'<path d="{_through(points)}" style="fill:none;stroke:var(--{colour});stroke-width:{width:g}{dashed}"/>'
        )

    def area(self, points: Sequence[Point], colour: Colour, opacity: float = 0.25) -> None:
        """Fill what a line through points and back to the first encloses."""
        self._parts.append(f'<path d="{_through(points)}Z" style="fill:var(--{colour});fill-opacity:{opacity:g}"/>')

    def dot(self, at: Point, colour: Colour, radius: float = 4, *, hollow: bool = False) -> None:
        """Draw a dot, or a ring."""
        fill = "var(--card)" if hollow else f"var(--{colour})"
        self._parts.append(
            f'<circle cx="{px(at[0])}" cy="{px(at[1])}" r="{px(radius)}" '
            f'style="fill:{fill};stroke:var(--{colour});stroke-width:1.5"/>'
        )

    def diamond(self, at: Point, colour: Colour, radius: float = 5) -> None:
        """Draw a diamond, told from a dot without colour."""
        x, y = at
        corners = [(x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y)]
        self._parts.append(f'<path d="{_through(corners)}Z" style="fill:var(--{colour})"/>')

    def box(self, left: float, top: float, right: float, bottom: float, colour: Colour, opacity: float = 1) -> None:
        """Draw a filled rectangle."""
        self._parts.append(
            f'<rect x="{px(left)}" y="{px(top)}" width="{px(right - left)}" height="{px(bottom - top)}" '
            f'style="fill:var(--{colour});fill-opacity:{opacity:g}"/>'
        )

    def written(self) -> str:
        """Return the file."""
        return "\n".join([*self._parts, "</svg>"]) + "\n"


class Panel:
    """A pair of axes on a chart."""

    def __init__(self, chart: Chart, frame: Frame, x: Axis, y: Axis) -> None:
        self.chart = chart
        self._frame, self._x, self._y = frame, x, y
        for tick, mark in y.marks():
            left, level = self.at(x.low, tick)
            if y.grid:
                chart.path([(left, level), (frame.right, level)], "line", width=1)
            chart.text(left - 7, level + 5, mark, "soft", "end")
        for tick, mark in x.marks():
            place, bottom = self.at(tick, y.low)
            chart.path([(place, bottom), (place, bottom + 4)], "soft", width=1)
            chart.text(place, bottom + 19, mark, "soft", "middle")
        chart.path([(frame.left, frame.bottom), (frame.right, frame.bottom)], "soft", width=1)
        chart.text((frame.left + frame.right) / 2, frame.bottom + 38, x.name, "soft", "middle")
        chart.text(frame.left - 34, frame.top - 12, y.name, "soft")

    def at(self, x: float, y: float) -> Point:
        """Return the pixels of a point of the data."""
        frame, across, up = self._frame, self._x, self._y
        return (
            frame.left + (x - across.low) / (across.high - across.low) * (frame.right - frame.left),
            frame.bottom - (y - up.low) / (up.high - up.low) * (frame.bottom - frame.top),
        )

    def line(self, points: Sequence[Point], colour: Colour, *, width: float = 2, dash: str = "") -> None:
        """Draw a line through points of the data."""
        self.chart.path([self.at(*each) for each in points], colour, width=width, dash=dash)

    def level(self, y: float, colour: Colour, dash: str = "5 4") -> None:
        """Draw a level from side to side."""
        self.line([(self._x.low, y), (self._x.high, y)], colour, width=1.5, dash=dash)

    def dots(self, points: Sequence[Point], colour: Colour, radius: float = 4, *, hollow: bool = False) -> None:
        """Draw a dot at each point of the data."""
        for each in points:
            self.chart.dot(self.at(*each), colour, radius, hollow=hollow)

    def label(
        self,
        x: float,
        y: float,
        words: str,
        colour: Colour = "ink",
        anchor: Anchor = "start",
        dx: float = 0,
        dy: float = 0,
    ) -> None:
        """Write words at a point of the data, moved by some pixels."""
        left, level = self.at(x, y)
        self.chart.text(left + dx, level + dy, words, colour, anchor)


def _through(points: Sequence[Point]) -> str:
    return "M" + "L".join(f"{px(x)} {px(y)}" for x, y in points)
