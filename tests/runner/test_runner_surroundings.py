"""Certificates and proxies that no client can be opened with are named; so is what answers in a form of its own."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from runner.models.base_url import read_base_url
from runner.models.openai_chat import OpenAIChat
from runner.models.surroundings import route, set_aside, trusted, unusable
from runner.retry import Asked, Asker, PauseRunError
from tests.runner.faults import HELLO, Reply, completion, json_reply, scripted
from tests.runner.shapes import chat

FAR = read_base_url("https://models.example/v1")
NEAR = read_base_url("http://localhost:8000/v1")
STREAM = b'data: {"choices":[{"delta":{"content":"Answer: UP"}}]}\n\ndata: [DONE]\n\n'


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave no certificates and no proxies in the environment."""
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def test_an_environment_without_any_of_it_is_usable() -> None:
    assert unusable(FAR) == ()


@pytest.mark.parametrize("content", [None, b"", b"no certificate\n"], ids=["missing", "empty", "text"])
def test_a_certificate_file_that_is_none_is_named_by_every_client_for_another_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    (found,) = unusable(FAR)
    assert found.variable == "SSL_CERT_FILE"
    assert str(path) in found.found
    with pytest.raises(ValueError, match="SSL_CERT_FILE") as refused:
        OpenAIChat("https://models.example/v1", "m")
    assert str(path) in str(refused.value)
    assert "unset it" in str(refused.value)
    assert unusable(NEAR) == (), "nothing is read of it for this machine"
    OpenAIChat("http://localhost:8000/v1", "m")


def test_a_certificate_folder_that_is_none_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "none"))
    with pytest.raises(ValueError, match=r"SSL_CERT_DIR: .*none: expected a folder"):
        OpenAIChat("https://models.example/v1", "m")
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    assert unusable(FAR) == ()


@pytest.mark.parametrize("variable", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "HTTP_PROXY"])
@pytest.mark.parametrize(
    "value", ["ftp://u:secret@proxy:1", "http://", "http://u:secret@proxy:port", "/etc/ca.pem", "x:y:z"]
)
def test_a_proxy_that_cannot_be_used_is_named_without_its_password(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ValueError, match=f"{variable}: ") as refused:
        OpenAIChat("https://models.example/v1", "m")
    assert "secret" not in str(refused.value)
    assert unusable(NEAR) == ()
    monkeypatch.setenv("NO_PROXY", "*")
    assert unusable(FAR) == ()


@pytest.mark.parametrize("value", ["http://proxy:3128", "proxy:3128", "https://u:p@proxy"])
def test_a_proxy_that_can_be_used_is_told_where_a_connection_fails(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("HTTPS_PROXY", value)
    assert unusable(FAR) == ()
    assert "of HTTPS_PROXY" in route(FAR)
    assert "u:p" not in route(FAR)
    assert route(NEAR) == ""
    monkeypatch.setenv("NO_PROXY", "models.example")
    assert route(FAR) == ""


def test_a_dead_proxy_is_named_in_the_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(completion()) as server:
        dead = server.url
    monkeypatch.setenv("HTTP_PROXY", dead)

    async def ask() -> Asked:
        return await Asker().ask(OpenAIChat("http://models.example/v1", "m"), HELLO, 9, lambda _: None)

    with pytest.raises(PauseRunError, match=rf"no connection through the proxy {dead} of HTTP_PROXY"):
        asyncio.run(ask())


def test_what_is_trusted_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "SSL_CERT_FILE" in trusted()
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/etc/ca.pem")
    assert "REQUESTS_CA_BUNDLE is not read" in trusted()
    monkeypatch.setenv("SSL_CERT_FILE", "/etc/mine.pem")
    assert "/etc/mine.pem" in trusted()


def test_variables_are_set_aside_and_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/none")
    with set_aside(["SSL_CERT_FILE"]):
        assert unusable(FAR) == ()
    assert len(unusable(FAR)) == 1


@pytest.mark.parametrize(
    ("reply", "said", "advice"),
    [
        (Reply(200, STREAM, (("content-type", "text/event-stream"),)), "a stream of events", "streams its answer"),
        (Reply(200, b": ping\n\n" + STREAM), "a stream of events", "--stream"),
        (Reply(200, b"event: message\n" + STREAM), "a stream of events", "streams its answer"),
        (json_reply(chat({"content": 42})), "a content that is a number", "something else than text"),
        (json_reply(chat({"content": True})), "a content that is true or false", "something else than text"),
    ],
)
def test_an_answer_of_another_form_is_named_after_the_first_and_nothing_is_waited_for(
    reply: Reply, said: str, advice: str
) -> None:
    async def never(seconds: float) -> None:
        pytest.fail(f"waited {seconds} s")

    async def ask() -> Asked:
        return await Asker(sleep=never).ask(OpenAIChat(server.url, "m"), HELLO, 9, lambda _: None)

    with scripted(reply) as server, pytest.raises(PauseRunError, match=said) as pause:
        asyncio.run(ask())
    assert advice in str(pause.value)
    assert len(server.received) == 1


def test_one_odd_answer_of_an_endpoint_that_has_answered_is_asked_for_again() -> None:
    async def no_wait(seconds: float) -> None:
        """Let the time pass."""

    async def ask() -> Asked:
        model, asker = OpenAIChat(server.url, "m"), Asker(sleep=no_wait)
        await asker.ask(model, HELLO, 9, lambda _: None)
        return await asker.ask(model, HELLO, 9, lambda _: None)

    with scripted(completion(), json_reply(chat({"content": 42})), completion("Answer: UP")) as server:
        asked = asyncio.run(ask())
    assert asked.answer is not None
    assert (asked.answer.text, asked.requests) == ("Answer: UP", 2)
