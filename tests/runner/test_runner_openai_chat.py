"""The client against a real HTTP server: what it sends, what it reads, and how every fault is told."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from protocol.decoding import decoding_at
from protocol.messages import Message
from protocol.records import Endpoint
from runner.models.model import Answer, FaultKind, TransportFaultError, Usage
from runner.models.openai_chat import OpenAIChat
from tests.runner.faults import HELLO, KEY, Received, Reply, completion, error, json_reply, scripted
from tests.runner.waiting import Waiting

MOVE = "Answer: UP, Score: 1"


@contextmanager
def chat(base_url: str, *, temperature: float | None = 0.0, timeout: float = 30.0) -> Iterator[Waiting]:
    model = Waiting(OpenAIChat(base_url, "prod-a", KEY, decoding=decoding_at(temperature), timeout=timeout))
    try:
        yield model
    finally:
        model.close()


def answer_to(*replies: Reply) -> Answer:
    with scripted(*replies) as server, chat(server.url) as model:
        return model.ask(HELLO, 100)


def fault_of(*replies: Reply, timeout: float = 30.0) -> TransportFaultError:
    with scripted(*replies) as server, chat(server.url, timeout=timeout) as model:
        with pytest.raises(TransportFaultError) as caught:
            model.ask(HELLO, 100)
        assert len(server.received) == 1, "nothing is retried here"
    return caught.value


def test_a_request_holds_the_messages_the_model_the_limit_and_the_temperature() -> None:
    conversation = (*HELLO, Message("assistant", "Answer: UP, Score: 1"), Message("user", "Moved."))
    with scripted(completion()) as server, chat(server.url, temperature=0.0) as model:
        model.ask(conversation, 400)
    (request,) = server.received
    assert request.target == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "prod-a",
        "messages": [{"role": message.role, "content": message.content} for message in conversation],
        "max_tokens": 400,
        "temperature": 0.0,
    }


def test_no_temperature_is_sent_where_it_is_left_to_the_server() -> None:
    with scripted(completion()) as server, chat(server.url, temperature=None) as model:
        model.ask(HELLO, 400)
    assert "temperature" not in server.received[0].body


def test_an_answer_holds_what_the_endpoint_reports() -> None:
    usage = {"prompt_tokens": 120, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 64}}
    reply = completion(MOVE, usage=usage, system_fingerprint="fp-1", model="prod-a-2026")
    with_id = Reply(200, reply.body, (("x-request-id", "req-7"),))
    expected = Answer(MOVE, "stop", Usage(120, 9, 64), "prod-a-2026", "req-7", "fp-1")
    assert answer_to(with_id) == expected
    assert answer_to(reply) == expected._replace(request_id="chatcmpl-1")


def test_the_endpoint_of_the_manifest_names_the_model_and_no_host() -> None:
    model = Waiting(OpenAIChat("http://127.0.0.1:1/v1", "prod-a", KEY, context_tokens=8192))
    model.close()
    assert model.endpoint == Endpoint(kind="openai_chat", model="prod-a", context_tokens=8192)


@pytest.mark.parametrize("status", [500, 502, 503, 504, 529])
def test_EP_02_an_error_body_with_a_well_formed_action_is_a_fault_and_never_a_reply(status: int) -> None:
    assert fault_of(Reply(status, MOVE.encode())).kind is FaultKind.SERVER
    assert fault_of(error(status, MOVE)).kind is FaultKind.SERVER


@pytest.mark.parametrize("content", [None, "", "\n"])
def test_EP_03_reasoning_fields_are_never_read_as_the_answer(content: str | None) -> None:
    message = {"role": "assistant", "content": content, "reasoning_content": MOVE, "reasoning": MOVE}
    zero = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    answer = answer_to(completion(choices=choices, usage=zero))
    assert (answer.text, answer.finish, answer.usage) == (content or "", "stop", Usage())


def test_EP_04_a_null_content_cut_at_the_token_limit_is_a_truncated_reply() -> None:
    answer = answer_to(completion(None, "length", usage={"prompt_tokens": 50, "completion_tokens": 100}))
    assert (answer.text, answer.finish) == ("", "length")


def test_EP_05_truncation_is_told_alike_with_and_without_a_reasoning_field() -> None:
    message = {"role": "assistant", "content": None, "reasoning_content": "Hm"}
    choices = [{"index": 0, "message": message, "finish_reason": "length"}]
    assert answer_to(completion(None, "length")) == answer_to(completion(choices=choices))


@pytest.mark.parametrize(
    ("given", "finish"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("content_filter", "content_filter"),
        ("tool_calls", "other"),
        ("", "other"),
        (None, "other"),
        (7, "other"),
        (["stop"], "other"),
    ],
)
def test_finish_reasons_are_told_in_four_words(given: object, finish: str) -> None:
    assert answer_to(completion(MOVE, given)).finish == finish


def _knows_only_new_limit(request: Received) -> Reply:
    if "max_tokens" in request.body:
        said = (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        )
        return error(400, said, "unsupported_parameter", "max_tokens")
    return completion()


def test_EP_07_a_refused_token_limit_is_sent_in_the_other_form_once_and_remembered() -> None:
    with scripted(_knows_only_new_limit) as server, chat(server.url) as model:
        for _ in range(3):
            model.ask(HELLO, 400)
        sent = [(each.body.get("max_tokens"), each.body.get("max_completion_tokens")) for each in server.received]
        assert sent == [(400, None), (None, 400), (None, 400), (None, 400)]
        assert ["max_completion_tokens" in words for words in model.adaptations] == [True]


@pytest.mark.parametrize("name", ["solo1-7b", "foo3-mini-gguf", "o1", "gpt-5"])
def test_EP_08_nothing_hangs_on_the_name_of_the_model(name: str) -> None:
    def knows_only_max_tokens(request: Received) -> Reply:
        known = set(request.body) <= {"model", "messages", "max_tokens", "temperature"}
        return completion() if known else error(400, "unknown parameter")

    with scripted(knows_only_max_tokens) as server:
        model = Waiting(OpenAIChat(server.url, name, KEY, decoding=decoding_at(0.0)))
        assert model.ask(HELLO, 400).text == MOVE
        assert model.adaptations == ()
        model.close()
    assert len(server.received) == 1


REFUSED_TEMPERATURES = [
    error(400, "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is "
          "supported.", "unsupported_value", "temperature"),
    error(400, "invalid temperature: only 1 is allowed for this model"),
    json_reply({"detail": [{"loc": ["body", "temperature"], "msg": "Extra inputs are not permitted"}]}, 422),
]  # fmt: skip


@pytest.mark.parametrize("refusal", REFUSED_TEMPERATURES)
def test_EP_09_a_refused_temperature_is_dropped_once_and_said(refusal: Reply) -> None:
    with (
        scripted(lambda request: refusal if "temperature" in request.body else completion()) as server,
        chat(server.url) as model,
    ):
        for _ in range(2):
            model.ask(HELLO, 400)
        assert ["temperature" in each.body for each in server.received] == [True, False, False]
        assert ["left to the server" in words for words in model.adaptations] == [True]


def test_a_refused_limit_and_a_refused_temperature_take_one_more_request_each() -> None:
    def strict(request: Received) -> Reply:
        return REFUSED_TEMPERATURES[0] if "temperature" in request.body else _knows_only_new_limit(request)

    with scripted(strict) as server, chat(server.url) as model:
        assert model.ask(HELLO, 400).text == MOVE
        assert len(server.received) == 3
        assert len(model.adaptations) == 2


def test_a_form_that_is_refused_as_well_is_given_up_and_not_tried_again() -> None:
    with scripted(error(400, "temperature and max_tokens are unsupported here")) as server, chat(server.url) as model:
        for requests in (3, 4):
            with pytest.raises(TransportFaultError) as caught:
                model.ask(HELLO, 400)
            assert caught.value.kind is FaultKind.REFUSED
            assert len(server.received) == requests
        assert model.adaptations == ()
        assert "max_tokens" in server.received[-1].body
        assert "temperature" in server.received[-1].body


def test_a_token_limit_that_is_too_large_is_refused_and_not_renamed() -> None:
    said = "max_tokens is too large: 14000. This model supports at most 4096 completion tokens."
    assert fault_of(error(400, said, "invalid_value", "max_tokens")).kind is FaultKind.REFUSED


@pytest.mark.parametrize(("header", "seconds"), [("90", 90.0), ("0", 0.0), ("-5", None), ("NaN", None), ("abc", None)])
def test_EP_12_the_wait_that_an_endpoint_asks_for_is_told_and_nonsense_is_none(header: str, seconds: float) -> None:
    fault = fault_of(error(429, "slow down", retry_after=header))
    assert (fault.kind, fault.retry_after) == (FaultKind.RATE_LIMIT, seconds)


@pytest.mark.parametrize(
    "reply",
    [
        error(429, "You exceeded your current quota, please check your plan.", "insufficient_quota"),
        error(402, "Payment required"),
        error(400, "Your credit balance is too low to access the API."),
        error(429, "Insufficient Balance"),
    ],
)
def test_EP_14_used_up_credit_is_no_rate_limit(reply: Reply) -> None:
    assert fault_of(reply).kind is FaultKind.QUOTA


def test_a_rate_limit_that_speaks_of_quota_may_pass() -> None:
    said = "You exceeded your current quota. Please retry in 20 s."
    assert fault_of(error(429, said, "RESOURCE_EXHAUSTED")).kind is FaultKind.RATE_LIMIT


NO_COMPLETIONS = [
    json_reply({"error": {"message": "upstream went away", "code": 502}}),
    json_reply({"error": "upstream went away"}),
    completion(choices=None),
    completion(choices=[]),
    completion(choices={}),
    completion(choices=[None]),
    completion(choices=[{"index": 0, "finish_reason": "stop"}]),
    completion(choices=[{"index": 0, "message": None, "finish_reason": "stop"}]),
    completion(choices=[{"index": 0, "message": {"content": MOVE}, "error": {"message": "upstream went away"}}]),
    completion(MOVE, "error"),
    completion(7),
    json_reply([]),
    json_reply(None),
    json_reply({}),
    Reply(200, b""),
    Reply(200, MOVE.encode()),
    Reply(200, completion().body[:-9]),
    Reply(200, b"[" * 200_000),
    Reply(200, b'{"choices":' + b"9" * 10_000 + b"}"),
    Reply(200, b"\xff\xfe\x00"),
    Reply(200, b"data: " + completion().body),
]


@pytest.mark.parametrize("reply", NO_COMPLETIONS, ids=range(len(NO_COMPLETIONS)))
def test_EP_15_a_body_with_200_that_is_no_completion_is_malformed(reply: Reply) -> None:
    assert fault_of(reply).kind is FaultKind.MALFORMED


def test_EP_15_the_words_of_an_error_body_with_200_are_told() -> None:
    assert "upstream went away" in fault_of(NO_COMPLETIONS[0]).message
    assert "upstream went away" in fault_of(NO_COMPLETIONS[1]).message


@pytest.mark.parametrize(
    "reply",
    [
        error(400, "The response was filtered due to the prompt triggering the content management policy.",
              "content_filter"),
        json_reply({"error": {"innererror": {"code": "ResponsibleAIPolicyViolation"}, "message": "no"}}, 400),
        error(400, "Input data may contain inappropriate content.", "data_inspection_failed"),
        json_reply({"error": {"message": "blocked", "code": "content_filter"}}),
    ],
)  # fmt: skip
def test_EP_17_a_content_filter_error_is_its_own_kind(reply: Reply) -> None:
    assert fault_of(reply).kind is FaultKind.FILTERED


OVERFLOWS = [
    error(400, "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
          "context_length_exceeded"),
    json_reply({"error": {"code": 400, "message": "request (10031 tokens) exceeds the available context size (8192 "
                "tokens), try increasing it", "type": "exceed_context_size_error"}}, 400),
    json_reply({"object": "error", "message": "This model's maximum context length is 4096 tokens.", "code": 400}, 400),
    json_reply({"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096."}, 422),
    error(500, 'upstream: {"error":{"message":"prompt is too long: 208310 tokens > 200000 maximum"}}'),
    Reply(500, b"Prompt length (9000) exceeds maximum input length (8192)"),
    Reply(413, b"<html>Request Entity Too Large</html>"),
    error(400, "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576)."),
    error(400, "input length exceeds the context length"),
    json_reply({"detail": "The input (9000 tokens) is longer than the model's context length (8192 tokens)."}, 400),
    json_reply({"error": {"message": "prompt too long; exceeded max context length by 3 tokens"}}),
]  # fmt: skip


@pytest.mark.parametrize("reply", OVERFLOWS, ids=range(len(OVERFLOWS)))
def test_EP_21_an_over_long_prompt_is_told_alike_in_every_shape(reply: Reply) -> None:
    assert fault_of(reply).kind is FaultKind.OVERFLOW


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"prompt_tokens": None, "completion_tokens": None},
        {"prompt_tokens": 0, "completion_tokens": 0, "prompt_tokens_details": {"cached_tokens": 0}},
        {"prompt_tokens": -3, "completion_tokens": "12"},
        {"prompt_tokens": True, "completion_tokens": 1.5, "prompt_tokens_details": None},
        {"prompt_tokens": 10**30, "completion_tokens": []},
        [],
        "many",
    ],
)
def test_EP_23_usage_that_is_missing_or_makes_no_sense_is_none(usage: object) -> None:
    assert answer_to(completion(MOVE, usage=usage)).usage == Usage()
    assert answer_to(completion(MOVE)).usage == Usage()


def test_that_nothing_was_cached_is_told_where_usage_is_counted() -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 0}}
    assert answer_to(completion(MOVE, usage=usage)).usage == Usage(5, 2, 0)


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "thinking", "thinking": "DOWN"}, {"type": "text", "text": "UP"}],
        [{"type": "thinking", "thinking": [{"type": "text", "text": "DOWN"}]}, {"type": "text", "text": "UP"}],
        [{"type": "text", "text": "U"}, {"type": "text", "text": "P"}, {"type": "reasoning", "text": "DOWN"}],
        ["UP"],
        {"type": "text", "text": "UP"},
        [None, 7, {"type": "text"}, {"type": "text", "text": None}, {"type": "output_text", "text": "UP"}],
    ],
)
def test_EP_24_text_parts_are_joined_and_thinking_is_left_out(content: object) -> None:
    assert answer_to(completion(content)).text == "UP"


@pytest.mark.parametrize("message", [{"role": "assistant", "content": None}, {"role": "assistant"}])
def test_EP_25_a_reply_of_tool_calls_alone_is_an_empty_reply(message: dict[str, object]) -> None:
    calls = [{"id": "1", "type": "function", "function": {"name": "move", "arguments": '{"action": "UP"}'}}]
    choices = [{"index": 0, "message": {**message, "tool_calls": calls}, "finish_reason": "tool_calls"}]
    answer = answer_to(completion(choices=choices))
    assert (answer.text, answer.finish) == ("", "other")


def test_EP_26_a_reply_that_breaks_off_is_a_fault_and_never_a_reply() -> None:
    assert fault_of(Reply(200, completion().body, manner="cut")).kind is FaultKind.CONNECTION


@pytest.mark.parametrize("manner", ["hang", "drip"])
def test_EP_27_the_time_limit_holds_also_against_an_endpoint_that_sends_blanks_for_ever(manner: str) -> None:
    reply = Reply(200, manner="hang") if manner == "hang" else Reply(200, manner="drip")
    fault = fault_of(reply, timeout=1.5)
    assert fault.kind is FaultKind.TIMEOUT
    assert "1.5 s" in fault.message


def test_blanks_before_a_completed_reply_are_no_fault() -> None:
    assert answer_to(Reply(200, b"\n\n \n" + completion().body)).text == MOVE


def test_a_body_beyond_the_limit_is_malformed() -> None:
    assert fault_of(Reply(200, b" " * (8 * 2**20 + 1))).kind is FaultKind.MALFORMED


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/", "/v1/chat/completions", "/v1/chat/completions/"])
def test_EP_29_every_form_of_the_base_url_reaches_the_endpoint(path: str) -> None:
    with scripted(completion()) as server, chat(server.url + path) as model:
        model.ask(HELLO, 100)
    assert server.received[0].target == "/v1/chat/completions"


def test_EP_29_a_page_with_200_is_no_reply_and_the_message_points_at_the_base_url() -> None:
    page = b"<!DOCTYPE html><html><body>Answer: UP, Score: 1. Read our content policy.</body></html>"
    fault = fault_of(Reply(200, page, (("content-type", "text/html"),)))
    assert fault.kind is FaultKind.MALFORMED
    assert "check the base URL" in fault.advice
    assert "base URL" in fault.message


@pytest.mark.parametrize("proxy", ["http://127.0.0.1:1", "socks5://127.0.0.1:1"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_EP_30_proxy_settings_do_not_stand_before_a_loopback_endpoint(
    host: str, proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy)
    with scripted(completion()) as server, chat(f"http://{host}:{server.port}/v1") as model:
        assert model.ask(HELLO, 100).text == MOVE


def test_EP_30_proxy_settings_hold_for_any_other_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(completion()) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        with chat("http://endpoint.invalid/v1") as model:
            assert model.ask(HELLO, 100).text == MOVE
    assert proxy.received[0].target == "http://endpoint.invalid/v1/chat/completions"


def test_an_endpoint_that_is_not_there_is_a_connection_fault() -> None:
    with scripted(completion()) as server:
        pass
    with chat(server.url) as model, pytest.raises(TransportFaultError) as caught:
        model.ask(HELLO, 100)
    assert caught.value.kind is FaultKind.CONNECTION
    assert f"127.0.0.1:{server.port}" in caught.value.message


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, FaultKind.REFUSED),
        (401, FaultKind.REFUSED),
        (403, FaultKind.REFUSED),
        (404, FaultKind.REFUSED),
        (408, FaultKind.TIMEOUT),
        (409, FaultKind.SERVER),
        (422, FaultKind.REFUSED),
        (429, FaultKind.RATE_LIMIT),
    ],
)
def test_statuses_are_told_apart(status: int, kind: FaultKind) -> None:
    assert fault_of(error(status, "no")).kind is kind
    assert fault_of(Reply(status)).kind is kind


def test_lone_surrogates_in_a_reply_become_replacement_characters() -> None:
    body = completion("@@", model="@@").body.replace(b"@@", rb"\ud83dUP\ude00 \ud83d\ude00")
    answer = answer_to(Reply(200, body))
    assert answer.text == answer.model == "\ufffdUP\ufffd \U0001f600"


def test_SX_01_no_message_holds_a_key_that_an_endpoint_echoes() -> None:
    echoes = (
        f"Incorrect API key provided: {KEY}",
        f"header was Authorization: Bearer {KEY}",
        "header was Bearer some-other-secret-token",
        "sk-proj-0123456789abcdefghij",
        "AIzaSy0123456789abcdefghijklmnopqrstu",
        "hf_0123456789abcdefghijklmnop",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
    )
    for echo in echoes:
        for reply in (error(401, echo), Reply(200, echo.encode()), Reply(502, echo.encode())):
            message = fault_of(reply).message
            assert "***" in message
            assert echo.split()[-1] not in message


def test_SX_03_secrets_in_the_base_url_reach_the_endpoint_and_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with (
        scripted(lambda request: error(400, f"bad request {request.target} of user:passw0rd, abc-def")) as server,
        chat(f"http://user:passw0rd@127.0.0.1:{server.port}/v1?key=abc-def") as model,
    ):
        with pytest.raises(TransportFaultError) as caught:
            model.ask(HELLO, 100)
        said = f"{caught.value} {caught.value.__cause__} {model.endpoint} {caplog.text}"
    (request,) = server.received
    assert request.target == "/v1/chat/completions?key=abc-def"
    assert request.headers["authorization"].startswith("Basic ")
    assert "abc-def" not in said
    assert "passw0rd" not in said


def test_SX_06_control_characters_of_an_endpoint_are_escaped_in_messages() -> None:
    message = fault_of(error(401, "no\x1b[2J\x07\u202e\nkey")).message
    assert message.isprintable()
    assert r"\x1b[2J" in message


@pytest.mark.parametrize("key", ["sk-1\nHost: x", "schlüssel", "two words"])
def test_a_key_that_cannot_be_sent_is_refused_without_being_told(key: str) -> None:
    with pytest.raises(ValueError, match="API key: expected") as caught:
        OpenAIChat("http://127.0.0.1:1/v1", "m", key)
    assert key not in str(caught.value)


@pytest.mark.parametrize(("model", "timeout"), [("", 1.0), ("m" * 201, 1.0), ("m", 0.0), ("m", float("nan"))])
def test_arguments_that_make_no_sense_are_refused(model: str, timeout: float) -> None:
    with pytest.raises(ValueError, match="expected"):
        OpenAIChat("http://127.0.0.1:1/v1", model, KEY, timeout=timeout)


def test_an_endpoint_without_keys_needs_none() -> None:
    with scripted(completion()) as server:
        model = Waiting(OpenAIChat(server.url, "m", ""))
        assert model.ask(HELLO, 100).text == MOVE
        model.close()
