"""Empty replies to prompts that do not fit are told from silence; a run that begins badly stops before it is paid."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from protocol.messages import Message, tokens_of
from protocol.records import Endpoint
from runner.beginning import FIRST, MOST_WITHOUT_ANSWER
from runner.entry import Finished, play_entry
from runner.lengths import LONG_FROM
from runner.models.model import Answer, Usage
from runner.models.openai_chat import OpenAIChat
from runner.models.probe import is_probe
from runner.retry import Asker, PauseRunError
from scoring.registry import Registry
from scoring.verify import verify
from tests.bundles import KEY, Board, Unwatched, plan
from tests.runner.faults import Received, Reply, completion, json_reply, scripted
from tests.runner.scripted import Event, Scripted, costs_of
from tests.runner.shapes import chat

GOOD = Answer("Answer: cheat, Score: 1", "stop", Usage(50, 9))
NOTHING = Answer("", "stop")
"""As a server answers what its context does not hold."""
EMPTY = Answer("", "stop", Usage(50, 30))
"""As a model that thought, and said nothing."""
UNREADABLE = Answer("I would rather not say.", "stop", Usage(50, 9))
CUT = Answer("<think>hm", "length", Usage(50, 400))
FILTERED = Answer("", "content_filter")


class Remote(Scripted):
    """A player behind an endpoint; the probe is always answered."""

    def __init__(self, judge: Callable[[int, Sequence[Message]], Event | None]) -> None:
        def event(_number: int, messages: Sequence[Message]) -> Event | None:
            if is_probe(messages):
                return None
            self.steps += 1
            return judge(self.steps - 1, messages)

        super().__init__(event)
        self.steps = 0

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint(kind="openai_chat", model="m", context_tokens=None)


class Hearing(Unwatched):
    """Keeps every warning."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def warned(self, message: str) -> None:
        self.told.append(message)


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    return Board(tmp_path_factory.mktemp("board"))


async def no_wait(seconds: float) -> None:
    """Let the time pass."""


def finish(
    folder: Path,
    model: Scripted,
    *,
    keep_going: bool = False,
    watcher: Unwatched | None = None,
    protocol: str = "smoke-1",
) -> Finished:
    chosen = replace(plan("history", protocol=protocol), games=("trust",))
    playing = play_entry(
        chosen, model, folder, KEY, watcher or Unwatched(), Asker(sleep=no_wait), keep_going=keep_going
    )
    return asyncio.run(playing)


def in_turn(*answers: Answer) -> Callable[[int, Sequence[Message]], Event | None]:
    """Answer steps in turn, each as often as the runner asks for such a reply; then as the player would."""
    whole: list[Answer] = []
    for answer in answers:
        whole += [answer] * (3 if answer in (EMPTY, FILTERED) else 1)
    return lambda number, _: whole[number] if number < len(whole) else None


@pytest.mark.parametrize(
    ("first", "kinds", "advice"),
    [
        ([EMPTY] * 8, "8 empty", "`content`"),
        ([UNREADABLE] * 8, "8 unreadable", "s3gym doctor"),
        ([CUT] * 8, "8 truncated", "larger output budget"),
        ([GOOD, GOOD, *[UNREADABLE] * 5, *[EMPTY] * 3], "3 empty, 5 unreadable", "s3gym doctor"),
    ],
)
def test_a_run_pauses_when_eight_of_its_first_ten_replies_hold_no_answer(
    tmp_path: Path, first: list[Answer], kinds: str, advice: str
) -> None:
    model = Remote(in_turn(*first))
    with pytest.raises(PauseRunError, match=rf"8 of the first \d+ replies hold no answer \({kinds}\)") as pause:
        finish(tmp_path, model)
    assert advice in str(pause.value)
    assert "--keep-going" in str(pause.value)
    assert model.steps == sum(3 if answer == EMPTY else 1 for answer in first), "nothing is sent after the eighth"


def test_a_run_with_three_answers_among_its_first_ten_goes_on_whatever_follows(tmp_path: Path) -> None:
    first = [UNREADABLE] * 7 + [GOOD] * 3
    finish(tmp_path, Remote(in_turn(*first, *[UNREADABLE] * 60)))
    assert (FIRST, MOST_WITHOUT_ANSWER) == (10, 7)


def test_a_paused_beginning_stays_paused_until_it_is_told_to_go_on_and_asks_nothing_twice(
    board: Board, tmp_path: Path
) -> None:
    with pytest.raises(PauseRunError):
        finish(tmp_path, Remote(in_turn(*[UNREADABLE] * 8)))
    again = Remote(lambda *_: GOOD)
    with pytest.raises(PauseRunError, match="8 of the first 8 replies"):
        finish(tmp_path, again)
    assert again.steps == 0
    on = Remote(lambda *_: GOOD)
    finished = finish(tmp_path, on, keep_going=True)
    records = verify(finished.bundle, Registry(board.keys)).runs[0].episodes
    assert on.steps == sum(len(each.record.steps) for each in records) - 8


def test_a_deliberate_run_of_poor_replies_comes_to_its_end(tmp_path: Path) -> None:
    assert finish(tmp_path, Remote(lambda *_: UNREADABLE), keep_going=True).bundle.exists()


def test_a_player_of_this_machine_plays_as_it_does(tmp_path: Path) -> None:
    assert finish(tmp_path, Scripted(lambda *_: UNREADABLE)).bundle.exists()


def test_EP_18_a_filter_does_not_count(tmp_path: Path) -> None:
    assert finish(tmp_path, Remote(lambda *_: FILTERED)).bundle.exists()


def overflowing(limit: int) -> Callable[[int, Sequence[Message]], Event | None]:
    """Answer nothing to what is longer than a context, as LM Studio was seen to do."""
    return lambda _, messages: NOTHING if tokens_of(messages) > limit else GOOD


def test_an_empty_reply_to_a_prompt_of_a_new_length_is_cut_once_asked_again_and_named(
    board: Board, tmp_path: Path
) -> None:
    hearing = Hearing()
    limit = LONG_FROM + 700
    finished = finish(tmp_path, Remote(overflowing(limit)), watcher=hearing, protocol="pocket-1")
    episodes = verify(finished.bundle, Registry(board.keys)).runs[0].episodes
    steps = [step for each in episodes for step in each.record.steps]
    cut = [step for step in steps if step.cut == "server_overflow"]
    assert cut
    assert all(step.reply for step in steps)
    assert any(
        "an empty reply to a prompt of a new length" in told and "--context-tokens" in told for told in hearing.told
    )
    assert any("long prompts got an empty reply" in told for told in finished.warnings)
    assert max(cost.requests for cost in costs_of(finished.bundle)) == 4, "three times whole, once cut"


def test_silence_is_no_overflow(tmp_path: Path) -> None:
    """Short prompts, a length that was answered before, or tokens that were generated: the model had its prompt."""

    def silent(number: int, messages: Sequence[Message]) -> Event | None:
        tokens = tokens_of(messages)
        if tokens < LONG_FROM:
            return NOTHING if number % 7 == 3 else GOOD
        return Answer("", "stop", Usage(tokens, 300)) if number % 5 == 0 else GOOD

    finished = finish(tmp_path, Remote(silent), protocol="pocket-1", keep_going=True)
    assert not any("long prompts" in told for told in finished.warnings)


def test_silence_that_stays_when_the_prompt_is_cut_is_named_as_such(tmp_path: Path) -> None:
    hearing = Hearing()
    seen = 0

    def judge(_number: int, messages: Sequence[Message]) -> Event | None:
        nonlocal seen
        seen += tokens_of(messages) > LONG_FROM + 500
        return NOTHING if 0 < seen <= 6 else GOOD

    finish(tmp_path, Remote(judge), watcher=hearing, protocol="pocket-1")
    assert any("length alone is not why" in told for told in hearing.told)


def test_a_server_that_answers_200_and_no_text_from_the_start_costs_few_requests(tmp_path: Path) -> None:
    def nothing(received: Received) -> Reply:
        return completion("OK") if "tries the connection" in str(received.body) else json_reply(chat({"content": ""}))

    async def play() -> None:
        model = OpenAIChat(server.url, "m")
        chosen = replace(plan("history"), games=("trust",))
        await play_entry(chosen, model, tmp_path, KEY, Unwatched(), Asker(sleep=no_wait))

    with scripted(nothing) as server, pytest.raises(PauseRunError, match="8 of the first 8 replies"):
        asyncio.run(play())
    assert len(server.received) == 1 + 8 * 3
