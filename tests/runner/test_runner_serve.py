"""The built-in models behind a chat-completions endpoint on this machine."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler
from typing import NamedTuple

import openai
import pytest

from protocol.decoding import decoding_at
from protocol.players import BUILTIN_NAMES
from runner.models.builtin import Builtin
from runner.models.openai_chat import OpenAIChat
from runner.serve import CHAT, MAX_BODY, BuiltinServer
from tests.runner.test_runner_builtin import first_prompt, summary_call
from tests.runner.waiting import Waiting


class Reply(NamedTuple):
    status: int
    content: object
    headers: Mapping[str, str]


@pytest.fixture(scope="module")
def server() -> Iterator[BuiltinServer]:
    with BuiltinServer() as running:
        yield running


def port_of(server: BuiltinServer) -> int:
    return int(server.base_url.rpartition(":")[2].partition("/")[0])


def send(server: BuiltinServer, method: str, path: str, body: bytes | None = None, **headers: str) -> Reply:
    connection = http.client.HTTPConnection("127.0.0.1", port_of(server), timeout=20)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return Reply(response.status, json.loads(response.read()), dict(response.getheaders()))
    finally:
        connection.close()


def post(server: BuiltinServer, content: object) -> Reply:
    return send(server, "POST", CHAT, json.dumps(content).encode())


def told(reply: Reply) -> str:
    """Return the message of a refusal, whose shape is OpenAI's."""
    assert isinstance(reply.content, dict)
    error = reply.content["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["type"] == "invalid_request_error"
    return str(error["message"])


def request(**changes: object) -> dict[str, object]:
    messages = [message._asdict() for message in first_prompt("trust")]
    return {"model": "greedy", "messages": messages, **changes}


@pytest.mark.parametrize("name", BUILTIN_NAMES)
def test_the_openai_sdk_gets_the_model_s_own_answer(server: BuiltinServer, name: str) -> None:
    with openai.OpenAI(base_url=server.base_url, api_key="none", max_retries=0) as client:
        for messages in (first_prompt("snake"), summary_call("trust")):
            completion = client.chat.completions.create(
                model=name,
                messages=[{"role": "user", "content": message.content} for message in messages]
                if len(messages) == 1
                else [
                    {"role": "system", "content": messages[0].content},
                    {"role": "user", "content": messages[1].content},
                ],
                max_tokens=400,
                temperature=0,
                seed=7,
            )
            expected = Builtin(name).answer(messages, 400)
            assert completion.choices[0].message.content == expected.text
            assert completion.choices[0].finish_reason == expected.finish
            assert completion.model == name
            assert completion.usage is not None
            assert completion.usage.prompt_tokens == expected.usage.tokens_in
            assert completion.usage.completion_tokens == expected.usage.tokens_out


def test_the_runner_s_own_client_plays_through_it(server: BuiltinServer) -> None:
    model = Waiting(OpenAIChat(server.base_url, "learner", decoding=decoding_at(0.0), timeout=20.0))
    try:
        answer = model.ask(first_prompt("snake"), 400)
    finally:
        model.close()
    assert answer.text == Builtin("learner").answer(first_prompt("snake"), 400).text


def test_models_and_health(server: BuiltinServer) -> None:
    with openai.OpenAI(base_url=server.base_url, api_key="none") as client:
        assert tuple(model.id for model in client.models.list()) == BUILTIN_NAMES
    assert send(server, "GET", "/health").content == {"status": "ok"}


def test_a_limit_on_new_tokens_is_kept_under_either_name(server: BuiltinServer) -> None:
    messages = [message._asdict() for message in first_prompt("trust")]
    for field in ("max_tokens", "max_completion_tokens"):
        reply = post(server, {"model": "idle", "messages": messages, field: 2})
        assert isinstance(reply.content, dict)
        assert reply.content["choices"][0]["finish_reason"] == "length"


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ([], "body"),
        ("text", "body"),
        ({}, "model"),
        (request(model=3), "model"),
        (request(messages=[]), "messages"),
        (request(messages="Hello"), "messages"),
        (request(messages=[{"role": "user"}]), "messages.0.content"),
        (request(messages=[{"role": "user", "content": None}]), "messages.0.content"),
        (request(messages=[{"role": "user", "content": [{"type": "text", "text": "x"}]}]), "messages.0.content"),
        (request(messages=[{"role": "robot", "content": "x"}]), "messages.0.role"),
        (request(messages=[{"role": "user", "content": "x", "reasoning": "y"}]), "messages.0.reasoning"),
        (request(max_tokens=0), "max_tokens"),
        (request(max_tokens="many"), "max_tokens"),
        (request(stream=True), "stream"),
        (request(n=2), "n"),
    ],
)
def test_a_malformed_request_is_told_where_it_is_wrong(server: BuiltinServer, content: object, place: str) -> None:
    reply = post(server, content)
    assert reply.status == 400
    assert told(reply).startswith(f"{place}: ")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[" * 200_000,
        b'{"model": "greedy", "messages": [{"role": "user", "content": "\\ud800"}]}',
    ],
)
def test_bytes_that_are_no_json_text_are_refused(server: BuiltinServer, body: bytes) -> None:
    reply = send(server, "POST", CHAT, body)
    assert reply.status == 400
    assert told(reply)


def test_BN_05_a_body_of_many_values_is_refused_before_they_are_made(server: BuiltinServer) -> None:
    reply = send(server, "POST", CHAT, b'{"model": "greedy", "messages": [' + b"{}," * 100_000 + b"{}]}")
    assert reply.status == 400
    assert told(reply).startswith("body: expected at most 131072 texts")


def test_messages_that_are_no_prompt_are_refused_without_repeating_them(server: BuiltinServer) -> None:
    reply = post(server, request(messages=[{"role": "user", "content": "my secret"}]))
    assert reply.status == 400
    assert told(reply).startswith("messages: ")
    assert "secret" not in told(reply)


def test_an_unknown_model_and_an_unknown_path_are_not_found(server: BuiltinServer) -> None:
    unknown = post(server, request(model="oracle"))
    assert (unknown.status, told(unknown)) == (404, f"model: expected one of {', '.join(BUILTIN_NAMES)}")
    for method, path in (("POST", "/v1/completions"), ("GET", "/"), ("GET", CHAT)):
        reply = send(server, method, path, b"{}" if method == "POST" else None)
        assert reply.status == 404
        assert told(reply).startswith("path: ")


def test_another_method_is_refused_in_the_same_shape(server: BuiltinServer) -> None:
    reply = send(server, "DELETE", CHAT)
    assert reply.status == 501
    assert told(reply)


@pytest.mark.parametrize("length", [str(MAX_BODY + 1), "9" * 400])
def test_a_body_that_is_too_long_is_refused_unread(server: BuiltinServer, length: str) -> None:
    reply = send(server, "POST", CHAT, b"{}", **{"Content-Length": length})
    assert reply.status == 413
    assert reply.headers["Connection"] == "close"


@pytest.mark.parametrize(
    "headers", ["", "Content-Length: -1\r\n", "Content-Length: ٣\r\n", "Transfer-Encoding: chunked\r\n"]
)
def test_a_body_without_a_length_is_refused(server: BuiltinServer, headers: str) -> None:
    with socket.create_connection(("127.0.0.1", port_of(server)), timeout=20) as connection:
        connection.sendall(f"POST {CHAT} HTTP/1.1\r\nHost: x\r\n{headers}\r\n".encode())
        assert connection.recv(64).startswith(b"HTTP/1.1 411 ")


def test_nothing_is_logged(server: BuiltinServer, capfd: pytest.CaptureFixture[str]) -> None:
    post(server, request())
    post(server, {})
    assert capfd.readouterr() == ("", "")


def test_a_client_that_goes_away_disturbs_nobody(server: BuiltinServer, capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_connection(("127.0.0.1", port_of(server)), timeout=20) as connection:
        connection.sendall(f"POST {CHAT} HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{{".encode())
    assert post(server, request()).status == 200
    assert capfd.readouterr().err == ""


def test_it_listens_on_this_machine_only_and_ends_with_its_context() -> None:
    with BuiltinServer() as running:
        port = port_of(running)
        assert running.base_url == f"http://127.0.0.1:{port}/v1"
        assert send(running, "GET", "/health").status == 200
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)


def test_two_servers_take_two_ports() -> None:
    with BuiltinServer() as one, BuiltinServer() as other:
        assert one.base_url != other.base_url


def test_a_kept_alive_connection_does_not_wait_for_what_is_under_way(
    server: BuiltinServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the body of a reply waits until the client acknowledges the head, for some 40 ms."""
    at_once: list[int] = []
    set_up = BaseHTTPRequestHandler.setup

    def watched(handler: BaseHTTPRequestHandler) -> None:
        set_up(handler)
        at_once.append(handler.connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    monkeypatch.setattr(BaseHTTPRequestHandler, "setup", watched)
    send(server, "GET", "/health")
    assert at_once
    assert all(at_once)
