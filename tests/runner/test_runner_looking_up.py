"""What is read of what an endpoint tells of itself, however odd it is."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.models.looking_up import MAX_BODY, Context, KnownModel, Looked, LookUps, clock_ahead, known_models
from runner.models.reasoning import reasons_apart
from tests.runner.faults import KEY, Received, Reply, Script, completion, json_reply, scripted

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["data", "models", "id", "name", "n_ctx", "context_length"]), inner)
    ),
    max_leaves=12,
)


def looked_up(script: Script, model: str = "m") -> tuple[Looked | None, Context | None, list[Received]]:
    async def ask(url: str) -> tuple[Looked | None, Context | None]:
        look = LookUps(url, KEY)
        try:
            return await look.models(), await look.context(model)
        finally:
            await look.close()

    with scripted(script) as server:
        return (*asyncio.run(ask(f"{server.url}/v1?api-version=7")), server.received)


def test_get_requests_carry_key_and_query_as_the_chat_does() -> None:
    looked, context, received = looked_up(lambda _: json_reply({"data": [{"id": "m"}]}))
    assert looked is not None
    assert (looked.status, known_models(looked.value), context) == (200, (KnownModel("m", None),), None)
    assert [request.target.partition("?")[0] for request in received] == [
        *["/v1/models", "/props", "/api/ps", "/api/v0/models"],
    ]
    for request in received:
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert request.target.endswith("?api-version=7")


@pytest.mark.parametrize("reply", [Reply(404, b"no"), Reply(200, b"<html>"), Reply(500, b""), Reply(200, b"{" * 9999)])
def test_an_endpoint_that_tells_nothing_is_no_fault(reply: Reply) -> None:
    looked, context, _ = looked_up(lambda _: reply)
    assert looked is not None
    assert (known_models(looked.value), context) == ((), None)


def test_an_endpoint_that_is_not_there_tells_nothing() -> None:
    with scripted(completion()) as server:
        url = server.url

    async def ask() -> tuple[Looked | None, str | None]:
        look = LookUps(url)
        return await look.models(), await look.other_base()

    assert asyncio.run(ask()) == (None, None)


def test_a_body_without_end_is_given_up() -> None:
    looked, _, _ = looked_up(lambda _: Reply(200, b" " * (MAX_BODY + (1 << 20))))
    assert looked is not None
    assert looked.value is None


@given(JSON)
def test_any_json_is_read_without_a_fault(value: object) -> None:
    for model in known_models(value):
        assert model.id
        assert model.context is None or model.context > 0


@pytest.mark.parametrize("context", [0, -1, True, "8192", 1e9, None, 10**12])
def test_a_context_that_is_no_sensible_count_is_not_known(context: object) -> None:
    assert known_models({"data": [{"id": "m", "context_length": context}]}) == (KnownModel("m", None),)


def test_what_is_loaded_counts_before_what_could_be() -> None:
    entry = {"id": "m", "max_context_length": 131_072, "loaded_context_length": 4096}
    assert known_models({"data": [entry]}) == (KnownModel("m", 4096),)


def test_the_clock_of_an_endpoint_is_that_of_its_date() -> None:
    """RFC 9110, section 5.6.7, names this date."""
    then = datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC).timestamp()
    assert clock_ahead("Sun, 06 Nov 1994 08:49:37 GMT", then + 90) == 90
    for nothing in (None, "", "yesterday", "Sun, 99 Nov 1994 08:49:37 GMT"):
        assert clock_ahead(nothing, then) is None


@pytest.mark.parametrize(
    ("more", "apart"),
    [
        ({"reasoning_content": "Hm."}, True),
        ({"reasoning": "Hm."}, True),
        ({"content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Answer: UP"}]}, True),
        ({"reasoning_content": ""}, False),
        ({"reasoning_content": None}, False),
        ({}, False),
    ],
)
def test_EP_24_reasoning_beside_the_text_is_seen(more: dict[str, object], apart: bool) -> None:
    message = {"role": "assistant", "content": "Answer: UP", **more}
    assert reasons_apart(completion(choices=[{"message": message}]).body.decode()) is apart


def test_counted_reasoning_tokens_are_reasoning_too() -> None:
    for count, apart in ((64, True), (0, False), (None, False)):
        usage = {"completion_tokens": 80, "completion_tokens_details": {"reasoning_tokens": count}}
        assert reasons_apart(completion(usage=usage).body.decode()) is apart


@given(JSON | st.text(max_size=20))
def test_any_body_is_asked_for_reasoning_without_a_fault(value: object) -> None:
    assert reasons_apart(json_reply(value).body.decode()) is False
