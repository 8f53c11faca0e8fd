"""What a run has taken so far, and the bounds at which it stops."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from protocol.tokens import estimate
from runner.journal import Billed, Outcome
from runner.prices import Prices
from runner.retry import PauseRunError


def money(amount: float) -> str:
    """Return an amount as it is shown: small ones with more digits."""
    return f"{amount:,.2f}" if amount >= 1 else f"{amount:.4f}"


@dataclass(frozen=True, slots=True)
class Spent:
    """Requests and tokens, those of earlier sittings included."""

    requests: int = 0
    tokens_in: int = 0
    tokens_cached: int = 0
    """As far as the endpoint reports it."""
    tokens_out: int = 0
    estimated: int = 0
    """Replies without reported usage, whose tokens are estimated."""

    def after(self, outcome: Outcome) -> Spent:
        """Return what is spent when the tokens of an outcome are added."""
        if outcome.fault is not None:
            return self
        reported = outcome.tokens_in is not None and (outcome.tokens_out is not None or not outcome.reply)
        return replace(
            self,
            tokens_in=self.tokens_in + (outcome.prompt_tokens if outcome.tokens_in is None else outcome.tokens_in),
            tokens_cached=self.tokens_cached + (outcome.tokens_cached or 0),
            tokens_out=self.tokens_out
            + (estimate(outcome.reply or "") if outcome.tokens_out is None else outcome.tokens_out),
            estimated=self.estimated + (not reported),
        )

    def with_billed(self, billed: Billed) -> Spent:
        """Return what is spent when the tokens of a request are added whose reply is not kept."""
        return replace(
            self,
            tokens_in=self.tokens_in + billed.tokens_in,
            tokens_cached=self.tokens_cached + billed.tokens_cached,
            tokens_out=self.tokens_out + billed.tokens_out,
            estimated=self.estimated + billed.estimated,
        )


class Ledger:
    """Counts what an entry takes and stops it, resumably, at its bounds.

    Every request is counted when its answer is there, also where its reply is not kept, and none is sent once the bound
    is reached. Requests that are under way then are still waited for, so a cost goes beyond its bound by what as many
    requests cost as are sent at once, at most. What a failed request cost that brought no count is not known; it counts
    as a request only.

    Args:
        prices: What tokens cost; None where that is not known.
        max_requests: Requests after which no further one is sent, all sittings together.
        max_cost: Cost, in the currency of the prices, from which on no further request is sent.

    Raises:
        ValueError: If there is a bound on the cost but no price.
    """

    def __init__(
        self, prices: Prices | None = None, *, max_requests: int | None = None, max_cost: float | None = None
    ) -> None:
        if max_cost is not None and prices is None:
            raise ValueError("max-cost: expected prices as well, got none; give them with --prices")
        self.prices = prices
        self.spent = Spent()
        self.earlier = Spent()
        """What earlier sittings took."""
        self._max_requests = max_requests
        self._max_cost = max_cost

    @property
    def cost(self) -> float | None:
        """Return what was spent, in the currency of the prices; None where prices are not known."""
        if self.prices is None:
            return None
        return self.prices.cost(self.spent.tokens_in, self.spent.tokens_cached, self.spent.tokens_out)

    def resume(self, requests: int, billed: Iterable[Billed], outcomes: Iterable[Outcome]) -> None:
        """Begin with what earlier sittings took."""
        self.spent = Spent(requests=requests)
        for each in billed:
            self.billed(each)
        for outcome in outcomes:
            self.answered(outcome)
        self.earlier = self.spent

    def asking(self) -> None:
        """Count a request that is about to be sent.

        Raises:
            PauseRunError: If a bound is reached.
        """
        if self._max_requests is not None and self.spent.requests >= self._max_requests:
            raise PauseRunError(
                f"{self.spent.requests:,} requests were sent, the bound is {self._max_requests:,}; "
                "go on with a higher --max-requests"
            )
        cost = self.cost
        if self._max_cost is not None and self.prices is not None and cost is not None and cost >= self._max_cost:
            raise PauseRunError(
                f"{money(cost)} {self.prices.currency} are spent, the bound is {money(self._max_cost)}; "
                "go on with a higher --max-cost"
            )
        self.spent = replace(self.spent, requests=self.spent.requests + 1)

    def billed(self, billed: Billed) -> None:
        """Count what a request took whose reply is not kept."""
        self.spent = self.spent.with_billed(billed)

    def answered(self, outcome: Outcome) -> None:
        """Count what came of a step's requests."""
        self.spent = self.spent.after(outcome)
