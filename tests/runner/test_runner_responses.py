"""The Responses API: what is sent there, and how its answers are read."""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.asking import BodyField, Header
from protocol.decoding import decoding_at
from protocol.messages import Message
from protocol.records import Endpoint
from runner.models.chat_reply import NoCompletionError, read_reply
from runner.models.model import Answer, FaultKind, TransportFaultError, Usage
from runner.models.openai_chat import OpenAIChat
from runner.models.reasoning import reasons_apart
from runner.models.responses_api import ResponsesApi
from tests.runner.faults import HELLO, KEY, Received, Reply, error, json_reply, scripted
from tests.runner.waiting import Waiting

MOVE = "Answer: UP, Score: 1"
USAGE = {
    "input_tokens": 120,
    "input_tokens_details": {"cached_tokens": 64},
    "output_tokens": 90,
    "output_tokens_details": {"reasoning_tokens": 80},
    "total_tokens": 210,
}


def message(*parts: dict[str, object]) -> dict[str, object]:
    return {"type": "message", "role": "assistant", "status": "completed", "content": list(parts)}


def text(words: str) -> dict[str, object]:
    return {"type": "output_text", "text": words, "annotations": []}


THOUGHT = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Answer: LEFT, Score: 9"}]}


def response(*output: object, status: str = "completed", **rest: object) -> Reply:
    return json_reply(
        {"id": "resp_1", "object": "response", "model": "m-2026", "status": status, "output": list(output), **rest}
    )


@contextmanager
def asking(url: str, **settings: object) -> Iterator[Waiting]:
    decoding = decoding_at(0.0).model_copy(update=settings)
    model = Waiting(OpenAIChat(url, "m", KEY, decoding=decoding, api=ResponsesApi()))
    try:
        yield model
    finally:
        model.close()


def answer_to(reply: Reply) -> Answer:
    with scripted(reply) as server, asking(server.url) as model:
        return model.ask(HELLO, 100)


def fault_of(reply: Reply) -> TransportFaultError:
    with scripted(reply) as server, asking(server.url) as model, pytest.raises(TransportFaultError) as caught:
        model.ask(HELLO, 100)
    return caught.value


def test_a_request_holds_the_prompt_the_limit_and_the_settings_and_asks_to_keep_nothing() -> None:
    conversation = (*HELLO, Message("assistant", MOVE), Message("user", "Moved."))
    extra = {
        "reasoning_effort": "low",
        "top_p": 0.5,
        "extra_body": (BodyField(name="service_tier", value='"flex"'),),
        "extra_headers": (Header(name="x-title", value="s3gym"),),
    }
    with scripted(response(message(text(MOVE)))) as server, asking(server.url, **extra) as model:
        model.ask(conversation, 400)
        assert model.endpoint == Endpoint(kind="openai_responses", model="m", context_tokens=None)
    (request,) = server.received
    assert request.target == "/v1/responses"
    assert request.headers["x-title"] == "s3gym"
    assert request.body == {
        "model": "m",
        "input": [{"role": each.role, "content": each.content} for each in conversation],
        "max_output_tokens": 400,
        "temperature": 0.0,
        "top_p": 0.5,
        "reasoning": {"effort": "low"},
        "service_tier": "flex",
        "store": False,
    }


def test_an_answer_is_the_text_of_its_messages_without_reasoning() -> None:
    found = answer_to(response(THOUGHT, message(text("Answer: UP, "), text("Score: 1")), usage=USAGE, error=None))
    assert found == Answer(MOVE, "stop", Usage(120, 90, 64), "m-2026", "resp_1", None)


@pytest.mark.parametrize(
    ("status", "details", "finish"),
    [
        ("completed", None, "stop"),
        ("incomplete", {"reason": "max_output_tokens"}, "length"),
        ("incomplete", {"reason": "content_filter"}, "content_filter"),
        ("incomplete", {"reason": "anything"}, "other"),
        ("incomplete", None, "other"),
    ],
)
def test_how_a_response_ends_is_told_in_the_four_words(status: str, details: object, finish: str) -> None:
    reply = response(message(text(MOVE)), status=status, incomplete_details=details, usage=USAGE)
    assert answer_to(reply).finish == finish


def test_a_response_cut_while_it_thought_is_empty_and_truncated_and_its_tokens_count() -> None:
    reply = response(THOUGHT, status="incomplete", incomplete_details={"reason": "max_output_tokens"}, usage=USAGE)
    assert answer_to(reply)[:3] == ("", "length", Usage(120, 90, 64))


def test_a_refusal_is_what_the_model_said() -> None:
    reply = response(message({"type": "refusal", "refusal": "I will not."}))
    assert "I will not." in answer_to(reply).text


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (response(status="failed", error={"code": "server_error", "message": "died"}), FaultKind.MALFORMED),
        (response(status="failed", error={"code": "insufficient_quota", "message": "pay"}), FaultKind.QUOTA),
        (response(message(text("Answer: UP")), status="in_progress"), FaultKind.MALFORMED),
        (response(status="cancelled"), FaultKind.MALFORMED),
        (json_reply({"id": "resp_1", "status": "completed", "output": None}), FaultKind.MALFORMED),
        (Reply(200, b"<html>"), FaultKind.MALFORMED),
        (error(400, "context_length_exceeded"), FaultKind.OVERFLOW),
        (error(429, "slow down"), FaultKind.RATE_LIMIT),
        (error(503, "later"), FaultKind.SERVER),
        (error(404, "no such path"), FaultKind.REFUSED),
    ],
)
def test_what_is_no_response_is_a_fault_of_its_kind(reply: Reply, kind: FaultKind) -> None:
    assert fault_of(reply).kind is kind


def test_EP_09_a_refused_temperature_is_dropped_once_and_said() -> None:
    def refuses(request: Received) -> Reply:
        if "temperature" in request.body:
            return error(400, "Unsupported parameter: 'temperature' is not supported with this model.")
        return response(message(text(MOVE)))

    with scripted(refuses) as server, asking(server.url) as model:
        assert [model.ask(HELLO, 400).text for _ in range(2)] == [MOVE, MOVE]
        assert ["temperature" in each.body for each in server.received] == [True, False, False]
        assert ["temperature" in words for words in model.adaptations] == [True]


def test_who_sets_an_endpoint_up_sees_that_reasoning_came_apart() -> None:
    whole = response(THOUGHT, message(text(MOVE)), usage=USAGE).body.decode()
    assert reasons_apart(ResponsesApi().completion(whole))
    assert not reasons_apart(ResponsesApi().completion(response(message(text(MOVE))).body.decode()))


WORDS = st.sampled_from(["message", "output_text", "refusal", "reasoning", "completed", "incomplete", MOVE, ""])
KEYS = st.sampled_from(
    [*USAGE, "id", "status", "output", "usage", "error", "type", "content", "text", "reason", "model"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS,
    lambda within: st.lists(within, max_size=3) | st.dictionaries(KEYS, within, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(KEYS, VALUES, max_size=6))
def test_a_response_of_any_shape_is_read_or_is_none(value: dict[str, object]) -> None:
    with suppress(NoCompletionError):
        read_reply(ResponsesApi().completion(json.dumps({"output": [], **value})))


@given(st.text(max_size=50))
def test_what_is_no_json_is_left_as_it_is(body: str) -> None:
    if not body.strip().startswith("{"):
        assert ResponsesApi().completion(body) == body
