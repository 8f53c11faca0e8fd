"""What may be said of results: one wording for every table, comparison and report.

Nothing here is a proof, and nothing is called a gain because it looks like one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from protocol.comparable import whose_words
from protocol.context import Pathway
from protocol.decoding import beside_temperature, one_line
from s3gym.numbers import NONE, number, plural
from s3gym.sheets import Sheet
from scoring.metric_terms import RUN_METRICS, RunMetric
from scoring.results import EntryResult, Row, RunResult
from scoring.statistics.power import power_note
from scoring.statistics.trend import LEVEL, least_share

Gain = Literal["beyond noise", "within noise", "cannot be told"]
PATHWAYS: Mapping[Pathway, str] = {"history": "History ICL", "summary": "Summary Memory"}
SURENESS = "docs/explanation/how-sure-is-it.md"
MARKS = "docs/explanation/marks.md"
UNTOLD = "how many beyond noise cannot be told"
ENOUGH = 12
"""Strict episodes of a checkpoint from which most of the simulated gains of one standard deviation are found."""
LEGEND = (
    ("y(0), Avg, Max", "before exploration; mean and highest of the checkpoints"),
    ("95%", "interval, conditional on this round's seeds"),
    ("AUC+", "area above y(0); by luck: its median and 95% point if the same checkpoints stand in random order"),
    ("NABA", "AUC+ / y(0)"),
    ("adjusted p", "of a rising trend (one-sided permutation test), adjusted over the entry's games"),
    ("rank", "by AUC+, within a game; = : not to be told from the first"),
)
JUDGING_LEGEND = (
    ("A", "share of steps on which self-score and reward agree in being positive; base: that of always saying 0"),
    ("over, under", "shares of steps with only the self-score, only the reward positive; the 95% of A is too narrow"),
    ("NMAE, bias", "scaled distance of self-score and reward; mean of self-score minus reward"),
)
ASIDE: frozenset[RunMetric] = frozenset({"trend_p", "trend_p_adjusted"})
"""Metrics whose notes tell how they came about, not that anything is amiss."""


LUCK: frozenset[RunMetric] = frozenset({"auc_plus_luck_median", "auc_plus_luck_high"})
"""Missing exactly where AUC+ is, for its reason."""


def gain(run: RunResult) -> Gain:
    """Return what is said of a run's gain."""
    if run.beyond_noise is None:
        return "cannot be told"
    return "beyond noise" if run.beyond_noise else "within noise"


def game_remarks(sheet: Sheet, run: RunResult, metrics: Sequence[RunMetric]) -> tuple[str, ...]:
    """Return what a row of a table has to say beyond its numbers: why one is missing, and what is special about it."""
    found = [f"not ranked: {run.reason}"] if run.reason and run.reason != sheet.entry.outside_main_table else []
    found += run.marks
    if run.unreadable:
        found.append(f"unreadable replies: {run.unreadable} of {run.steps}")
    if run.truncated + run.empty + run.filtered:
        parts = ((run.truncated, "truncated"), (run.empty, "empty"), (run.filtered, "filtered"))
        found.append(f"replies {', '.join(f'{word}: {count}' for count, word in parts if count)} of {run.steps}")
    if run.cut_off > run.truncated:
        found.append(f"replies cut off after an answer: {run.cut_off - run.truncated} of {run.steps}")
    if run.second_answers:
        found.append(f"replies with another answer before the one played: {run.second_answers} of {run.steps}")
    if run.never_recovered:
        found.append("never recovered: every later checkpoint lies below y(0)")
    found += gaps({RUN_METRICS[metric].title: sheet.rows[run.game, metric] for metric in metrics if metric not in LUCK})
    found += _notes([sheet.rows[run.game, metric] for metric in metrics if metric not in ASIDE])
    p = sheet.rows[run.game, "trend_p"]
    if "trend_p_adjusted" in metrics and run.beyond_noise is None and p.value is not None:
        found.append(f"gain: {plural(p.n, 'checkpoint')} give no p below {number(least_share(p.n))}")
    return tuple(dict.fromkeys(found))


def gathered(said: Sequence[tuple[str, Sequence[str]]]) -> list[tuple[str, str]]:
    """Return remarks line by line, each with what it is about; what holds for all is said once.

    Args:
        said: The remarks on each row of a table, by its label.
    """
    common = [remark for remark in said[0][1] if len(said) > 1 and all(remark in own for _, own in said)]
    found = [("all" if place == 0 else "", remark) for place, remark in enumerate(common)]
    for label, own in said:
        rest = [remark for remark in own if remark not in common]
        found += [(label if place == 0 else "", remark) for place, remark in enumerate(rest)]
    return found


def gaps(rows: Mapping[str, Row]) -> Iterator[str]:
    """Yield why values and intervals are missing, those of one reason together.

    Args:
        rows: By the title that each goes by.
    """
    reasons: dict[str, list[str]] = {}
    for title, row in rows.items():
        if row.value is None and row.reason is not None:
            reasons.setdefault(row.reason, []).append(title)
    yield from (f"no {', '.join(titles)}: {reason}" for reason, titles in reasons.items())
    spans: dict[str, list[str]] = {}
    for title, row in rows.items():
        # That x = 0 was played once is the rule, and no remark.
        if row.no_bounds is not None and row.metric != "y0":
            spans.setdefault(row.no_bounds, []).append(title)
    yield from (f"no interval of {', '.join(titles)}: {reason}" for reason, titles in spans.items())


def _notes(rows: Sequence[Row]) -> Iterator[str]:
    yield from (row.reason for row in rows if row.value is not None and row.reason is not None)


def improved(sheet: Sheet) -> str:
    """Return how many games of an entry improved, by the naive count and beyond noise."""
    naive, beyond = sheet.totals["games_improved"], sheet.totals["games_beyond_noise"]
    if naive.value is None:
        return f"games improved: {naive.reason}"
    noise = UNTOLD if beyond.value is None else f"{beyond.value:.0f} of {beyond.n} beyond noise"
    luck = ", which luck alone mostly reaches" if naive.value else ""
    return f"games improved: {noise}; {naive.value:.0f} of {naive.n} by the naive AUC+ > 0{luck}"


def caution(sheet: Sheet) -> Iterator[str]:
    """Yield what keeps an entry's protocol from saying much, if anything does."""
    if not sheet.strict:
        return
    most = max(sheet.strict.values())
    tested = [row for (_, metric), row in sheet.rows.items() if metric == "trend_p" and row.value is not None]
    if most.episodes == 1:
        yield f"1 strict episode a checkpoint is too few to claim anything ({SURENESS})"
    elif most.episodes < ENOUGH and tested:
        yield f"{power_note(max(row.n for row in tested), most.episodes)} ({SURENESS})"
    if not tested:
        return
    least = least_share(max(row.n for row in tested))
    if least <= LEVEL < least * len(tested):
        yield (
            f"over {len(tested)} games the least adjusted p of a single one is {number(least * len(tested))}: "
            "a gain in one game alone is never beyond noise here"
        )


def conditions(entry: EntryResult) -> str:
    """Return what an entry is, on one line, with what its model was asked with beside the temperature."""
    own = "" if entry.released else f" ({whose_words(entry.protocol_digest, released=False)})"
    settings = beside_temperature(entry.decoding)
    asked = f"; {one_line(settings)}" if settings else ""
    return f"{entry.model}, {entry.pathway}, {entry.protocol}{own}{asked}"


def by_luck(sheet: Sheet, game: str) -> str:
    """Return the median and the 95% point of AUC+ in random order of the checkpoints."""
    median, high = (sheet.rows[game, metric].value for metric in ("auc_plus_luck_median", "auc_plus_luck_high"))
    return NONE if median is None else f"{number(median)}, {number(high)}"


def rank_text(sheet: Sheet, game: str, metric: RunMetric) -> str:
    """Return a rank within a game; ``=`` marks who cannot be told from the first, and then the first too."""
    rank = sheet.ranks[game, metric]
    if rank.rank is None:
        return NONE
    return f"{rank.rank} of {rank.n}{' =' if (game, metric) in sheet.tied else ''}"
