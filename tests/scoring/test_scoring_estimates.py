"""Costs that say to be estimates are held to the estimate, of every reply and of every prompt that was surely sent."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protocol.context import Pathway
from protocol.decoding import decoding_at
from protocol.messages import Message
from protocol.preset import preset_named
from protocol.tokens import MESSAGE_OVERHEAD, estimate
from runner.entry import Plan, play_entry
from runner.models.model import FaultKind
from runner.retry import Asker, RetryPolicy
from scoring.checks import estimates
from scoring.crew import Workers
from scoring.registry import Registry
from scoring.report import Report
from scoring.verify import RefusedError, verify
from tests.bundles import KEY, TEAM, Board, Unwatched
from tests.runner.scripted import Event, Scripted
from tests.scoring.forge import Change, Fields, Json, Parts, forge, take_apart
from tests.scoring.test_scoring_honest import EVENTS, plans, played, verified

PRESET = preset_named("smoke-1")
FAILS = 10
"""The request of a step that stands in an exploration episode of Snake behind two others."""


def sent(messages: Sequence[Message]) -> int:
    """Return what the messages of a request are estimated at."""
    return sum(estimate(message.content) + MESSAGE_OVERHEAD for message in messages)


def number(value: Json) -> int:
    assert isinstance(value, int)
    return value


def change_cost(parts: Parts, cost: Fields, **values: int) -> None:
    """Change a cost, and the totals with it."""
    sums = parts.manifest["totals"]
    assert isinstance(sums, dict)
    for name, value in values.items():
        sums[name] = number(sums[name]) + value - number(cost[name])
        cost[name] = value


def report_of(bundle: Path, keys: Path, *, whole_replies: bool = True, workers: int = 0) -> Report:
    crew = Workers(workers) if workers else None
    try:
        return verify(bundle, Registry(keys), crew=crew, whole_replies=whole_replies).report
    except RefusedError as refusal:
        return refusal.report


def refused_by(report: Report) -> list[str]:
    return [check.code for check in report.checks if check.status == "failed"]


@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(plans(), EVENTS, st.sampled_from((1, 2)), st.data())
def test_no_estimate_can_be_another_by_one(
    plan: Plan, events: Mapping[int, Event], attempts: int, data: st.DataObject
) -> None:
    """Where the server may or may not have refused a prompt that was lost, the one that is a token off is no choice."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        bundle = played(plan, events, folder / "run", attempts=attempts, silent=True)
        verified(folder, bundle, plan.preset)
        file = data.draw(st.sampled_from([f"costs/{game}.jsonl" for game in plan.games]))
        costs = take_apart(bundle).lines[file]
        assert all(cost["estimated"] for cost in costs)
        line = data.draw(st.integers(0, len(costs) - 1))
        name = data.draw(st.sampled_from(("tokens_in", "tokens_in", "tokens_out")))
        more = data.draw(st.sampled_from((1, -1))) if number(costs[line][name]) else 1

        def change(parts: Parts) -> None:
            cost = parts.lines[file][line]
            change_cost(parts, cost, **{name: number(cost[name]) + more})

        forged = forge(bundle, folder / "forged", KEY, change)
        with pytest.raises(RefusedError) as refusal:
            verify(forged, Registry(folder / "keys"), lambda _: plan.preset)
        assert refused_by(refusal.value.report) == ["claims"]
        (fault,) = refusal.value.report.faults
        assert fault.place == f"line {line + 1}"
        assert fault.expected.startswith(name)


def failing(board: Board, folder: Path, kinds: Sequence[FaultKind]) -> tuple[Path, list[int]]:
    """Return a bundle of Snake one of whose steps fails with these faults, and what its prompts are estimated at."""
    model = Scripted(dict(enumerate(kinds, FAILS)))
    plan = Plan("failing", TEAM, "builtin:greedy", PRESET, ("snake",), "history", decoding=decoding_at(0.0))
    asker = Asker(RetryPolicy(attempts=1, repeats=0, failures_in_a_row=5))
    bundle = asyncio.run(play_entry(plan, model, folder, KEY, Unwatched(), asker)).bundle
    return bundle, [sent(messages) for messages in model.requests[FAILS : FAILS + len(kinds)]]


def estimated_at(tokens: int, requests: int) -> Change:
    """Estimate the prompt of the one failed request at so many tokens."""

    def change(parts: Parts) -> None:
        (cost,) = (cost for cost in parts.lines["costs/snake.jsonl"] if cost["estimated"])
        change_cost(parts, cost, tokens_in=tokens, requests=requests)

    return change


OVERFLOW, LOST = FaultKind.OVERFLOW, FaultKind.SERVER


@pytest.mark.parametrize(
    ("kinds", "requests", "possible"),
    [
        ((LOST,), 1, (True,)),
        ((OVERFLOW, LOST), 1, (True, False)),
        ((OVERFLOW, LOST), 2, (True, True)),
        ((OVERFLOW, OVERFLOW), 2, (False, True)),
        ((OVERFLOW, OVERFLOW), 1, (False, True)),
    ],
)
def test_a_prompt_without_a_reply_is_one_that_was_sent_last(
    board: Board, tmp_path: Path, kinds: Sequence[FaultKind], requests: int, possible: Sequence[bool]
) -> None:
    """Nothing is recorded of it: one that the server refused was cut and sent again, in a request of its own."""
    bundle, tokens = failing(board, tmp_path / "run", kinds)
    assert report_of(bundle, board.keys).verdict == "accepted"
    assert len(set(tokens)) == len(kinds)
    for place, (each, may_be) in enumerate(zip(tokens, possible, strict=True)):
        forged = forge(bundle, tmp_path / f"{place}", KEY, estimated_at(each, requests))
        assert refused_by(report_of(forged, board.keys)) == ([] if may_be else ["claims"])


def test_a_prompt_that_holds_nothing_to_cut_is_the_one_that_was_refused(board: Board, tmp_path: Path) -> None:
    model = Scripted({0: OVERFLOW})
    plan = Plan(
        "first", TEAM, "builtin:greedy", PRESET, ("snake",), "history", system_role=True, decoding=decoding_at(0.0)
    )
    bundle = asyncio.run(play_entry(plan, model, tmp_path / "run", KEY, Unwatched(), Asker())).bundle
    tokens = sent(model.requests[0])
    (cost,) = (cost for cost in take_apart(bundle).lines["costs/snake.jsonl"] if cost["estimated"])
    assert (cost["tokens_in"], cost["requests"]) == (tokens, 1)
    assert report_of(bundle, board.keys).verdict == "accepted"
    forged = forge(bundle, tmp_path / "forged", KEY, estimated_at(tokens - 1, 2))
    assert refused_by(report_of(forged, board.keys)) == ["claims"]


@pytest.mark.parametrize("pathway", ["history", "summary"])
@pytest.mark.parametrize("more", [0, 1])
def test_the_report_is_the_same_whoever_works_and_whatever_is_kept(
    board: Board, tmp_path: Path, pathway: Pathway, more: int
) -> None:
    plan = Plan("silent", TEAM, "builtin:greedy", PRESET, ("snake", "trust"), pathway, decoding=decoding_at(0.0))
    bundle = played(plan, {}, tmp_path / "run", silent=True)

    def change(parts: Parts) -> None:
        for file in ("costs/snake.jsonl", "costs/trust.jsonl"):
            for cost in parts.lines[file][::10]:
                change_cost(parts, cost, tokens_in=number(cost["tokens_in"]) + more)

    forged = forge(bundle, tmp_path / "forged", KEY, change)
    alone = report_of(forged, board.keys)
    assert refused_by(alone) == (["claims"] if more else [])
    assert report_of(forged, board.keys, workers=2).to_json() == alone.to_json()
    assert report_of(forged, board.keys, whole_replies=False).to_json() == alone.to_json()


@pytest.mark.parametrize("pathway", ["history", "summary"])
def test_nothing_is_estimated_where_an_endpoint_reported_all_usage(
    board: Board, pathway: Pathway, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> int:
        raise AssertionError("expected no estimate")

    monkeypatch.setattr(estimates, "estimate", never)
    monkeypatch.setattr(estimates, "whole_tokens", never)
    assert report_of(board.bundle(pathway), board.keys, whole_replies=False).verdict == "accepted"
