"""Whether an endpoint takes a system message is found out before the first step, from its answers, once in a run."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from protocol.context import Pathway
from protocol.decoding import decoding_at
from protocol.messages import Message, messages_digest
from protocol.records import Endpoint, Manifest
from runner.entry import Finished, play_entry
from runner.errors import JournalError
from runner.journal import JOURNAL
from runner.models.builtin import Builtin
from runner.models.model import Answer, FaultKind, TransportFaultError
from runner.models.openai_chat import OpenAIChat
from runner.models.probe import WITH_SYSTEM, WITHOUT_SYSTEM, is_probe
from runner.retry import Asker, PauseRunError
from scoring.registry import Registry
from scoring.verify import verify
from tests.bundles import KEY, Board, Unwatched, plan
from tests.runner.faults import Received, Reply, completion, scripted
from tests.runner.scripted import Event, Scripted
from tests.runner.shapes_refused import SYSTEM_REFUSALS
from tests.runner.stormy import Stormy
from tests.runner.weather import Weather

Judge = Callable[[int, Sequence[Message]], Event | None]


class Remote(Scripted):
    """The greedy player as if it stood behind an endpoint of which nothing is known."""

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint(kind="openai_chat", model="m", context_tokens=None)

    @property
    def probes(self) -> list[list[Message]]:
        return [request for request in self.requests if is_probe(request)]


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    return Board(tmp_path_factory.mktemp("board"))


async def no_wait(seconds: float) -> None:
    """Let the time pass."""


def finish(folder: Path, model: Remote | Scripted, pathway: Pathway = "history", role: bool | None = None) -> Finished:
    chosen = replace(plan(pathway), system_role=role, games=("trust",))
    return asyncio.run(play_entry(chosen, model, folder, KEY, Unwatched(), Asker(sleep=no_wait)))


def manifest(finished: Finished, board: Board) -> Manifest:
    return verify(finished.bundle, Registry(board.keys)).manifest


def has_system(messages: Sequence[Message]) -> bool:
    return any(message.role == "system" for message in messages)


def fault(kind: FaultKind, *, names_it: bool = False) -> TransportFaultError:
    return TransportFaultError(kind, f"scripted {kind}", refuses_system=names_it)


def refusing(kind: FaultKind, *, names_it: bool) -> Judge:
    return lambda number, messages: fault(kind, names_it=names_it) if has_system(messages) else None


def test_an_endpoint_that_takes_a_system_message_is_asked_once_and_gets_one(board: Board, tmp_path: Path) -> None:
    model = Remote({})
    found = manifest(finish(tmp_path, model), board)
    assert (found.options.system_role, found.adaptations) == (True, ())
    assert len(model.probes) == 1
    assert is_probe(model.requests[0])
    assert all(has_system(request) for request in model.requests)


@pytest.mark.parametrize("kind", [FaultKind.REFUSED, FaultKind.SERVER])
@pytest.mark.parametrize(("names_it", "probes"), [(True, 2), (False, 3)])
def test_EP_19_a_refused_system_message_is_found_out_and_never_sent_again(
    board: Board, tmp_path: Path, kind: FaultKind, names_it: bool, probes: int
) -> None:
    """A refusal that does not name the role, a bare 500 say, is met twice before it is believed."""
    model = Remote(refusing(kind, names_it=names_it))
    found = manifest(finish(tmp_path, model), board)
    assert found.options.system_role is False
    assert found.adaptations == ("no system message sent: the endpoint refuses one",)
    assert found.deviations == ()
    assert len(model.probes) == probes
    assert not any(has_system(request) for request in model.requests[probes:])


def test_EP_19_a_fault_that_passes_is_not_taken_for_a_refusal(board: Board, tmp_path: Path) -> None:
    model = Remote({0: FaultKind.SERVER})
    assert manifest(finish(tmp_path, model), board).options.system_role
    assert [has_system(probe) for probe in model.probes] == [True, False, True]


@pytest.mark.parametrize("weather", [Weather.GATEWAY, Weather.DOWN, Weather.BUSY])
def test_EP_19_an_overloaded_endpoint_is_not_taken_for_one_that_refuses_the_role(
    board: Board, tmp_path: Path, weather: Weather
) -> None:
    """It fails twice on the prompt with a system message, and would answer the one without."""
    with_system = messages_digest(WITH_SYSTEM)

    def twice(digest: str, sending: int) -> Weather:
        return weather if digest == with_system and sending <= 2 else Weather.CLEAR

    async def playing() -> Finished:
        model = OpenAIChat(endpoint.url, "m", decoding=decoding_at(0.0))
        chosen = replace(plan("history"), system_role=None, games=("trust",))
        try:
            return await play_entry(chosen, model, tmp_path, KEY, Unwatched(), Asker(sleep=no_wait))
        finally:
            await model.close()

    with Stormy(schedule=twice) as endpoint:
        found = manifest(asyncio.run(playing()), board)
    assert (found.options.system_role, found.adaptations) == (True, ())
    assert endpoint.count.received[with_system] == 3
    assert endpoint.count.received[messages_digest(WITHOUT_SYSTEM)] == 0


@pytest.mark.parametrize("kind", [FaultKind.RATE_LIMIT, FaultKind.TIMEOUT, FaultKind.MALFORMED, FaultKind.CONNECTION])
def test_other_faults_of_the_probe_say_nothing_of_the_role(board: Board, tmp_path: Path, kind: FaultKind) -> None:
    """They are waited out, or pause the run, as for any other request."""
    model = Remote({0: kind, 1: kind})
    if kind is FaultKind.CONNECTION:
        with pytest.raises(PauseRunError, match="nothing answers there"):
            finish(tmp_path, model)
        return
    assert manifest(finish(tmp_path, model), board).options.system_role
    assert [has_system(probe) for probe in model.probes] == [True, True, True]


@pytest.mark.parametrize("answer", [Answer("", "stop"), Answer("", "length"), Answer("", "content_filter")])
def test_what_the_probe_answers_does_not_matter(board: Board, tmp_path: Path, answer: Answer) -> None:
    model = Remote(lambda number, messages: answer if is_probe(messages) else None)
    assert manifest(finish(tmp_path, model), board).options.system_role


def test_an_endpoint_that_refuses_both_forms_pauses_and_nothing_is_found(board: Board, tmp_path: Path) -> None:
    with pytest.raises(PauseRunError, match="refuses the request"):
        finish(tmp_path, Remote(lambda number, messages: FaultKind.REFUSED))
    assert b'"found"' not in (tmp_path / JOURNAL).read_bytes()
    assert (
        manifest(finish(tmp_path, Remote(refusing(FaultKind.SERVER, names_it=True))), board).options.system_role
        is False
    )


def test_a_wrong_key_is_told_after_one_request(tmp_path: Path) -> None:
    model = Remote({0: TransportFaultError(FaultKind.REFUSED, "wrong key", refuses_all=True)})
    with pytest.raises(PauseRunError, match="wrong key"):
        finish(tmp_path, model)
    assert len(model.requests) == 1


def test_the_finding_is_kept_whatever_the_endpoint_takes_later(board: Board, tmp_path: Path) -> None:
    first = Remote({7: KeyboardInterrupt(), **dict.fromkeys((0, 2), FaultKind.SERVER)})
    with pytest.raises(KeyboardInterrupt):
        finish(tmp_path, first)
    later = Remote({})
    assert manifest(finish(tmp_path, later), board).options.system_role is False
    assert later.probes == []
    assert not any(has_system(request) for request in later.requests)


def test_a_run_that_was_cut_off_while_it_found_out_finds_out_again(board: Board, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        finish(tmp_path, Remote({0: FaultKind.SERVER, 1: KeyboardInterrupt()}))
    again = Remote({})
    assert manifest(finish(tmp_path, again), board).options.system_role
    assert len(again.probes) == 1
    lines = [json.loads(line) for line in (tmp_path / JOURNAL).read_bytes().splitlines()]
    assert [line["attempt"] for line in lines if (line["kind"], line.get("key")) == ("asking", "probe")] == [1, 2, 3]


@pytest.mark.parametrize("role", [True, False])
def test_a_role_that_is_given_is_not_found_out(board: Board, tmp_path: Path, role: bool) -> None:
    model = Remote({})
    found = manifest(finish(tmp_path, model, role=role), board)
    assert (found.options.system_role, found.adaptations, model.probes) == (role, (), [])


def test_a_run_that_found_out_is_not_resumed_with_a_given_role(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        finish(tmp_path, Remote({5: KeyboardInterrupt()}))
    with pytest.raises(JournalError, match="system role = found out, now it is False"):
        finish(tmp_path, Remote({}), role=False)


def test_a_system_message_that_is_insisted_on_and_refused_pauses_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(PauseRunError, match="--no-system-role"):
        finish(tmp_path, Remote(refusing(FaultKind.REFUSED, names_it=True)), role=True)


def test_our_own_players_are_not_probed(tmp_path: Path) -> None:
    model = Scripted({})
    finish(tmp_path, model)
    assert not any(is_probe(request) for request in model.requests)


@pytest.mark.parametrize("server", SYSTEM_REFUSALS)
def test_EP_19_each_known_server_without_a_system_role_is_played_to_the_end(
    board: Board, tmp_path: Path, server: str
) -> None:
    """Over HTTP, with both pathways at the first server; the roles alternate as a strict template demands."""

    def strict(request: Received) -> Reply:
        messages = messages_of(request)
        if messages[0].role == "system":
            return SYSTEM_REFUSALS[server]
        assert messages[-1].role == "user"
        assert all(one.role != other.role for one, other in itertools.pairwise(messages))
        return completion(Builtin("greedy").answer(messages, 400).text)

    pathways: tuple[Pathway, ...] = ("history", "summary") if server == "vllm" else ("history",)
    for pathway in pathways:
        with scripted(strict) as endpoint:
            finished = asyncio.run(_play(endpoint.url, tmp_path / pathway, pathway))
        assert manifest(finished, board).options.system_role is False


def messages_of(request: Received) -> list[Message]:
    return TypeAdapter(list[Message]).validate_python(request.body["messages"])


async def _play(url: str, folder: Path, pathway: Pathway) -> Finished:
    model = OpenAIChat(url, "m", decoding=decoding_at(0.0))
    chosen = replace(plan(pathway), games=("trust",))
    try:
        return await play_entry(chosen, model, folder, KEY, Unwatched(), Asker(sleep=no_wait))
    finally:
        await model.close()


@pytest.mark.parametrize("pathway", ["history", "summary"])
def test_EP_19_roles_alternate_after_the_system_message(tmp_path: Path, pathway: Pathway) -> None:
    model = Remote({})
    finish(tmp_path, model, pathway)
    for request in model.requests:
        roles = [message.role for message in request if message.role != "system"]
        assert roles == [("user", "assistant")[place % 2] for place in range(len(roles))]
        assert [message.role for message in request].count("system") == (request[0].role == "system")
        assert request[-1].role == "user"


def test_a_prompt_that_is_refused_for_itself_does_not_hold_a_resumed_run_up_for_ever(
    board: Board, tmp_path: Path
) -> None:
    """Refused first thing in a new sitting; a small prompt shows that the endpoint still answers others."""
    with pytest.raises(KeyboardInterrupt):
        finish(tmp_path, Remote({6: KeyboardInterrupt()}))
    model = Remote({0: FaultKind.REFUSED})
    failures = manifest(finish(tmp_path, model), board).failures
    assert [(each.kind, each.episodes) for each in failures] == [("transport", 1)]
    assert is_probe(model.requests[1])


def test_an_endpoint_that_refuses_everything_in_a_resumed_run_pauses_it(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        finish(tmp_path, Remote({6: KeyboardInterrupt()}))
    model = Remote(lambda number, messages: FaultKind.REFUSED)
    with pytest.raises(PauseRunError, match="refuses the request"):
        finish(tmp_path, model)
    assert len(model.requests) == 2
