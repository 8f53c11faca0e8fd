"""One page on one entry, in words that claim no more than the numbers carry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from protocol.comparable import whose_words
from protocol.decoding import asked_with, one_line
from protocol.records import Totals
from s3gym.durations import duration
from s3gym.markdown import code_block, literal, said, table
from s3gym.numbers import number, percent, plural, span
from s3gym.sheets import Sheet
from s3gym.wording import (
    JUDGING_LEGEND,
    LEGEND,
    MARKS,
    PATHWAYS,
    SURENESS,
    Gain,
    by_luck,
    caution,
    gain,
    game_remarks,
    rank_text,
)
from scoring.metric_terms import RunMetric
from scoring.report import Report
from scoring.results import RANKED_METRICS, RunResult
from scoring.statistics.trend import LEVEL

_SHOWN: tuple[RunMetric, ...] = ("y0", "avg", "max", "final_delta", "auc_plus", "naba", "trend_p_adjusted")
_JUDGED: tuple[RunMetric, ...] = ("agreement", "nmae", "bias", "missing_scores")


def report_text(sheet: Sheet, checks: Report, field: int, commands: Sequence[str]) -> str:
    """Return the page, in Markdown.

    Args:
        sheet: The entry with its numbers.
        checks: What its verification said.
        field: How many entries of its protocol and pathway it was ranked among, itself included.
        commands: How anyone can check it.
    """
    parts = [
        f"# Entry {literal(sheet.entry.entry)}",
        *_verdict(sheet),
        "## What was measured",
        *_measured(sheet),
        "## Scores",
        *_scores(sheet),
        "## Self-judging",
        *_judging(sheet),
        "## Ranks",
        *_ranks(sheet, field),
        "## What it took",
        _took(sheet.entry.totals),
        "## Failures, departures and remarks",
        *_remarks(sheet),
        "## What this rests on",
        *_rests(sheet, checks),
        "## Check it yourself",
        code_block(commands),
    ]
    return "\n\n".join(parts) + "\n"


def _gains(sheet: Sheet) -> dict[Gain, list[str]]:
    """Return the games by what is said of their gains."""
    found: dict[Gain, list[str]] = {"beyond noise": [], "within noise": [], "cannot be told": []}
    for run in sheet.entry.runs:
        found[gain(run)].append(run.game)
    return found


def _verdict(sheet: Sheet) -> Iterator[str]:
    gains, games = _gains(sheet), plural(len(sheet.entry.runs), "game")
    beyond, within, untold = gains["beyond noise"], gains["within noise"], gains["cannot be told"]
    found = [f"Gain beyond noise in {len(beyond)} of {games} ({', '.join(beyond)})"] if beyond else []
    found += [f"No gain beyond noise in {len(within)} of {games}"] if within else []
    found += [f"Whether there is a gain cannot be told in {len(untold)} of {games}"] if untold else []
    yield f"**{'. '.join(found)}.**"
    naive = sheet.totals["games_improved"]
    if naive.value is not None:
        luck = ", which luck alone mostly reaches" if naive.value else ""
        yield f"By the naive count, AUC+ > 0, it is {naive.value:.0f} of {naive.n}{luck}."
    if sheet.entry.outside_main_table is not None:
        yield f"It stands outside the main table: {said(sheet.entry.outside_main_table)}."
    yield from (f"{line[0].upper()}{line[1:]}." for line in caution(sheet))


def _measured(sheet: Sheet) -> Iterator[str]:
    entry = sheet.entry
    whose = whose_words(entry.protocol_digest, released=entry.released)
    lines = [
        f"model: {literal(entry.model)}, as its team {literal(entry.team)} names it",
        f"pathway: {PATHWAYS[entry.pathway]}",
        f"protocol: {literal(entry.protocol)}, {literal(entry.protocol_title)}, {whose}",
        f"games: {', '.join(run.game for run in entry.runs)}",
        *(
            f"a run: {plural(each.checkpoints, 'checkpoint')}, the first before any exploration, "
            f"each of {plural(each.episodes, 'strict episode')}"
            for each in sorted(set(sheet.strict.values()))
        ),
        f"endpoint: {entry.endpoint.kind}, model {literal(entry.endpoint.model)}",
        f"asked with {said(one_line(asked_with(entry.decoding)))}",
        f"budgets: {entry.input_budget:,} tokens in, {entry.output_budget:,} out, estimated",
    ]
    yield "\n".join(f"- {line}" for line in lines)
    yield (
        "*Beyond noise* means: AUC+ > 0, and the one-sided permutation test for a rising trend over the checkpoints "
        f"gives p <= {LEVEL} after the adjustment of Benjamini and Hochberg over the entry's games."
    )


def _scores(sheet: Sheet) -> Iterator[str]:
    headings = (
        "game",
        "y(0)",
        "Avg",
        "95%",
        "Max",
        "final delta",
        "95%",
        "AUC+",
        "by luck",
        "NABA",
        "adjusted p",
        "gain",
    )

    def cells(run: RunResult) -> Iterator[str]:
        yield run.game
        for metric in _SHOWN:
            row = sheet.rows[run.game, metric]
            yield number(row.value)
            if metric in ("avg", "final_delta"):
                yield span(row.low, row.high)
            if metric == "auc_plus":
                yield by_luck(sheet, run.game)
        yield gain(run)

    yield table(headings, [list(cells(run)) for run in sheet.entry.runs])
    yield "\n".join(f"- {what}: {meaning}" for what, meaning in LEGEND if what != "rank")


def _judging(sheet: Sheet) -> Iterator[str]:
    yield "\n".join(f"- {run.game}: {_judged(sheet, run.game)}" for run in sheet.entry.runs)
    yield (
        "Of the exploration steps with a self-score, END left out. The intervals take steps as independent; steps of "
        "one episode are not, so they are too narrow."
    )
    yield "\n".join(f"- {what}: {meaning}" for what, meaning in JUDGING_LEGEND if what.startswith("NMAE"))


def _judged(sheet: Sheet, game: str) -> str:
    agreement, missing = sheet.rows[game, "agreement"], sheet.rows[game, "missing_scores"]
    if agreement.value is None:
        return f"not told, since {said(agreement.reason or '')}."
    base, rate = (sheet.rows[game, metric].value for metric in ("base_rate", "reward_rate"))
    assert base is not None
    assert rate is not None
    constant = f"always saying 0 would in {percent(base)}"
    if rate > base:
        constant += f", always promising a reward in {percent(rate)}"
    over, under = (percent(sheet.rows[game, metric].value) for metric in ("over_confidence", "under_confidence"))
    nmae, bias = (number(sheet.rows[game, metric].value) for metric in ("nmae", "bias"))
    silent = f" {percent(missing.value)} of the steps have no self-score." if missing.value else ""
    return (
        f"agrees with the verifier in {percent(agreement.value)} of {plural(agreement.n, 'step')} "
        f"(95%: {percent(agreement.low)} to {percent(agreement.high)}); {constant}. "
        f"It promised a reward that did not come in {over}, and none where one came in {under}. "
        f"NMAE {nmae}, bias {bias}.{silent}"
    )


def _ranks(sheet: Sheet, field: int) -> Iterator[str]:
    if field < 2:
        yield "No other entry of this protocol and pathway was given, so there is nothing to rank it among."
        return
    yield (
        f"Among the {field} entries of this protocol and pathway that were given, within each game; "
        "= : not to be told from the first. Ranks say nothing about entries that were not given."
    )
    headings = ("game", "by Avg", "by Max", "by AUC+")
    games = [run.game for run in sheet.entry.runs]
    yield table(headings, [[game, *(rank_text(sheet, game, each) for each in RANKED_METRICS)] for game in games])


def _took(totals: Totals) -> str:
    cached = "not reported" if totals.tokens_cached is None else f"{totals.tokens_cached:,}"
    return (
        f"{plural(totals.steps, 'step')}, {plural(totals.requests, 'request')}, {totals.tokens_in:,} tokens in "
        f"(from a cache: {cached}), {totals.tokens_out:,} out, {duration(totals.seconds)} of waiting for replies; "
        "as the endpoint reported it, estimated where it did not."
    )


def _remarks(sheet: Sheet) -> Iterator[str]:
    entry = sheet.entry
    failed = [(run.game, run.failed_checkpoints, run.failed_explorations) for run in entry.runs]
    failures = [
        f"- {game}: {plural(strict, 'failed checkpoint')}, {plural(explored, 'failed exploration')}"
        for game, strict, explored in failed
        if strict or explored
    ]
    yield "\n".join(["Failures:", "", *failures]) if failures else "Failures: none."
    departures = [f"- {literal(each)}" for each in entry.deviations]
    yield (
        "\n".join(["Departures from the protocol:", "", *departures])
        if departures
        else ("Departures from the protocol: none declared or found.")
    )
    remarks = [
        f"- {run.game}: {said(remark)}"
        for run in entry.runs
        for remark in game_remarks(sheet, run, (*_SHOWN, *_JUDGED))
    ]
    if remarks:
        yield "\n".join(["Remarks:", "", *remarks])


def _rests(sheet: Sheet, checks: Report) -> Iterator[str]:
    entry = sheet.entry
    passed = sum(check.status == "passed" for check in checks.checks)
    yield (
        f"The bundle was accepted by scorer {literal(checks.scorer)}: {passed} of {len(checks.checks)} verification "
        f"steps passed. SHA-256 of its envelope: {literal(entry.bundle_digest)}."
    )
    yield (
        f"- Signed: who holds the key {literal(entry.keyid)}, registered for team {literal(entry.team)}, signed "
        "exactly these bytes. That says nothing of whether a word of it is true, or who the team is.\n"
        "- Replayed: each raw reply, read and played again on the protocol's seeds, gives the recorded action, reward, "
        "end and score, and each prompt, built again, has the recorded digest. That does not show which model wrote "
        "the replies, what was really sent to it, or how often a run was thrown away before this one."
    )
    yield (f"In the project's documentation: `{MARKS}` on both, `{SURENESS}` on how far to trust intervals and tests.")
