"""Charts as Plotly figures in JSON; colours and fonts are the style sheet's and are put in when drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.text import island, plotly_label
from leaderboard.view import Key
from scoring.results import CalibrationBin, CurvePoint, ExplorePoint

Trace = dict[str, object]

Range = tuple[float, float]

SERIES = 8
"""Curves that one chart may hold and still be read; as many colours, dashes and symbols are told apart."""

_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "solid", "dash")
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star", "triangle-down", "cross")
_GLYPHS = "●■◆▲✖★▼✚"
_STROKES = {
    "solid": "none",
    "dash": "9 9",
    "dot": "3 3",
    "dashdot": "9 3 3 3",
    "longdash": "15 15",
    "longdashdot": "15 6 3 6",
}
"""Plotly's dashes at the width of a curve, for the legend, which is not Plotly's: a long name wraps there."""

_QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
_PADDING = 0.06
_TICKS = 6


@dataclass(frozen=True, slots=True)
class Curve:
    """A named learning curve."""

    name: str
    points: tuple[CurvePoint, ...]


@dataclass(frozen=True, slots=True)
class Calibration:
    """What the rules paid where a named entry said so much."""

    name: str
    bins: tuple[CalibrationBin, ...]


def span(values: Sequence[float]) -> Range:
    """Return an axis range around the values, zero included."""
    low, high = min((0.0, *values)), max((0.0, *values))
    room = (high - low or 1.0) * _PADDING
    return (low - room, high + room)


def curve_span(points: Sequence[CurvePoint]) -> Range:
    """Return an axis range that shows every strict episode."""
    return span([score for point in points for score in (*point.scores, *_mean(point))])


def key_of(series: int, name: str, href: str, under: str) -> Key:
    """Return the line of the legend that names a curve."""
    return Key(series + 1, _GLYPHS[series], _STROKES[_DASHES[series]], name, href, under)


def comparison(curves: Sequence[Curve]) -> str:
    """Return the means of several learning curves in one chart."""
    assert len(curves) <= SERIES
    traces = [
        _line(curve.points, "mean", index) | {"name": plotly_label(curve.name)} for index, curve in enumerate(curves)
    ]
    limits = span([mean for curve in curves for point in curve.points for mean in _mean(point)])
    places = sorted({point.checkpoint for curve in curves for point in curve.points})
    return _figure(traces, "exploration episodes", "mean strict score", limits, places)


def learning(points: Sequence[CurvePoint], limits: Range, series: int = 0) -> str:
    """Return one learning curve: the strict episodes, their spread and mean, and the baseline."""
    traces = [_spread(points, series), _episodes(points, series), _line(points, "mean", series)]
    base = [mean for point in points[:1] if point.checkpoint == 0 for mean in _mean(point)]
    if base:
        ends = [points[0].checkpoint, points[-1].checkpoint]
        traces.insert(1, _trace("baseline y(0)", "lines", ends, base * 2, "baseline"))
    return _figure(traces, "exploration episodes", "strict score", limits, [point.checkpoint for point in points])


def calibrated(entries: Sequence[Calibration]) -> str:
    """Return mean rewards against mean self-scores, both scaled to 0..1, and the line on which they are equal."""
    assert len(entries) <= SERIES
    traces = [_trace("reward as said", "lines", [0.0, 1.0], [0.0, 1.0], "baseline")]
    for series, entry in enumerate(entries):
        xs, ys = [each.self_score for each in entry.bins], [each.reward for each in entry.bins]
        traces.append(_joined(xs, ys, series) | {"name": plotly_label(entry.name)})
    titles = ("mean self-score, scaled", "mean reward, scaled")
    return _figure(traces, *titles, span([1.0]), _QUARTERS)


def exploring(points: Sequence[ExplorePoint]) -> str:
    """Return the scores of the exploration episodes in the order they were played."""
    valid = [(point.index + 1, point.score) for point in points if point.score is not None]
    scores = [score for _, score in valid]
    trace = _trace("exploration", "markers", [place for place, _ in valid], scores, "explore")
    places = [point.index + 1 for point in points]
    return _figure([trace], "exploration episode", "score while exploring", span(scores), places)


def _mean(point: CurvePoint) -> tuple[float, ...]:
    return () if point.mean is None else (point.mean,)


def _trace(name: str, mode: str, x: Sequence[float], y: Sequence[float | None], role: str, series: int = 0) -> Trace:
    return {
        "type": "scatter",
        "name": name,
        "mode": mode,
        "x": list(x),
        "y": list(y),
        "meta": {"role": role, "series": series},
        "showlegend": False,
    }


def _line(points: Sequence[CurvePoint], role: str, series: int) -> Trace:
    """A failed checkpoint is left out and its neighbours are joined, as AUC+ joins them."""
    return _joined([p.checkpoint for p in points], [p.mean for p in points], series, role)


def _joined(x: Sequence[float], y: Sequence[float | None], series: int, role: str = "mean") -> Trace:
    trace = _trace("mean", "lines+markers", x, y, role, series)
    look = {"connectgaps": True, "line": {"dash": _DASHES[series]}, "marker": {"symbol": _SYMBOLS[series]}}
    return trace | look


def _episodes(points: Sequence[CurvePoint], series: int) -> Trace:
    pairs = [(point.checkpoint, score) for point in points for score in point.scores]
    return _trace("episode", "markers", [x for x, _ in pairs], [y for _, y in pairs], "episode", series)


def _spread(points: Sequence[CurvePoint], series: int) -> Trace:
    valid = [point for point in points if point.scores]
    there = [point.checkpoint for point in valid]
    high, low = [max(point.scores) for point in valid], [min(point.scores) for point in valid]
    trace = _trace("spread", "lines", there + there[::-1], high + low[::-1], "spread", series)
    return trace | {"fill": "toself", "hoverinfo": "skip"}


def _ticks(places: Sequence[float]) -> list[float]:
    """Return the first place and every so many-th after it, few enough to stand side by side on a phone."""
    return list(places[:: -(-len(places) // _TICKS) or 1])


def _figure(traces: Sequence[Trace], x_title: str, y_title: str, y_range: Range, places: Sequence[float]) -> str:
    """Plotly checks every name and value here; its import is slow, so it waits until a chart is built."""
    import plotly.graph_objects as go

    layout = {
        "template": {},
        "xaxis": {
            "title": {"text": x_title},
            "fixedrange": True,
            "zeroline": False,
            "showgrid": False,
            "tickvals": _ticks(places),
        },
        "yaxis": {"title": {"text": y_title}, "fixedrange": True, "range": list(y_range)},
        "dragmode": False,
        "hovermode": "closest",
    }
    figure = go.Figure(data=list(traces), layout=layout)
    drawn = {"data": [trace.to_plotly_json() for trace in figure.data], "layout": figure.layout.to_plotly_json()}
    drawn["layout"].pop("template", None)
    return island(drawn)
