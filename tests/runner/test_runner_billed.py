"""What was billed is counted, whether a reply to play came of it or not; the bound on the cost sees it at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from protocol.messages import Message
from protocol.records import Endpoint
from runner.entry import Finished, play_entry
from runner.journal import read_journal
from runner.ledger import Ledger
from runner.models.builtin import Builtin
from runner.models.chat_faults import kind_of, read_error
from runner.models.chat_reply import NoCompletionError, read_reply, read_usage
from runner.models.model import Answer, FaultKind, TransportFaultError, Usage
from runner.prices import Prices
from runner.retry import Asker, PauseRunError, completed
from runner.together import Seats
from scoring.registry import Registry
from scoring.verify import verify
from tests.bundles import KEY, Board, Unwatched, plan
from tests.runner.faults import HELLO, Reply, completion, error, json_reply, scripted
from tests.runner.scripted import Event, Scripted, costs_of
from tests.runner.shapes import MOVE, chat, count
from tests.runner.test_runner_openai_chat import answer_to, fault_of

LIMIT_REACHED = (
    "Could not finish the message because max_tokens or model output limit was reached. "
    "Please try again with higher max_tokens."
)
PRICES = Prices(input=2.0, cached_input=0.5, output=8.0)


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    return Board(tmp_path_factory.mktemp("board"))


async def no_wait(seconds: float) -> None:
    """Let the time pass."""


def finish(folder: Path, model: Scripted, ledger: Ledger | None = None, seats: int = 1) -> Finished:
    chosen = replace(plan("history"), games=("trust",))
    asker = Asker(sleep=no_wait)
    playing = play_entry(
        chosen, model, folder, KEY, Unwatched(), asker, seats=Seats(seats), ledger=ledger or Ledger(PRICES)
    )
    return asyncio.run(playing)


@pytest.mark.parametrize(
    "reply",
    [
        json_reply({"model": "m", "choices": [], "usage": count(1200, 640)}),
        json_reply({"model": "m", "usage": count(1200, 640)}),
        json_reply(chat({"content": None}, count(1200, 640), "error")),
        json_reply(chat({"content": 42}, count(1200, 640))),
        json_reply({"error": {"message": "upstream failed"}, "usage": count(1200, 640)}),
        json_reply({"error": {"message": "upstream failed"}, "usage": count(1200, 640)}, 502),
        json_reply({"error": {"message": "upstream failed", "usage": count(1200, 640)}}, 500),
        json_reply({"error": {"message": "no", "code": "content_filter"}, "usage": count(1200, 640)}, 400),
    ],
    ids=["no choices", "none at all", "finish error", "number", "error with 200", "502", "inside the error", "filter"],
)
def test_an_answer_that_is_no_reply_is_counted_where_it_says_so(reply: Reply) -> None:
    assert fault_of(reply).usage == Usage(1200, 640)


@pytest.mark.parametrize("body", ["", "{", "[]", "null", '{"usage":7}', '{"error":"busy"}', '{"usage":{"a":-1}}'])
def test_an_error_that_counts_nothing_counts_nothing(body: str) -> None:
    assert read_usage(body) == Usage()


def test_a_refusal_in_its_field_is_counted_and_told_as_one() -> None:
    answer = answer_to(json_reply(chat({"content": None, "refusal": "I can't help."}, count(90, 8))))
    assert (answer.text, answer.finish, answer.usage) == ("I can't help.", "refusal", Usage(90, 8))


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": [{"type": "refusal", "refusal": "No."}]}, "No."),
        ({"content": "Well", "refusal": "No."}, "Well"),
        ({"content": "", "refusal": " No. "}, " No. "),
    ],
)
def test_a_refusal_is_told_wherever_it_stands(message: dict[str, object], text: str) -> None:
    answer = answer_to(json_reply(chat(message)))
    assert (answer.text, answer.finish) == (text, "refusal")


@pytest.mark.parametrize("refusal", [None, "", "  ", 7, {}])
def test_a_refusal_that_says_nothing_is_none(refusal: object) -> None:
    answer = answer_to(json_reply(chat({"content": MOVE, "refusal": refusal})))
    assert (answer.text, answer.finish) == (MOVE, "stop")


@pytest.mark.parametrize(
    "refused",
    [
        error(400, LIMIT_REACHED),
        error(400, LIMIT_REACHED, "invalid_request_error"),
        json_reply({"error": {"message": LIMIT_REACHED}}),
        error(400, "Failed to generate JSON: max completion tokens reached before generating a valid document"),
    ],
)
def test_EP_04_an_error_that_tells_of_the_token_limit_is_a_truncated_reply(refused: Reply) -> None:
    fault = fault_of(refused)
    assert fault.kind is FaultKind.TRUNCATED
    asked = asyncio.run(completed(Scripted({0: fault}), HELLO, 100))
    assert asked == Answer("", "length", Usage(None, 100)), "as many tokens as were allowed were generated"


def test_no_other_refusal_is_taken_for_it() -> None:
    for message in ("max_tokens is too large: 14000", "Unsupported parameter: 'max_tokens'", "Rate limit reached"):
        assert kind_of(400, read_error(message)) is FaultKind.REFUSED


def test_every_request_of_a_step_stands_in_its_cost(board: Board, tmp_path: Path) -> None:
    """The first step takes three requests: one of 640 tokens without a choice, an empty one, and the reply."""
    events: dict[int, Event] = {
        1: TransportFaultError(FaultKind.MALFORMED, "no choices", usage=Usage(100, 640, 60)),
        2: Answer("", "stop", Usage(100, 3)),
        3: Answer("Answer: cheat, Score: 1", "stop", Usage(100, 9, 90)),
    }
    ledger = Ledger(PRICES)
    model = Scripted(events)
    finished = finish(tmp_path, model, ledger)
    first, second, *rest = costs_of(finished.bundle)
    assert second.requests == 3
    assert (second.tokens_in, second.tokens_out, second.tokens_cached, second.estimated) == (300, 652, 150, False)
    others = [first, *rest]
    assert ledger.spent.tokens_out == 652 + sum(each.tokens_out for each in others)
    assert ledger.spent.tokens_in == 300 + sum(each.tokens_in for each in others)
    assert verify(finished.bundle, Registry(board.keys)).manifest.totals.tokens_out == ledger.spent.tokens_out
    lines = read_journal(tmp_path / "journal.jsonl")
    assert len(lines.outcomes) == len(costs_of(finished.bundle))


def test_a_step_that_failed_has_what_its_errors_counted_and_the_bundle_passes(board: Board, tmp_path: Path) -> None:
    def broken(number: int, messages: Sequence[Message]) -> Event | None:
        return TransportFaultError(FaultKind.MALFORMED, "no choices", usage=Usage(50, 7)) if 3 <= number < 9 else None

    finished = finish(tmp_path, Scripted(broken))
    verify(finished.bundle, Registry(board.keys))
    (failed,) = [each for each in costs_of(finished.bundle) if each.requests == 6]
    assert (failed.tokens_in, failed.tokens_out, failed.estimated) == (300, 42, False)


def test_the_bound_on_the_cost_sees_what_brought_no_reply_at_once(tmp_path: Path) -> None:
    """Each of these errors costs 1,000 x 2 + 500 x 8 millionths: the third goes beyond 0.015, no fourth is sent."""
    fault = TransportFaultError(FaultKind.MALFORMED, "no choices", usage=Usage(1_000, 500))
    good = Answer("Answer: cheat, Score: 1", "stop", Usage(0, 0))
    model = Scripted(lambda number, messages: fault if number else good)
    with pytest.raises(PauseRunError, match=r"0\.0180 USD are spent, the bound is 0\.0150;"):
        finish(tmp_path, model, Ledger(PRICES, max_cost=0.015))
    assert len(model.requests) == 4
    again = Ledger(PRICES, max_cost=0.015)
    with pytest.raises(PauseRunError, match=r"0\.0180 USD are spent"):
        finish(tmp_path, Scripted({}), again)


def test_empty_replies_without_a_count_are_estimated_for_the_bound(tmp_path: Path) -> None:
    ledger = Ledger(PRICES)
    finish(tmp_path, Scripted({0: Answer("", "stop"), 1: Answer("", "stop")}), ledger)
    silent = Ledger(PRICES)
    finish(tmp_path / "calm", Scripted({}), silent)
    assert ledger.spent.estimated == 2
    assert ledger.spent.tokens_in > silent.spent.tokens_in


@pytest.mark.parametrize("seats", [1, 3])
def test_the_cost_goes_beyond_its_bound_by_what_is_under_way_and_no_more(tmp_path: Path, seats: int) -> None:
    """Every request costs 0.006. Of those sent at once the first reaches the bound, and the others are paid as well."""
    sent = 0

    class Slow(Builtin):
        async def ask(self, messages: Sequence[Message], max_tokens: int) -> Answer:
            nonlocal sent
            sent += 1
            await asyncio.sleep(0.01)
            return Answer("Answer: cheat, Score: 1", "stop", Usage(1_000, 500))

    chosen = replace(plan("history"), preset=plan("history").preset.model_copy(update={"baseline_repeats": 3}))
    ledger = Ledger(PRICES, max_cost=0.006)
    playing = play_entry(
        chosen, Slow("greedy"), tmp_path, KEY, Unwatched(), Asker(sleep=no_wait), seats=Seats(seats), ledger=ledger
    )
    with pytest.raises(PauseRunError, match="the bound is"):
        asyncio.run(playing)
    assert sent <= seats
    assert ledger.cost == pytest.approx(0.006 * sent)


def test_what_the_search_for_a_form_takes_is_counted_too(tmp_path: Path) -> None:
    class Remote(Scripted):
        @property
        def endpoint(self) -> Endpoint:
            return Endpoint(kind="openai_chat", model="m", context_tokens=None)

    ledger = Ledger(PRICES)
    finished = finish(tmp_path, Remote({0: Answer("OK", "stop", Usage(40, 2))}), ledger)
    assert ledger.spent.tokens_in == 40 + sum(each.tokens_in for each in costs_of(finished.bundle))


def test_a_reply_that_no_record_holds_is_counted() -> None:
    long = Answer("a" * 2_000_000, "stop", Usage(10, 500_000))
    got = asyncio.run(completed(Scripted({0: long}), HELLO, 100))
    assert isinstance(got, TransportFaultError)
    assert got.usage == Usage(10, 500_000)


def test_a_body_that_is_no_completion_holds_what_it_counts() -> None:
    with pytest.raises(NoCompletionError) as caught:
        read_reply('{"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 640}}')
    assert caught.value.usage == Usage(9, 640)


def test_a_scripted_endpoint_that_bills_for_nothing_is_paid_once(tmp_path: Path) -> None:
    """As seen: choices: [] with a usage of 640 reply tokens, then a reply."""
    from runner.models.openai_chat import OpenAIChat

    replies = (
        json_reply({"model": "m", "choices": [], "usage": count(20, 640)}),
        completion("Answer: cheat, Score: 1", usage=count(20, 9)),
    )
    ledger = Ledger(PRICES, max_requests=3)

    async def play() -> None:
        model = OpenAIChat(server.url, "m")
        chosen = replace(plan("history"), games=("trust",), system_role=True)
        await play_entry(chosen, model, tmp_path, KEY, Unwatched(), Asker(sleep=no_wait), ledger=ledger)

    with scripted(*replies) as server, pytest.raises(PauseRunError, match="bound is 3"):
        asyncio.run(play())
    assert (ledger.spent.tokens_in, ledger.spent.tokens_out) == (60, 658)
