"""What a run takes: foretold, counted, bounded."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from protocol.budgets import budgets
from protocol.context import Pathway
from protocol.records import MAX_TAKEN, CostRecord
from runner.entry import Finished, Plan, play_entry
from runner.forecast import forecast
from runner.ledger import Ledger, Spent
from runner.models.builtin import Builtin
from runner.models.model import Answer, FaultKind, Usage
from runner.prices import Prices, read_prices
from runner.retry import Asker, PauseRunError
from tests.bundles import KEY, Unwatched, plan
from tests.runner.scripted import Scripted, uncompressed

PRICES = Prices(input=2.0, cached_input=0.5, output=8.0)


def finish(folder: Path, model: Scripted, ledger: Ledger, chosen: Plan | None = None) -> Finished:
    async def no_wait(seconds: float) -> None:
        """Let the time pass."""

    asker = Asker(sleep=no_wait)
    playing = play_entry(chosen or plan("history"), model, folder, KEY, Unwatched(), asker, ledger=ledger)
    return asyncio.run(playing)


def costs(finished: Finished) -> list[CostRecord]:
    import gzip

    lines = [
        line
        for path in sorted((finished.bundle / "costs").iterdir())
        for line in gzip.decompress(path.read_bytes()).splitlines()
    ]
    return [CostRecord.model_validate(json.loads(line)) for line in lines]


def test_prices_are_of_a_million_tokens_and_cached_ones_are_cheaper() -> None:
    """600,000 fresh at 2, 400,000 cached at 0.5, 100,000 out at 8."""
    assert PRICES.cost(1_000_000, 400_000, 100_000) == pytest.approx(1.2 + 0.2 + 0.8)
    assert Prices(input=2.0, output=8.0).cost(1_000_000, 400_000, 0) == pytest.approx(2.0)
    assert PRICES.cost(10, 20, 0) == pytest.approx(10e-6)


def test_a_table_of_prices_is_read_by_the_models_name(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text('["org/m:q4"]\ninput = 1\noutput = 2.5\ncurrency = "EUR"\n[other]\ninput = 9\noutput = 9\n')
    assert read_prices(path, "org/m:q4") == Prices(input=1.0, output=2.5, currency="EUR")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[m]\ninput = 1\n", "m.output: field required"),
        ("[m]\ninput = -1\noutput = 1\n", "m.input: input should be greater than or equal to 0"),
        ("[m]\ninput = nan\noutput = 1\n", "m.input"),
        ("[m]\ninput = 1\noutput = 1\ncache = 1\n", "m.cache"),
        ("[other]\ninput = 1\noutput = 1\n", r'expected a section \["m"\], found only: other'),
        ("", "found only: none"),
        ("[m", "expected a TOML table"),
    ],
)
def test_a_table_that_cannot_be_used_says_where(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=rf"prices\.toml.*{told}"):
        read_prices(path, "m")


def test_a_bound_on_the_cost_needs_prices() -> None:
    with pytest.raises(ValueError, match="--prices"):
        Ledger(max_cost=1.0)


@pytest.mark.parametrize("pathway", ["history", "summary"])
def test_a_forecast_is_what_the_same_player_then_takes(tmp_path: Path, pathway: Pathway) -> None:
    """Requests and prompt tokens of the steps, to the token; tips differ between the two."""
    chosen = plan(pathway)
    room = budgets(chosen.preset, Builtin("greedy").endpoint)
    model = Scripted({})
    ledger = Ledger()
    taken = costs(finish(tmp_path, model, ledger, chosen))
    found = forecast(chosen, room, reply_tokens=50)
    assert sum(each.requests for each in found) == len(model.requests) == ledger.spent.requests
    for each in found:
        mine = [cost for cost in taken if cost.game == each.game]
        assert each.requests == len(mine)
        if pathway == "history":
            assert each.tokens_in == sum(cost.tokens_in for cost in mine)
        assert each.tokens_out == 50 * each.requests
        assert 0.5 < each.cached_share < 1
        assert each.requests <= each.most_requests


def test_the_most_requests_are_the_step_limits_of_all_episodes() -> None:
    """smoke-1: 2 exploration episodes and 2 checkpoints of 1 strict episode, 8 steps each, of both games."""
    chosen = plan("summary")
    found = forecast(chosen, budgets(chosen.preset, Builtin("greedy").endpoint))
    assert [each.most_requests for each in found] == [4 * 8 + 2, 4 * 8 + 2]


def test_the_run_stops_at_the_bound_on_requests_and_goes_on_with_a_higher_one(tmp_path: Path) -> None:
    whole = Scripted({})
    expected = uncompressed(finish(tmp_path / "whole", whole, Ledger()).bundle)
    first, second = Scripted({}), Scripted({})
    with pytest.raises(PauseRunError, match="11 requests were sent, the bound is 11"):
        finish(tmp_path / "pieces", first, Ledger(max_requests=11))
    with pytest.raises(PauseRunError, match="bound is 11"):
        finish(tmp_path / "pieces", Scripted({}), Ledger(max_requests=11))
    assert len(first.requests) == 11
    finished = finish(tmp_path / "pieces", second, Ledger(max_requests=1_000))
    assert uncompressed(finished.bundle) == expected
    assert len(first.requests) + len(second.requests) == len(whole.requests)


def test_the_run_stops_when_so_much_is_spent_whatever_sitting_it_was_spent_in(tmp_path: Path) -> None:
    """Every reply costs 1,000 x 2 + 500 x 8 millionths; the third is still sent below 0.015, the fourth is not."""

    def replies() -> Scripted:
        return Scripted(lambda number, messages: Answer("Answer: UP, Score: 0", "stop", Usage(1_000, 500)))

    model, ledger = replies(), Ledger(PRICES, max_cost=0.015)
    with pytest.raises(PauseRunError, match=r"0\.0180 USD are spent, the bound is 0\.0150;"):
        finish(tmp_path, model, ledger)
    assert len(model.requests) == 3
    assert ledger.cost == pytest.approx(0.018)
    again, later = replies(), Ledger(PRICES, max_cost=0.020)
    with pytest.raises(PauseRunError, match=r"bound is 0\.0200"):
        finish(tmp_path, again, later)
    assert len(again.requests) == 1
    assert later.cost == pytest.approx(0.024)


@pytest.mark.parametrize(
    ("usage", "told"),
    [
        (Usage(2**53 - 1, 2**53 - 1, 2**53 - 1), None),
        (Usage(100, MAX_TAKEN + 1, None), None),
        (Usage(100, 5, 101), (100, 5, None)),
        (Usage(MAX_TAKEN, MAX_TAKEN, MAX_TAKEN), (MAX_TAKEN, MAX_TAKEN, MAX_TAKEN)),
    ],
)
def test_usage_that_no_reply_can_have_is_not_reported_and_ends_no_run(
    tmp_path: Path, usage: Usage, told: tuple[int, int, int | None] | None
) -> None:
    model = Scripted(lambda number, messages: Answer("Answer: END, Score: 0", "stop", usage))
    for cost in costs(finish(tmp_path, model, Ledger())):
        assert cost.estimated == (told is None)
        assert told is None or (cost.tokens_in, cost.tokens_out, cost.tokens_cached) == told


def test_EP_23_replies_without_usage_are_estimated_and_counted_as_such(tmp_path: Path) -> None:
    ledger = Ledger()
    answers = {0: Answer("Answer: UP, Score: 0", "stop"), 1: Answer("Answer: UP, Score: 0", "stop", Usage(70, 7, 60))}
    finish(tmp_path, Scripted(answers), ledger)
    assert ledger.spent.estimated == 1
    assert ledger.spent.tokens_cached == 60


def test_a_failed_request_is_a_request_and_costs_no_tokens(tmp_path: Path) -> None:
    calm, stormy = Ledger(), Ledger()
    finish(tmp_path / "calm", Scripted({}), calm)
    finish(tmp_path / "stormy", Scripted({3: FaultKind.SERVER, 4: FaultKind.TIMEOUT}), stormy)
    assert stormy.spent.requests == calm.spent.requests + 2
    assert stormy.spent.tokens_in == calm.spent.tokens_in
    assert Spent() == Ledger().spent
