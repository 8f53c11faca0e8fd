"""Requests, tokens and prices, before a run and after it."""

from __future__ import annotations

import itertools
import json
from typing import NamedTuple

from rich.table import Table

from runner.entry import Plan
from runner.forecast import Forecast, seconds_of
from runner.ledger import Ledger, money
from runner.prices import Prices
from s3gym.durations import duration
from s3gym.numbers import plural
from s3gym.output import out, plain, write_json

TOKENS_A_SECOND = 50
"""At which speed replies are assumed to be written, where nobody says how long one takes."""


class Estimate(NamedTuple):
    """What a plan would take, and what that rests on."""

    plan: Plan
    games: tuple[Forecast, ...]
    prices: Prices | None
    reply_tokens: int
    reply_seconds: float
    measured: bool
    """Whether the endpoint was heard before."""
    concurrency: int
    requests_per_minute: float | None

    @property
    def total(self) -> Forecast:
        """Return all games together."""
        return Forecast(
            "all",
            sum(each.requests for each in self.games),
            sum(each.most_requests for each in self.games),
            sum(each.tokens_in for each in self.games),
            sum(each.tokens_cached for each in self.games),
            sum(each.tokens_out for each in self.games),
            sum(each.in_a_row for each in self.games),
            tuple(itertools.chain.from_iterable(each.checkpoints for each in self.games)),
        )

    def seconds(self, *games: Forecast) -> float:
        """Return how long games take together, from the first reply to the last."""
        return seconds_of(
            games, self.reply_seconds, concurrency=self.concurrency, requests_per_minute=self.requests_per_minute
        )

    def cost(self, game: Forecast, *, cached: bool = True) -> float | None:
        """Return what a game costs; None where prices are not known."""
        if self.prices is None:
            return None
        return self.prices.cost(game.tokens_in, game.tokens_cached if cached else 0, game.tokens_out)

    @property
    def pace(self) -> str:
        """Return in words what the time rests on."""
        basis = " (from a small prompt)" if self.measured else ""
        limit = "" if self.requests_per_minute is None else f", {self.requests_per_minute:g} requests a minute at most"
        return f"{self.reply_seconds:.3g} s a reply{basis}, {plural(self.concurrency, 'episode')} at once{limit}"


def show_estimate(estimate: Estimate) -> None:
    """Print what an entry would take, a line a game and their sum; no line is longer than 80 characters."""
    plan, prices, total = estimate.plan, estimate.prices, estimate.total
    table = Table(box=None, pad_edge=False)
    table.add_column("game", no_wrap=True)
    for heading in ("requests", "at most", "prompt", "cached", "reply", "time"):
        table.add_column(heading, justify="right", no_wrap=True)
    if prices is not None:
        table.add_column(plain(prices.currency)[:10], justify="right", no_wrap=True)
    for each in [*estimate.games, total]:
        together = estimate.games if each is total else (each,)
        cost = estimate.cost(each)
        table.add_row(
            each.game,
            f"{each.requests:,}",
            f"{each.most_requests:,}",
            _millions(each.tokens_in),
            f"{each.cached_share:.0%}",
            _millions(each.tokens_out),
            duration(estimate.seconds(*together)),
            *([] if cost is None else [money(cost)]),
            end_section=each is estimate.games[-1],
        )
    console = out()
    console.print(f"{plain(plan.model)}, {plan.pathway}, {plain(plan.preset.id)}: an estimate, in tokens")
    console.print(table)
    console.print(f"Time: {estimate.pace}.")
    console.print("  (--assume-reply-seconds, --concurrency, --requests-per-minute)")
    console.print(f"Played offline by a built-in player that answers in {estimate.reply_tokens:,} tokens; a model")
    console.print("  that plays longer or thinks longer takes more: --assume-reply-tokens")
    console.print("Cached is what an ideal prefix cache serves; an endpoint's own may serve less.")
    uncached = estimate.cost(total, cached=False)
    if prices is None or uncached is None:
        console.print("Prices: give a table with --prices FILE (s3gym run --help).")
    else:
        console.print(f"Without any cache: {money(uncached)} {plain(prices.currency)}.")
    console.print("Nothing was sent.")


def write_estimate(estimate: Estimate) -> None:
    """Print the same as JSON."""
    plan, total = estimate.plan, estimate.total
    rows = [
        {
            "game": each.game,
            "requests": each.requests,
            "most_requests": each.most_requests,
            "tokens_in": each.tokens_in,
            "tokens_cacheable": each.tokens_cached,
            "tokens_out": each.tokens_out,
            "seconds": round(estimate.seconds(*(estimate.games if each is total else (each,))), 1),
            "cost": _rounded(estimate.cost(each)),
            "cost_uncached": _rounded(estimate.cost(each, cached=False)),
        }
        for each in (*estimate.games, total)
    ]
    whole = {
        "entry": plan.entry,
        "model": plan.model,
        "protocol": plan.preset.id,
        "pathway": plan.pathway,
        "reply_tokens": estimate.reply_tokens,
        "reply_seconds": estimate.reply_seconds,
        "concurrency": estimate.concurrency,
        "requests_per_minute": estimate.requests_per_minute,
        "currency": None if estimate.prices is None else estimate.prices.currency,
        "games": rows[:-1],
        "total": rows[-1],
    }
    write_json(json.dumps(whole, indent=2))


def estimate_line(estimate: Estimate) -> str:
    """Return in words what a plan would take."""
    total = estimate.total
    cost, uncached = estimate.cost(total), estimate.cost(total, cached=False)
    price = "no price known (--prices)"
    if estimate.prices is not None and cost is not None and uncached is not None:
        price = f"{money(cost)} {estimate.prices.currency}, without any cache {money(uncached)}"
    time = duration(estimate.seconds(*estimate.games))
    return (
        f"about {total.requests:,} requests, at most {total.most_requests:,}; {_millions(total.tokens_in)} prompt "
        f"tokens, {_millions(total.tokens_out)} reply tokens; {price}; about {time} at "
        f"{estimate.pace}"
    )


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
    return f"{tokens / 1e6:,.2f} M" if tokens < 1e8 else f"{tokens / 1e6:,.0f} M"


def _rounded(cost: float | None) -> float | None:
    return None if cost is None else round(cost, 4)
