"""The retry policy with a scripted model and a clock that nobody waits for."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from protocol.messages import Message
from protocol.records import MAX_REPLY, Endpoint
from runner.models.model import Answer, FaultKind, TransportFaultError
from runner.models.openai_chat import OpenAIChat
from runner.retry import Asked, Asker, PauseRunError, RetryPolicy, StoppedRunError
from tests.runner.faults import HELLO, KEY, Reply, completion, error, scripted

GOOD = Answer("Answer: UP, Score: 1", "stop")
EMPTY = Answer("", "stop")
MAY_PASS = [FaultKind.TIMEOUT, FaultKind.RATE_LIMIT, FaultKind.SERVER, FaultKind.MALFORMED, FaultKind.CONNECTION]

Turn = Answer | TransportFaultError


def fault(kind: FaultKind, retry_after: float | None = None) -> TransportFaultError:
    return TransportFaultError(kind, f"it said {kind}", retry_after=retry_after)


@dataclass
class Player:
    """A model that answers by a script, the last turn for ever, and a clock that only waiting moves."""

    turns: list[Turn]
    requests: int = 0
    now: float = 0.0
    waits: list[float] = field(default_factory=list)

    endpoint = Endpoint(kind="builtin", model="scripted", context_tokens=None)
    adaptations = ()

    async def ask(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        assert (tuple(messages), max_tokens) == (HELLO, 400)
        self.requests += 1
        turn = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]
        if isinstance(turn, Answer):
            return turn
        raise turn

    async def close(self) -> None: ...

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def asker(self, policy: RetryPolicy | None = None) -> Asker:
        return Asker(policy, sleep=self.sleep, clock=lambda: self.now)


def ask(player: Player, asker: Asker) -> Asked:
    return asyncio.run(asker.ask(player, HELLO, 400, lambda number: None))


def test_an_answer_comes_back_with_one_request_and_no_wait() -> None:
    player = Player([GOOD])
    assert ask(player, player.asker()) == Asked(GOOD, None, 1, 0.0)


def test_before_every_request_its_number_is_told() -> None:
    player = Player([fault(FaultKind.SERVER), EMPTY, fault(FaultKind.TIMEOUT), GOOD])
    told: list[tuple[int, int]] = []
    asyncio.run(player.asker().ask(player, HELLO, 400, lambda number: told.append((number, player.requests))))
    assert told == [(1, 0), (2, 1), (3, 2), (4, 3)]


@pytest.mark.parametrize("kind", MAY_PASS)
def test_a_fault_that_passes_is_waited_out_with_growing_waits(kind: FaultKind) -> None:
    player = Player([GOOD, fault(kind), fault(kind), fault(kind), fault(kind), fault(kind), GOOD])
    asker = player.asker()
    ask(player, asker)
    assert ask(player, asker) == Asked(GOOD, None, 6, 140.0)
    assert player.waits == [2.0, 6.0, 18.0, 54.0, 60.0]


@pytest.mark.parametrize("kind", MAY_PASS)
def test_EP_13_a_fault_that_stays_fails_the_ask_after_the_documented_number_of_requests(kind: FaultKind) -> None:
    player = Player([GOOD, fault(kind)])
    asker = player.asker()
    ask(player, asker)
    asked = ask(player, asker)
    assert asked.answer is None
    assert asked.fault is not None
    assert asked.fault.kind is kind
    assert asked.requests == RetryPolicy().attempts == 6


@pytest.mark.parametrize("reply", [error(429, "slow"), error(500, "down"), Reply(200, b"{}"), error(529, "busy")])
def test_EP_13_no_client_below_retries_as_well(reply: Reply) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def second() -> Asked:
        model, asker = OpenAIChat(server.url, "m", KEY), Asker(sleep=sleep)
        await asker.ask(model, HELLO, 400, lambda number: None)
        asked = await asker.ask(model, HELLO, 400, lambda number: None)
        await model.close()
        return asked

    with scripted(completion(), reply) as server:
        asked = asyncio.run(second())
        assert len(server.received) == 1 + asked.requests == 7
    assert len(waits) == 5


@pytest.mark.parametrize("text", ["a" * (MAX_REPLY - 1), "\u4e2d" * (MAX_REPLY // 6), "\U0001f600" * (MAX_REPLY // 12)])
def test_a_reply_that_no_record_holds_is_a_fault_and_the_longest_one_that_one_holds_is_none(text: str) -> None:
    """In a record each of these characters is written in 1, 6 and 12 bytes, and two quotes stand around the text."""
    held, longer = Answer(text[:-1], "stop"), Answer(text, "stop")
    player = Player([held, longer, GOOD])
    asker = player.asker()
    assert ask(player, asker).answer == held
    assert ask(player, asker) == Asked(GOOD, None, 2, 2.0)


def test_EP_12_the_endpoint_is_never_asked_sooner_than_it_says() -> None:
    player = Player([GOOD, fault(FaultKind.RATE_LIMIT, 90.0), fault(FaultKind.SERVER, 0.0), GOOD])
    asker = player.asker()
    ask(player, asker)
    assert ask(player, asker).answer == GOOD
    assert player.waits == [90.0, 6.0]


def test_waiting_in_one_ask_is_bounded() -> None:
    player = Player([GOOD, fault(FaultKind.RATE_LIMIT, 120.0)])
    asker = player.asker()
    ask(player, asker)
    asked = ask(player, asker)
    assert asked.fault is not None
    assert player.waits == [120.0, 120.0]
    assert sum(player.waits) <= RetryPolicy().total_wait


def test_EP_27_no_request_is_begun_after_the_total_time_of_an_ask() -> None:
    """Requests of 300 s that time out: the third ends at 908 s, after 900 s no further one is begun."""

    class Slow(Player):
        async def ask(self, messages: Sequence[Message], max_tokens: int) -> Answer:
            if self.requests:
                self.now += 300.0
            return await super().ask(messages, max_tokens)

    player = Slow([GOOD, fault(FaultKind.TIMEOUT)])
    asker = player.asker()
    ask(player, asker)
    asked = ask(player, asker)
    assert (asked.requests, asked.seconds) == (3, 908.0)


@pytest.mark.parametrize(("timeout", "total"), [(60.0, 900.0), (300.0, 900.0), (1800.0, 5400.0)])
def test_EP_27_three_time_limits_fit_into_the_total_time(timeout: float, total: float) -> None:
    assert RetryPolicy().for_timeout(timeout).total_time == total


def test_EP_27_every_wait_is_told_with_its_fault() -> None:
    player = Player([GOOD, fault(FaultKind.RATE_LIMIT, 90.0), fault(FaultKind.SERVER), GOOD])
    asker, told = player.asker(), list[tuple[float, str]]()
    ask(player, asker)

    def waiting(seconds: float, fault: TransportFaultError) -> None:
        told.append((seconds, fault.kind.words))

    asyncio.run(asker.ask(player, HELLO, 400, lambda number: None, waiting))
    assert told == [(90.0, "rate limit"), (6.0, "server")]


def test_EP_11_a_stop_ends_a_wait_that_is_under_way() -> None:
    waits = 0

    async def for_ever(seconds: float) -> None:
        nonlocal waits
        waits += 1
        asyncio.get_running_loop().call_soon(asker.stop, StoppedRunError("stopped"))
        await asyncio.Event().wait()

    player = Player([fault(FaultKind.SERVER)])
    asker = Asker(sleep=for_ever)
    with pytest.raises(StoppedRunError):
        ask(player, asker)
    assert (waits, player.requests) == (1, 1)


def test_EP_11_a_wait_of_days_stops_the_run_at_once() -> None:
    player = Player([GOOD, fault(FaultKind.RATE_LIMIT, 277403.0)])
    asker = player.asker()
    ask(player, asker)
    with pytest.raises(PauseRunError, match="277403 s"):
        ask(player, asker)
    assert (player.requests, player.waits) == (2, [])


def test_EP_11_an_interrupt_ends_any_wait() -> None:
    async def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    player = Player([fault(FaultKind.SERVER)])
    with pytest.raises(KeyboardInterrupt):
        ask(player, Asker(sleep=interrupted))
    assert player.requests == 1


@pytest.mark.parametrize(("kind", "advice"), [(FaultKind.QUOTA, "credit"), (FaultKind.REFUSED, "key")])
def test_EP_14_quota_and_refusals_stop_the_run_at_once(kind: FaultKind, advice: str) -> None:
    player = Player([fault(kind)])
    with pytest.raises(PauseRunError, match=rf"{advice}.*it said {kind}"):
        ask(player, player.asker())
    assert (player.requests, player.waits) == (1, [])


def test_EP_01_an_endpoint_where_nothing_answers_stops_the_run_at_once() -> None:
    player = Player([fault(FaultKind.CONNECTION)])
    with pytest.raises(PauseRunError, match="base URL"):
        ask(player, player.asker())
    assert player.requests == 1


def test_EP_29_a_web_page_where_an_endpoint_should_be_stops_the_run_before_any_episode() -> None:
    page = TransportFaultError(FaultKind.MALFORMED, "got HTML", advice="check the base URL")
    player = Player([page])
    with pytest.raises(PauseRunError, match=r"check the base URL.*got HTML"):
        ask(player, player.asker())
    assert (player.requests, player.waits) == (1, [])
    player = Player([GOOD, page, GOOD])
    asker = player.asker()
    assert [ask(player, asker).answer for _ in range(2)] == [GOOD, GOOD]


@pytest.mark.parametrize("kind", [kind for kind in MAY_PASS if kind is not FaultKind.CONNECTION])
def test_EP_01_an_endpoint_that_never_completed_a_request_fails_no_episode(kind: FaultKind) -> None:
    player = Player([fault(kind)])
    with pytest.raises(PauseRunError, match="none of 6 requests"):
        ask(player, player.asker())


def test_EP_01_the_third_failed_ask_in_a_row_stops_the_run() -> None:
    player = Player([GOOD, fault(FaultKind.SERVER)])
    asker = player.asker()
    ask(player, asker)
    assert [ask(player, asker).fault is not None for _ in range(2)] == [True, True]
    with pytest.raises(PauseRunError, match="3 asks in a row"):
        ask(player, asker)


def test_an_answer_between_failures_starts_the_count_anew() -> None:
    down: list[Turn] = [fault(FaultKind.SERVER)] * 6
    player = Player([GOOD, *down, *down, GOOD, *down, *down, GOOD])
    asker = player.asker()
    assert [ask(player, asker).answer for _ in range(7)] == [GOOD, None, None, GOOD, None, None, GOOD]


def test_EP_21_an_overflow_comes_back_at_once() -> None:
    player = Player([fault(FaultKind.OVERFLOW)])
    asked = ask(player, player.asker())
    assert asked.fault is not None
    assert (asked.fault.kind, asked.requests, player.waits) == (FaultKind.OVERFLOW, 1, [])


@pytest.mark.parametrize("text", ["", " \n", "<think>UP is safe</think>\n", "<think>never ends"])
def test_EP_03_an_empty_reply_is_asked_for_again_twice_and_then_returned(text: str) -> None:
    empty = Answer(text, "stop")
    player = Player([empty])
    assert ask(player, player.asker()) == Asked(empty, None, 3, 0.0)
    player = Player([empty, empty, GOOD])
    assert ask(player, player.asker()) == Asked(GOOD, None, 3, 0.0)


def test_EP_04_EP_05_a_truncated_reply_is_never_asked_for_again() -> None:
    cut = Answer("", "length")
    player = Player([cut])
    assert ask(player, player.asker()) == Asked(cut, None, 1, 0.0)


@pytest.mark.parametrize("filtered", [fault(FaultKind.FILTERED), Answer("", "content_filter")])
def test_EP_17_a_filtered_reply_is_asked_for_again_twice_and_then_told_as_filtered(filtered: Turn) -> None:
    player = Player([filtered])
    assert ask(player, player.asker()) == Asked(Answer("", "content_filter"), None, 3, 0.0)


def test_EP_18_a_filter_that_stops_one_step_leaves_the_next_alone() -> None:
    player = Player([fault(FaultKind.FILTERED), fault(FaultKind.FILTERED), fault(FaultKind.FILTERED), GOOD])
    asker = player.asker()
    assert [ask(player, asker).answer for _ in range(2)] == [Answer("", "content_filter"), GOOD]


def test_EP_18_a_filter_that_stops_every_prompt_of_a_game_stops_no_run() -> None:
    player = Player([fault(FaultKind.FILTERED)])
    asker = player.asker()
    assert [ask(player, asker).answer for _ in range(40)] == [Answer("", "content_filter")] * 40
    assert player.requests == 120


def test_EP_06_filtered_replies_neither_count_as_empty_ones_nor_excuse_them() -> None:
    filtered: list[Turn] = [Answer("", "content_filter")] * 3
    player = Player([*[EMPTY] * 57, *filtered, EMPTY])
    asker = player.asker()
    for _ in range(20):
        ask(player, asker)
    with pytest.raises(PauseRunError, match="20 asks in a row"):
        ask(player, asker)


def test_EP_06_replies_that_stay_empty_stop_the_run_after_the_documented_number() -> None:
    player = Player([EMPTY])
    asker = player.asker()
    for _ in range(19):
        ask(player, asker)
    with pytest.raises(PauseRunError, match="20 asks in a row"):
        ask(player, asker)
    assert player.requests == 60


def test_EP_06_one_good_reply_starts_the_count_of_empty_ones_anew() -> None:
    player = Player([*[EMPTY] * 57, GOOD, *[EMPTY] * 57, GOOD])
    asker = player.asker()
    assert [ask(player, asker).answer for _ in range(40)].count(GOOD) == 2


def test_EP_27_requests_of_one_ask_are_bounded_whatever_comes() -> None:
    server, timeout = fault(FaultKind.SERVER), fault(FaultKind.TIMEOUT)
    player = Player([GOOD, server, EMPTY, server, EMPTY, timeout, timeout, timeout, EMPTY])
    asker = player.asker()
    ask(player, asker)
    assert ask(player, asker).requests == RetryPolicy().most_requests == 8
