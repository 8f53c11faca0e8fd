"""Several episodes at once: the same bundle, the same care for what is paid for."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from protocol.context import Pathway
from protocol.decoding import decoding_at
from protocol.messages import Message, messages_digest
from runner.entry import Finished, play_entry
from runner.journal import JOURNAL
from runner.models.builtin import Builtin
from runner.models.model import Answer, FaultKind, TransportFaultError
from runner.models.openai_chat import OpenAIChat
from runner.retry import Asker, PauseRunError, StoppedRunError
from runner.together import Seats, together
from tests.bundles import KEY, Unwatched, plan
from tests.runner.faults import HELLO, Received, Reply, completion, error, scripted
from tests.runner.scripted import Scripted, uncompressed
from tests.runner.waiting import Waiting


class Dawdling(Scripted):
    """A model that takes its time, another one each time, and knows how many asked it at once."""

    def __init__(self, stop_at: int | None = None) -> None:
        super().__init__({})
        self._waits = random.Random(5)
        self._stop_at = stop_at
        self.asker: Asker | None = None
        self.now = 0
        self.most = 0
        self.answered: list[str] = []

    async def ask(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        self.now += 1
        self.most = max(self.most, self.now)
        if len(self.requests) == self._stop_at:
            assert self.asker is not None
            self.asker.stop(StoppedRunError("stopped"))
        answer = await super().ask(messages, max_tokens)
        await asyncio.sleep(self._waits.random() / 500)
        self.now -= 1
        self.answered.append(messages_digest(messages))
        return answer


def finish(folder: Path, model: Dawdling, seats: int, pathway: Pathway = "history") -> Finished:
    async def playing() -> Finished:
        model.asker = Asker()
        return await play_entry(plan(pathway), model, folder, KEY, Unwatched(), model.asker, seats=Seats(seats))

    return asyncio.run(playing())


@pytest.mark.parametrize("pathway", ["history", "summary"])
def test_the_bundle_is_the_same_whatever_the_concurrency(tmp_path: Path, pathway: Pathway) -> None:
    alone, some, many = Dawdling(), Dawdling(), Dawdling()
    expected = uncompressed(finish(tmp_path / "1", alone, 1, pathway).bundle)
    assert uncompressed(finish(tmp_path / "2", some, 2, pathway).bundle) == expected
    assert uncompressed(finish(tmp_path / "16", many, 16, pathway).bundle) == expected
    assert (alone.most, some.most) == (1, 2)
    assert 2 <= many.most <= 16
    assert sorted(many.answered) == sorted(alone.answered)


def test_at_one_seat_games_and_episodes_follow_each_other(tmp_path: Path) -> None:
    model = Dawdling()
    finish(tmp_path, model, 1)
    games = ["Snake" in request[0].content for request in model.requests]
    assert games == sorted(games, reverse=True)
    lengths = [len(request) for request in model.requests]
    assert all(now in (2, before + 2) for before, now in itertools.pairwise(lengths))


def test_a_run_that_is_told_to_stop_waits_for_what_is_under_way_and_loses_nothing(tmp_path: Path) -> None:
    whole = Dawdling()
    expected = uncompressed(finish(tmp_path / "whole", whole, 4).bundle)
    stopped, rest = Dawdling(stop_at=9), Dawdling()
    with pytest.raises(StoppedRunError):
        finish(tmp_path / "pieces", stopped, 4)
    assert stopped.now == 0, "every request was answered"
    lines = (tmp_path / "pieces" / JOURNAL).read_bytes().splitlines()
    assert sum(b'"kind":"outcome"' in line for line in lines) == len(stopped.answered) == len(stopped.requests)
    assert uncompressed(finish(tmp_path / "pieces", rest, 4).bundle) == expected
    assert sorted([*stopped.answered, *rest.answered]) == sorted(whole.answered)


def test_a_pause_of_one_part_lets_the_others_come_to_theirs() -> None:
    ended: list[str] = []

    async def pausing() -> None:
        raise PauseRunError("credit")

    async def working() -> None:
        await asyncio.sleep(0.01)
        ended.append("working")

    with pytest.raises(PauseRunError, match="credit"):
        asyncio.run(together([working(), pausing(), working()]))
    assert ended == ["working", "working"]


def test_an_error_of_one_part_ends_the_others_at_once() -> None:
    ended: list[str] = []

    async def broken() -> None:
        raise LookupError("gone")

    async def working() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("cancelled")

    async def parts() -> list[None]:
        return await together([working(), broken()])

    with pytest.raises(LookupError, match="gone"):
        asyncio.run(parts())
    assert ended == ["cancelled"]


def test_results_come_in_the_order_of_the_parts() -> None:
    async def late(result: int) -> int:
        await asyncio.sleep((3 - result) / 200)
        return result

    async def parts() -> list[int]:
        return await together([late(each) for each in range(4)])

    assert asyncio.run(parts()) == [0, 1, 2, 3]


def test_fewer_seats_than_one_are_refused() -> None:
    with pytest.raises(ValueError, match="concurrency: expected at least 1, got 0"):
        Seats(0)


def test_the_pace_holds_for_all_asks_together() -> None:
    """Thirty requests a minute: two seconds between any two, however many ask at once."""
    waits, sent = list[float](), 0

    class Counting(Builtin):
        async def ask(self, messages: Sequence[Message], max_tokens: int) -> Answer:
            nonlocal sent
            sent += 1
            return Answer("Answer: UP, Score: 0", "stop")

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def asks() -> None:
        asker = Asker(pace=30, sleep=sleep, clock=lambda: 0.0)
        model = Counting("greedy")
        await asyncio.gather(*[asker.ask(model, HELLO, 9, lambda _: None) for _ in range(4)])

    asyncio.run(asks())
    assert (waits, sent) == ([2.0, 4.0, 6.0], 4)


def test_after_a_pause_nothing_more_is_sent() -> None:
    class Broke(Builtin):
        requests = 0

        async def ask(self, messages: Sequence[Message], max_tokens: int) -> Answer:
            self.requests += 1
            raise TransportFaultError(FaultKind.QUOTA, "no credit")

    async def asks() -> list[BaseException | object]:
        asker = Asker()
        return list(
            await asyncio.gather(
                *[asker.ask(model, HELLO, 9, lambda _: None) for _ in range(3)], return_exceptions=True
            )
        )

    model = Broke("greedy")
    assert [type(each) for each in asyncio.run(asks())] == [PauseRunError] * 3
    assert model.requests == 1


def test_EP_09_many_requests_at_once_learn_together_how_an_endpoint_must_be_asked() -> None:
    """Each of them meets both refusals or one that another has met; no ask fails and each adaptation is told once."""

    def picky(request: Received) -> Reply:
        if "temperature" in request.body:
            return error(400, "temperature is not supported by this model", parameter="temperature")
        if "max_tokens" in request.body:
            return error(400, "max_tokens is not supported, use max_completion_tokens", parameter="max_tokens")
        return completion()

    with scripted(picky) as server:
        model = Waiting(OpenAIChat(server.url, "m", decoding=decoding_at(0.0)))
        answers = model.ask_at_once([HELLO] * 8, 100)
        adaptations = model.adaptations
        model.close()
    assert [getattr(answer, "text", answer) for answer in answers] == ["Answer: UP, Score: 1"] * 8
    assert len(adaptations) == 2
