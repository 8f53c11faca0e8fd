"""The endpoint that fails on a schedule: every kind is what it says, and a schedule hangs on nothing but the prompt."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from games.registry import game_named
from protocol.context import Budget, RunContext
from protocol.messages import Message, messages_digest
from runner.models.builtin import Builtin
from runner.models.model import FaultKind, TransportFaultError, Usage
from runner.models.openai_chat import OpenAIChat
from runner.retry import RetryPolicy
from tests.runner.stormy import Stage, Stormy
from tests.runner.waiting import Waiting
from tests.runner.weather import FAULTS, ODD, POOR, Schedule, Storm, Weather

KINDS = {
    Weather.RESET: FaultKind.CONNECTION,
    Weather.CLOSED: FaultKind.CONNECTION,
    Weather.CUT: FaultKind.CONNECTION,
    Weather.STREAM_DIES: FaultKind.CONNECTION,
    Weather.HANG: FaultKind.TIMEOUT,
    Weather.DRIP: FaultKind.TIMEOUT,
    Weather.RATE_LIMIT: FaultKind.RATE_LIMIT,
    Weather.RATE_LIMIT_WAIT: FaultKind.RATE_LIMIT,
    Weather.SERVER: FaultKind.SERVER,
    Weather.GATEWAY: FaultKind.SERVER,
    Weather.DOWN: FaultKind.SERVER,
    Weather.BUSY: FaultKind.SERVER,
    Weather.ERROR_200: FaultKind.MALFORMED,
    Weather.NO_CHOICES: FaultKind.MALFORMED,
    Weather.HTML_200: FaultKind.MALFORMED,
    Weather.TRUNCATED_200: FaultKind.MALFORMED,
}
PROMPTS = [f"{number:064x}" for number in range(4000)]


@pytest.fixture(scope="module")
def prompt() -> list[Message]:
    """Return the first prompt of an episode."""
    game = game_named("snake")
    context = RunContext(game, "history", Budget(6_500, 1_600, 80)).episode(game.strict)
    context.turn("", game.observe(game.start(game.strict, 1)))
    return context.messages()


@contextmanager
def asked(endpoint: Stormy, timeout: float = 30.0) -> Iterator[Waiting]:
    with endpoint:
        model = Waiting(OpenAIChat(endpoint.url, "m", timeout=timeout))
        try:
            yield model
        finally:
            model.close()


def always(weather: Weather) -> Schedule:
    return lambda digest, sending: weather


def test_on_a_fair_day_the_replies_are_those_of_the_builtin_model(prompt: list[Message]) -> None:
    endpoint = Stormy("greedy")
    with asked(endpoint) as model:
        answer = model.ask(prompt, 400)
    expected = Builtin("greedy").answer(prompt, 400)
    assert (answer.text, answer.finish, answer.usage) == (expected.text, expected.finish, expected.usage)
    digest = messages_digest(prompt)
    assert (endpoint.count.received, endpoint.count.completed) == (Counter([digest]), Counter([digest]))


@pytest.mark.parametrize("weather", FAULTS)
def test_every_fault_is_told_as_a_fault_of_its_kind_and_a_clear_sending_follows(
    weather: Weather, prompt: list[Message]
) -> None:
    endpoint = Stormy(schedule=lambda digest, sending: weather if sending == 1 else Weather.CLEAR)
    with asked(endpoint, timeout=0.2 if weather in (Weather.HANG, Weather.DRIP) else 30.0) as model:
        with pytest.raises(TransportFaultError) as caught:
            model.ask(prompt, 400)
        assert endpoint.count.completed == Counter()
        assert caught.value.kind is KINDS[weather]
        assert caught.value.retry_after == {Weather.RATE_LIMIT_WAIT: 3.0, Weather.DOWN: 1.0}.get(weather)
    with asked(endpoint) as model:
        assert model.ask(prompt, 400).text == Builtin("greedy").answer(prompt, 400).text


@pytest.mark.parametrize("weather", [weather for weather in POOR if weather is not Weather.FILTER_ERROR])
def test_every_poor_reply_says_nothing_or_is_filtered(weather: Weather, prompt: list[Message]) -> None:
    with asked(Stormy(schedule=always(weather))) as model:
        answer = model.ask(prompt, 400)
    assert not answer.text.strip() or answer.finish == "content_filter"


def test_a_content_filter_that_answers_with_an_error_is_told_as_one(prompt: list[Message]) -> None:
    endpoint = Stormy(schedule=always(Weather.FILTER_ERROR))
    with asked(endpoint) as model, pytest.raises(TransportFaultError) as caught:
        model.ask(prompt, 400)
    assert caught.value.kind is FaultKind.FILTERED


@pytest.mark.parametrize("weather", ODD)
def test_every_odd_form_holds_the_whole_reply(weather: Weather, prompt: list[Message]) -> None:
    with asked(Stormy(schedule=always(weather), slowness=0.001)) as model:
        answer = model.ask(prompt, 400)
    expected = Builtin("greedy").answer(prompt, 400)
    assert (answer.text, answer.finish) == (expected.text, expected.finish)
    assert answer.usage == (Usage() if weather is Weather.NO_USAGE else expected.usage)


def test_a_prompt_above_the_size_is_an_overflow_in_every_shape(prompt: list[Message]) -> None:
    with asked(Stormy(largest=sum(len(each.content) for each in prompt) - 1)) as model:
        for _ in range(4):
            with pytest.raises(TransportFaultError) as caught:
                model.ask(prompt, 400)
            assert caught.value.kind is FaultKind.OVERFLOW
    with asked(Stormy(largest=sum(len(each.content) for each in prompt))) as model:
        assert model.ask(prompt, 400).finish == "stop"


def test_in_an_outage_connections_are_refused_and_afterwards_answered(prompt: list[Message]) -> None:
    endpoint = Stormy()
    with asked(endpoint) as model:
        model.ask(prompt, 400)
        with endpoint.outage():
            for _ in range(2):
                with pytest.raises(TransportFaultError) as caught:
                    model.ask(prompt, 400)
                assert caught.value.kind is FaultKind.CONNECTION
        assert model.ask(prompt, 400).finish == "stop"
    assert endpoint.count.received.total() == 2


def test_whoever_watches_hears_of_every_stage_before_the_next(prompt: list[Message]) -> None:
    heard: list[tuple[Stage, str]] = []
    last = threading.Event()

    def watch(stage: Stage, digest: str) -> None:
        heard.append((stage, digest))
        if stage == "sent":
            last.set()

    with asked(Stormy(watch=watch)) as model:
        model.ask(prompt, 400)
        assert last.wait(10)
    digest = messages_digest(prompt)
    assert heard == [("received", digest), ("half sent", digest), ("sent", digest)]


def met(storm: Storm, digest: str) -> list[Weather]:
    """Return what one ask of a prompt meets, up to its reply."""
    found: list[Weather] = []
    while not found or found[-1] in FAULTS or found[-1] in POOR:
        found.append(storm(digest, len(found) + 1))
    return found


def test_a_storm_is_the_same_whatever_was_asked_before() -> None:
    asked_in_order = [Storm(3)(digest, sending) for digest in PROMPTS[:300] for sending in (1, 2, 3)]
    storm = Storm(3)
    backwards = [storm(digest, sending) for digest in reversed(PROMPTS[:300]) for sending in (3, 2, 1)]
    assert asked_in_order == backwards[::-1]
    assert asked_in_order != [Storm(4)(digest, sending) for digest in PROMPTS[:300] for sending in (1, 2, 3)]


def test_a_storm_never_goes_beyond_what_the_retry_policy_bears_and_meets_the_bounds() -> None:
    policy, storm = RetryPolicy(), Storm(1)
    all_met = [met(storm, digest) for digest in PROMPTS]
    faults = [sum(each in FAULTS for each in one) for one in all_met]
    poor = [sum(each in POOR for each in one) for one in all_met]
    assert max(faults) == policy.attempts - 1
    assert max(poor) == policy.repeats
    assert max(map(len, all_met)) == policy.most_requests


def test_the_bounds_hold_for_all_sendings_of_a_prompt_together() -> None:
    storm = Storm(1, share=1.0)
    for digest in PROMPTS[:50]:
        many = [storm(digest, sending) for sending in range(1, 40)]
        assert sum(each in FAULTS for each in many) == storm.most_faults
        assert sum(each in POOR for each in many) == storm.most_poor


def test_a_storm_spoils_a_tenth_of_the_sendings_with_every_kind() -> None:
    storm = Storm(1)
    sendings = Counter(each for digest in PROMPTS for each in met(storm, digest))
    spoilt = sum(sendings[each] for each in (*FAULTS, *POOR))
    assert 0.1 < spoilt / sendings.total() < 0.13
    assert set(sendings) == set(Weather)
