"""Streamed replies: joined to what they would have been whole, and never played when they broke off."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.decoding import decoding_at
from runner.models import event_stream
from runner.models.api import Api
from runner.models.chat_api import ChatApi, JoinedChat
from runner.models.chat_reply import NoCompletionError
from runner.models.event_stream import Event, Events
from runner.models.model import Answer, FaultKind, TransportFaultError, Usage
from runner.models.openai_chat import OpenAIChat
from runner.models.responses_api import ResponsesApi
from tests.runner.faults import HELLO, KEY, STREAMED, Received, Reply, completion, error, piece, scripted, stream
from tests.runner.waiting import Waiting

STREAM = decoding_at(0.0).model_copy(update={"stream": True})
USAGE = {"prompt_tokens": 120, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 64}}
MOVE = "Answer: UP, Score: 1"
PIECES = ("Answer: ", "UP, ", "Score: 1")


@contextmanager
def chat(url: str, api: Api | None = None, timeout: float = 30.0) -> Iterator[Waiting]:
    model = Waiting(OpenAIChat(url, "m", KEY, decoding=STREAM, api=api, timeout=timeout))
    try:
        yield model
    finally:
        model.close()


def answer_to(reply: Reply, api: Api | None = None) -> Answer:
    with scripted(reply) as server, chat(server.url, api) as model:
        return model.ask(HELLO, 100)


def fault_of(reply: Reply, api: Api | None = None) -> TransportFaultError:
    with scripted(reply) as server, chat(server.url, api) as model:
        with pytest.raises(TransportFaultError) as caught:
            model.ask(HELLO, 100)
        assert len(server.received) == 1, "nothing is retried here"
    return caught.value


def test_a_stream_is_asked_for_with_its_usage() -> None:
    with scripted(stream(piece(MOVE, "stop"))) as server, chat(server.url) as model:
        model.ask(HELLO, 100)
    body = server.received[0].body
    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})


def test_a_streamed_reply_is_what_it_would_have_been_whole() -> None:
    """The usage stands in the last chunk, which has no choices (OpenAI's `include_usage`)."""
    last = {**piece(), "choices": [], "usage": USAGE}
    parts = [piece("", usage=None), *(piece(each, system_fingerprint="fp-1") for each in PIECES), piece(None, "stop")]
    assert answer_to(stream(*parts, last)) == Answer(MOVE, "stop", Usage(120, 9, 64), "m", "chatcmpl-1", "fp-1")
    assert answer_to(stream(*parts, last, done=False)).text == MOVE


def test_the_usage_that_comes_last_is_the_one_that_counts() -> None:
    """Some servers count on in every chunk."""
    growing = [piece(each, usage={"prompt_tokens": 120, "completion_tokens": n}) for n, each in enumerate(PIECES, 1)]
    assert answer_to(stream(*growing, piece(None, "stop", usage=USAGE))).usage == Usage(120, 9, 64)


@pytest.mark.parametrize("done", [True, False])
def test_EP_26_a_stream_that_dies_midway_is_a_fault_and_never_a_reply(done: bool) -> None:
    """The whole reply would have been `flag 1 12`; what came reads as another action."""
    assert fault_of(stream(piece("flag 1 1"), done=done)).kind is FaultKind.MALFORMED


def test_what_a_broken_stream_counted_is_counted() -> None:
    assert fault_of(stream(piece("flag 1 1", usage=USAGE), done=False)).usage == Usage(120, 9, 64)


def test_EP_26_a_connection_that_closes_within_a_stream_is_a_fault() -> None:
    reply = stream(*map(piece, PIECES), piece(None, "stop"))
    cut = Reply(200, reply.body, STREAMED, "cut")
    assert fault_of(cut).kind is FaultKind.CONNECTION


@pytest.mark.parametrize("cut", [b'data: {"choices": [{"index": 0, "delta": {"cont', b"data: {", b"dat", b""])
def test_EP_26_an_event_that_is_cut_off_is_no_end(cut: bytes) -> None:
    begun = stream(piece("flag 1 1"), done=False).body
    assert fault_of(Reply(200, begun + cut, STREAMED)).kind is FaultKind.MALFORMED


def test_a_stream_without_any_event_is_a_fault() -> None:
    assert fault_of(Reply(200, b": hello\n\n", STREAMED)).kind is FaultKind.MALFORMED


def test_comments_that_keep_a_connection_alive_are_no_data() -> None:
    alive = ": OPENROUTER PROCESSING\n\n"
    parts = [part for each in PIECES for part in (alive, piece(each))]
    assert answer_to(stream(alive, *parts, ":\n\n", piece(None, "stop"))).text == MOVE


def test_reasoning_is_kept_out_of_the_text_and_known_to_have_come() -> None:
    thoughts = {"index": 0, "delta": {"reasoning_content": "Answer: LEFT, Score: 9"}, "finish_reason": None}
    heard: list[str] = []
    with scripted(stream({**piece(), "choices": [thoughts]}, piece(MOVE, "stop"))) as server:
        model = Waiting(OpenAIChat(server.url, "m", KEY, decoding=STREAM, heard=heard.append))
        assert model.ask(HELLO, 100).text == MOVE
        model.close()
    assert json.loads(heard[0])["choices"][0]["message"]["reasoning_content"]
    assert "LEFT" not in heard[0]


def test_parts_of_content_are_told_apart_from_thinking_as_in_a_whole_reply() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "LEFT"}]}
    assert answer_to(stream(piece([thinking]), *map(piece, PIECES), piece(None, "stop"))).text == MOVE


def test_other_choices_than_the_first_are_left_out() -> None:
    other = {"index": 1, "delta": {"content": "Answer: LEFT"}, "finish_reason": "stop"}
    assert answer_to(stream({**piece(), "choices": [other]}, piece(MOVE, "length"))).finish == "length"


@pytest.mark.parametrize(
    "broken",
    [
        {"error": {"message": "upstream died", "code": 502}},
        {**piece("", "error"), "error": {"message": "upstream died", "code": 502}},
        'event: error\ndata: {"message": "upstream died"}\n\n',
    ],
)
def test_an_error_within_a_stream_is_a_fault_in_the_endpoints_words(broken: object) -> None:
    fault = fault_of(stream(piece("Answer: UP"), broken))
    assert fault.kind is FaultKind.MALFORMED
    assert "an error" in fault.message


def test_an_endpoint_that_does_not_stream_may_answer_whole() -> None:
    assert answer_to(completion(MOVE)).text == MOVE


def test_a_refused_wish_for_usage_is_dropped_once_and_said() -> None:
    def knows_no_options(request: Received) -> Reply:
        said = "Extra inputs are not permitted: body.stream_options"
        return error(422, said) if "stream_options" in request.body else stream(piece(MOVE, "stop"))

    with scripted(knows_no_options) as server, chat(server.url) as model:
        assert [model.ask(HELLO, 100).text for _ in range(2)] == [MOVE, MOVE]
        assert ["stream_options" in each.body for each in server.received] == [True, False, False]
        assert ["stream_options" in words for words in model.adaptations] == [True]


def test_what_is_kept_of_a_stream_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "MAX_STREAM", 1000)
    assert fault_of(stream(*[piece("x" * 100)] * 20, piece(None, "stop"))).kind is FaultKind.MALFORMED
    monkeypatch.setattr(event_stream, "MAX_KEPT", 100)
    with pytest.raises(NoCompletionError, match="an event of more"):
        list(Events().feed(b"data: " + b"x" * 200))
    empty_lines = Events()
    assert list(empty_lines.feed(b"data:\n" * 21)) == []
    with pytest.raises(NoCompletionError, match="an event of more"):
        list(empty_lines.feed(b"data:\n"))
    joined, chunk = JoinedChat(), Event("", json.dumps(piece("x" * (5 << 20))))
    joined.take(chunk)
    with pytest.raises(NoCompletionError, match="more than"):
        joined.take(chunk)


def test_a_stream_that_only_keeps_alive_ends_with_the_time_limit() -> None:
    drip = Reply(200, b"", STREAMED, "drip")
    with (
        scripted(drip) as server,
        chat(server.url, timeout=0.3) as model,
        pytest.raises(TransportFaultError) as caught,
    ):
        model.ask(HELLO, 100)
    assert caught.value.kind is FaultKind.TIMEOUT


RESPONSE = {
    "id": "resp_1",
    "model": "m",
    "status": "completed",
    "output": [{"type": "message", "content": [{"type": "output_text", "text": MOVE}]}],
    "usage": {"input_tokens": 120, "output_tokens": 9, "total_tokens": 129},
}


def _delta(text: str) -> dict[str, object]:
    return {"type": "response.output_text.delta", "delta": text}


def test_a_streamed_response_is_that_of_its_last_event() -> None:
    reply = stream(*map(_delta, PIECES), {"type": "response.completed", "response": RESPONSE}, done=False)
    found = answer_to(reply, ResponsesApi())
    assert (found.text, found.finish, found.usage.tokens_out) == (MOVE, "stop", 9)


def test_EP_26_a_streamed_response_without_its_last_event_is_a_fault() -> None:
    fault = fault_of(stream(_delta("flag 1 1"), done=False), ResponsesApi())
    assert fault.kind is FaultKind.MALFORMED
    failed = {"type": "error", "code": "server_error", "message": "died"}
    assert fault_of(stream(_delta("flag 1 1"), failed, done=False), ResponsesApi()).kind is FaultKind.MALFORMED


LINES = st.sampled_from(["\n", "\r\n", "\r"])
TEXTS = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=8)


@given(st.lists(st.lists(TEXTS, min_size=1, max_size=3), max_size=4), LINES, st.data())
def test_events_are_the_same_however_the_bytes_are_cut(wanted: list[list[str]], end: str, data: st.DataObject) -> None:
    """Data over several lines is joined with line feeds, and any of three line ends will do (HTML standard)."""
    text = "".join("".join(f"data: {line}{end}" for line in lines) + f": alive{end}{end}" for lines in wanted)
    raw = text.encode()
    places = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=5)))
    events, parts = Events(), zip([0, *places], [*places, len(raw)], strict=True)
    found = [event for start, stop in parts for event in events.feed(raw[start:stop])]
    found += events.end()
    assert [event.data for event in found] == ["\n".join(lines) for lines in wanted]


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_but_that_they_are_no_reply(raw: bytes) -> None:
    for joiner in (ChatApi().joiner(), ResponsesApi().joiner()):
        events = Events()
        try:
            for event in [*events.feed(b"data: " + raw), *events.end()]:
                joiner.take(event)
            joiner.body()
        except NoCompletionError:
            pass
