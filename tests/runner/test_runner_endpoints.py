"""The known servers, one by one: what is read from their answers, and which kind their errors are."""

import pytest

from protocol.reply import read_reply
from runner.models.chat_faults import names_system_role, read_error
from runner.models.model import FaultKind, TransportFaultError
from runner.models.openai_chat import OpenAIChat
from tests.runner.faults import HELLO, KEY, Reply, completion, error, json_reply, scripted
from tests.runner.shapes import ANSWERED, Answered
from tests.runner.shapes_refused import REFUSED, SYSTEM_REFUSALS, Refused
from tests.runner.waiting import Waiting


def model_at(url: str, api_key_header: str | None = None) -> Waiting:
    return Waiting(OpenAIChat(url, "m", KEY, api_key_header=api_key_header))


@pytest.mark.parametrize("shape", ANSWERED, ids=lambda shape: shape.server)
def test_answers_are_read_and_reasoning_apart_from_them_is_not(shape: Answered) -> None:
    with scripted(json_reply(shape.body)) as server:
        model = model_at(server.url)
        answer = model.ask(HELLO, 400)
        model.close()
    assert (answer.text, answer.finish, answer.usage) == (shape.text, shape.finish, shape.usage)
    assert read_reply(answer.text).action in ("UP", None)


@pytest.mark.parametrize("shape", REFUSED, ids=lambda shape: shape.server)
def test_errors_are_told_apart(shape: Refused) -> None:
    with scripted(shape.reply) as server:
        model = model_at(server.url)
        with pytest.raises(TransportFaultError) as caught:
            model.ask(HELLO, 400)
        model.close()
    assert (caught.value.kind, caught.value.retry_after) == (shape.kind, shape.retry_after)


@pytest.mark.parametrize("reply", SYSTEM_REFUSALS.values(), ids=SYSTEM_REFUSALS)
def test_EP_19_a_complaint_about_the_system_message_is_known_in_every_shape(reply: Reply) -> None:
    assert names_system_role(read_error(reply.body.decode()))


@pytest.mark.parametrize("shape", [each for each in REFUSED if "template" not in each.server], ids=lambda it: it.server)
def test_EP_19_no_other_error_is_taken_for_it(shape: Refused) -> None:
    assert not names_system_role(read_error(shape.reply.body.decode()))


def test_azure_is_asked_at_its_deployment_with_its_version_and_its_own_key_header() -> None:
    with scripted(completion()) as server:
        path = "/openai/deployments/prod/chat/completions?api-version=2024-10-21"
        model = model_at(server.url + path, api_key_header="api-key")
        model.ask(HELLO, 400)
        model.close()
    (request,) = server.received
    assert request.target == path
    assert request.headers["api-key"] == KEY
    assert "authorization" not in request.headers


def test_a_key_header_is_the_name_of_a_header() -> None:
    for name in ("", "api key", "api-key: x", "schlüssel", "a\nb"):
        with pytest.raises(ValueError, match="API key header"):
            OpenAIChat("http://127.0.0.1:1/v1", "m", KEY, api_key_header=name)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed_and_its_target_is_told(status: int) -> None:
    """Prompts, and a key in a header of its own, go to the given host alone."""
    with scripted(completion()) as elsewhere, scripted(Reply(status, b"", (("location", elsewhere.url),))) as server:
        model = model_at(server.url, api_key_header="api-key")
        with pytest.raises(TransportFaultError) as caught:
            model.ask(HELLO, 400)
        model.close()
    assert (caught.value.kind, caught.value.refuses_all) == (FaultKind.REFUSED, True)
    assert elsewhere.url in caught.value.message
    assert elsewhere.received == []


def test_blank_lines_that_keep_a_connection_alive_are_no_part_of_the_reply() -> None:
    with scripted(Reply(200, b"\n\n\n" + completion().body)) as server:
        model = model_at(server.url)
        assert model.ask(HELLO, 400).text == "Answer: UP, Score: 1"
        model.close()


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "90"}, 90.0),
        ({"retry_after": "0"}, 0.0),
        ({"retry_after_ms": "1500"}, 1.5),
        ({"retry_after_ms": "1500", "retry_after": "1"}, 1.5),
        ({"retry_after_ms": "x", "retry_after": "3"}, 3.0),
        ({"retry_after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 45.0),
        ({"retry_after": "-5"}, 45.0),
        ({"retry_after": "NaN"}, 45.0),
        ({}, 45.0),
    ],
)
def test_EP_12_the_longest_wait_of_the_headers_holds_and_without_any_that_of_the_body(
    headers: dict[str, str], seconds: float
) -> None:
    with scripted(error(429, "Please retry after 45 seconds.", **headers)) as server:
        model = model_at(server.url)
        with pytest.raises(TransportFaultError) as caught:
            model.ask(HELLO, 400)
        model.close()
    assert caught.value.retry_after == seconds


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("Please try again in 6m0s.", 360.0),
        ("Please try again in 7m40.5s.", 460.5),
        ("Please try again in 450ms.", 0.45),
        ("please retry after 1h2m3s", 3723.0),
        ("Please retry in 20 s.", 20.0),
        ("Please try again in a while.", None),
        ("Please try again later.", None),
        ("retry after " + "9" * 40, None),
    ],
)
def test_EP_12_waits_in_words_are_read(said: str, seconds: float | None) -> None:
    with scripted(error(429, said)) as server:
        model = model_at(server.url)
        with pytest.raises(TransportFaultError) as caught:
            model.ask(HELLO, 400)
        model.close()
    assert caught.value.retry_after == (None if seconds is None else pytest.approx(seconds))
