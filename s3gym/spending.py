"""Requests, tokens and prices, before a run and after it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rich.table import Table

from runner.entry import Plan
from runner.forecast import Forecast
from runner.ledger import Ledger, money
from runner.prices import Prices
from s3gym.output import out, plain, write_json


def show_forecast(plan: Plan, found: Sequence[Forecast], prices: Prices | None, reply_tokens: int) -> None:
    """Print what an entry would take, a line a game and their sum."""
    title = f"{plain(plan.model)}, {plan.pathway}, {plan.preset.id}: an estimate"
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column("game", no_wrap=True)
    for heading in ("requests", "at most", "prompt tokens", "cacheable", "reply tokens"):
        table.add_column(heading, justify="right")
    if prices is not None:
        table.add_column(f"{plain(prices.currency)}, cached", justify="right")
        table.add_column("not cached", justify="right")
    for each in [*found, _sum(found)]:
        cells = [
            each.game,
            f"{each.requests:,}",
            f"{each.most_requests:,}",
            _millions(each.tokens_in),
            f"{each.cached_share:.0%}",
            _millions(each.tokens_out),
        ]
        if prices is not None:
            cells += [money(_cost(each, prices)), money(_cost(each, prices, cached=False))]
        table.add_row(*cells, end_section=bool(found) and each is found[-1])
    console = out()
    console.print(table)
    console.print(
        f"Played offline by a built-in player that answers in {reply_tokens:,} tokens; tokens are the protocol's own "
        "estimate. A model that plays longer episodes or thinks longer takes more: --assume-reply-tokens. Cacheable is "
        "what an ideal prefix cache serves; an endpoint's own cache may serve less. Nothing was sent."
    )
    if prices is None:
        console.print("Prices: give a table with --prices FILE (s3gym run --help).")


def write_forecast(plan: Plan, found: Sequence[Forecast], prices: Prices | None, reply_tokens: int) -> None:
    """Print the same as JSON."""
    rows = [
        {
            "game": each.game,
            "requests": each.requests,
            "most_requests": each.most_requests,
            "tokens_in": each.tokens_in,
            "tokens_cacheable": each.tokens_cached,
            "tokens_out": each.tokens_out,
            "cost": None if prices is None else round(_cost(each, prices), 4),
            "cost_uncached": None if prices is None else round(_cost(each, prices, cached=False), 4),
        }
        for each in [*found, _sum(found)]
    ]
    whole = {
        "entry": plan.entry,
        "model": plan.model,
        "protocol": plan.preset.id,
        "pathway": plan.pathway,
        "reply_tokens": reply_tokens,
        "currency": None if prices is None else prices.currency,
        "games": rows[:-1],
        "total": rows[-1],
    }
    write_json(json.dumps(whole, indent=2))


def spent_line(ledger: Ledger) -> str:
    """Return in words what a run has taken so far."""
    spent = ledger.spent
    cached = f", {spent.tokens_cached / spent.tokens_in:.0%} of them cached" if spent.tokens_cached else ""
    words = f"{spent.requests:,} requests, {spent.tokens_in:,} prompt tokens{cached}, {spent.tokens_out:,} reply tokens"
    if spent.estimated:
        words += f" ({spent.estimated:,} replies estimated)"
    if ledger.prices is not None and ledger.cost is not None:
        words += f", {money(ledger.cost)} {ledger.prices.currency}"
    return words


def _millions(tokens: int) -> str:
    return f"{tokens / 1e6:,.2f} M"


def _sum(found: Sequence[Forecast]) -> Forecast:
    return Forecast(
        "all",
        sum(each.requests for each in found),
        sum(each.most_requests for each in found),
        sum(each.tokens_in for each in found),
        sum(each.tokens_cached for each in found),
        sum(each.tokens_out for each in found),
    )


def _cost(each: Forecast, prices: Prices, *, cached: bool = True) -> float:
    return prices.cost(each.tokens_in, each.tokens_cached if cached else 0, each.tokens_out)
