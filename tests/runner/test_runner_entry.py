"""A run from end to end: interrupted, failed and resumed runs give honest bundles, or none."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from protocol.budgets import budgets
from protocol.context import Pathway
from protocol.messages import Message, messages_digest
from runner.entry import Finished, play_entry
from runner.errors import JournalError
from runner.journal import JOURNAL, Journal
from runner.models.builtin import Builtin
from runner.models.model import TEMPERATURE_LEFT, Answer, FaultKind, TransportFaultError, Usage
from runner.retry import Asker, PauseRunError
from scoring.registry import Registry
from scoring.verified import VerifiedBundle
from scoring.verify import verify
from tests.bundles import KEY, Board, Unwatched, plan
from tests.runner.scripted import Event, Scripted, costs_of, uncompressed

THOUGHT = Usage(900, 40)
"""Of a model that has thought; without it, the first empty reply to a long prompt may come of its length."""
PATHWAYS: list[Pathway] = ["history", "summary"]


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    return Board(tmp_path_factory.mktemp("board"))


def finish(folder: Path, player: Scripted, pathway: Pathway = "history", **changes: str) -> Finished:
    return asyncio.run(play_entry(plan(pathway, **changes), player, folder, KEY, Unwatched(), Asker(sleep=no_wait)))


async def no_wait(seconds: float) -> None:
    """Let the time pass."""


def accepted(finished: Finished, board: Board) -> VerifiedBundle:
    return verify(finished.bundle, Registry(board.keys))


@pytest.mark.parametrize("pathway", PATHWAYS)
def test_equal_runs_give_equal_episodes_and_memories(board: Board, tmp_path: Path, pathway: Pathway) -> None:
    first = finish(tmp_path / "a", Scripted({}), pathway)
    second = finish(tmp_path / "b", Scripted({}), pathway)
    assert uncompressed(first.bundle) == uncompressed(second.bundle)
    accepted(first, board)


@pytest.mark.parametrize("pathway", PATHWAYS)
def test_a_run_that_is_stopped_anywhere_goes_on_without_asking_twice(
    board: Board, tmp_path: Path, pathway: Pathway
) -> None:
    """Ctrl-C at every seventh request: the pieces together ask exactly what one sitting asks."""
    whole = Scripted({})
    expected = uncompressed(finish(tmp_path / "whole", whole, pathway).bundle)
    asked: list[str] = []
    finished: Finished | None = None
    while finished is None:
        model = Scripted({7: KeyboardInterrupt()})
        try:
            finished = finish(tmp_path / "pieces", model, pathway)
            asked += map(messages_digest, model.requests)
        except KeyboardInterrupt:
            asked += map(messages_digest, model.requests[:-1])
            assert not (tmp_path / "pieces" / "bundle").exists()
    assert uncompressed(finished.bundle) == expected
    assert asked == [messages_digest(request) for request in whole.requests]
    assert accepted(finished, board).manifest.totals.requests > len(whole.requests)


def test_RN_08_a_journal_cut_at_any_byte_of_its_last_line_loses_that_line_only(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        finish(tmp_path / "run", Scripted({5: KeyboardInterrupt()}))
    data = (tmp_path / "run" / JOURNAL).read_bytes()
    last = data.rfind(b"\n", 0, len(data) - 1) + 1
    settings = json.loads(data.splitlines()[0])["settings"]
    expected = uncompressed(finish(tmp_path / "whole", Scripted({})).bundle)
    for cut in range(last, len(data)):
        folder = tmp_path / f"cut-{cut}"
        folder.mkdir()
        (folder / JOURNAL).write_bytes(data[:cut])
        with Journal.open(folder, settings) as journal:
            assert journal.requests("snake strict x=0 #0 step 5") == 0
            assert journal.outcome("snake strict x=0 #0 step 4") is not None
        assert (folder / JOURNAL).read_bytes() == data[:last]
    assert uncompressed(finish(tmp_path / f"cut-{last}", Scripted({})).bundle) == expected


def test_RN_05_another_setting_on_resume_is_refused_and_named(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        finish(tmp_path, Scripted({5: KeyboardInterrupt()}))
    with pytest.raises(JournalError, match="begun with pathway = history, now it is summary"):
        finish(tmp_path, Scripted({}), "summary", entry="red-history")
    with pytest.raises(JournalError, match=r"model = builtin:greedy, now it is other"):
        finish(tmp_path, Scripted({}), model="other")


def test_RN_07_a_second_runner_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    def meanwhile(number: int, messages: Sequence[Message]) -> Event | None:
        if number == 3:
            with ThreadPoolExecutor() as pool, pytest.raises(JournalError, match="another process"):
                pool.submit(finish, tmp_path, Scripted({})).result()
        return None

    assert finish(tmp_path, Scripted(meanwhile)).bundle.is_dir()


def test_a_damaged_journal_line_is_refused_with_its_number(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        finish(tmp_path, Scripted({5: KeyboardInterrupt()}))
    path = tmp_path / JOURNAL
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = b'{"kind": "outcome"}\n'
    path.write_bytes(b"".join(lines))
    with pytest.raises(JournalError, match="line 3"):
        finish(tmp_path, Scripted({}))


def test_an_endpoint_that_is_not_there_pauses_and_scores_nothing(board: Board, tmp_path: Path) -> None:
    def down(number: int, messages: Sequence[Message]) -> Event | None:
        return FaultKind.CONNECTION

    with pytest.raises(PauseRunError, match="endpoint"):
        finish(tmp_path, Scripted(down))
    assert not (tmp_path / "bundle").exists()
    accepted(finish(tmp_path, Scripted({})), board)


@pytest.mark.parametrize(
    "event", [FaultKind.QUOTA, TransportFaultError(FaultKind.REFUSED, "wrong key", refuses_all=True)]
)
def test_EP_14_quota_and_refusals_of_every_request_pause_at_once(tmp_path: Path, event: Event) -> None:
    model = Scripted({9: event})
    with pytest.raises(PauseRunError):
        finish(tmp_path, model)
    assert len(model.requests) == 10


def test_EP_18_a_refusal_of_one_prompt_fails_its_episode_alone(board: Board, tmp_path: Path) -> None:
    """It is asked once: what is refused for itself is refused again."""
    model = Scripted({9: FaultKind.REFUSED})
    verified = accepted(finish(tmp_path, model), board)
    failed = [each.record for run in verified.runs for each in run.episodes if each.record.status == "failed"]
    assert [each.failure for each in failed] == ["transport"]
    assert len({messages_digest(request) for request in model.requests}) == len(model.requests)


def failing(place: str) -> Scripted:
    """Return a model whose endpoint fails for every prompt of one episode, told by the number of its requests."""
    whole = Scripted({})
    bounds: dict[str, range] = {}

    class Count(Unwatched):
        def stepped(self, game: str, slot: object, step: int) -> None:
            name = f"{game} {getattr(slot, 'name', '')}"
            start = len(whole.requests)
            bounds[name] = range(bounds.get(name, range(start, start)).start, start + 1)

    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(play_entry(plan("history"), whole, Path(folder) / "r", KEY, Count(), Asker(sleep=no_wait)))
    targets = {messages_digest(whole.requests[number]) for number in bounds[place]}

    def fail(number: int, messages: Sequence[Message]) -> Event | None:
        return FaultKind.SERVER if messages_digest(messages) in targets else None

    return Scripted(fail)


def test_EP_02_a_transport_fault_fails_the_episode_and_its_checkpoint_and_is_never_a_zero(
    board: Board, tmp_path: Path
) -> None:
    verified = accepted(finish(tmp_path, failing("snake strict x=2 #0")), board)
    failed = [each.record for run in verified.runs for each in run.episodes if each.record.status == "failed"]
    assert [(each.game, each.phase, each.checkpoint) for each in failed] == [("snake", "strict", 2)]
    assert (failed[0].score, failed[0].end, failed[0].failure, failed[0].steps) == (None, None, "transport", ())
    assert [(each.checkpoint, each.score) for each in verified.manifest.checkpoints if each.game == "snake"][1] == (
        2,
        None,
    )
    assert [(each.kind, each.episodes) for each in verified.manifest.failures] == [("transport", 1)]


def test_a_failed_exploration_episode_enters_no_context(board: Board, tmp_path: Path) -> None:
    model = failing("snake explore 0")
    verified = accepted(finish(tmp_path, model), board)
    snake = verified.runs[0]
    assert [each.record.status for each in snake.episodes if each.record.phase == "explore"] == ["failed", "valid"]
    after = [
        request
        for request in model.requests
        if "snake" in request[0].content.lower() and "Hint Messages:" in request[1].content
    ]
    assert after
    assert all(request[1].content.count("Env: ") <= 9 for request in after)


def overflowing(limit: int) -> Scripted:
    """Return a model whose server refuses prompts of more characters than a limit."""

    def refuse(number: int, messages: Sequence[Message]) -> Event | None:
        size = sum(len(message.content) for message in messages)
        return FaultKind.OVERFLOW if size > limit else None

    return Scripted(refuse)


def test_EP_21_a_server_overflow_is_cut_once_more_recorded_and_accepted(board: Board, tmp_path: Path) -> None:
    sizes = sorted(sum(len(m.content) for m in r) for r in probe(tmp_path / "probe").requests)
    verified = accepted(finish(tmp_path / "run", overflowing(sizes[-4])), board)
    cuts = Counter(step.cut for run in verified.runs for each in run.episodes for step in each.record.steps)
    assert cuts["server_overflow"] > 0
    assert all(each.record.status == "valid" for run in verified.runs for each in run.episodes)


def probe(folder: Path) -> Scripted:
    model = Scripted({})
    finish(folder, model)
    return model


def test_a_prompt_that_never_fits_fails_its_episode_with_its_own_kind(board: Board, tmp_path: Path) -> None:
    with pytest.raises(PauseRunError):
        finish(tmp_path / "nothing", Scripted(lambda number, messages: FaultKind.REFUSED))
    verified = accepted(finish(tmp_path / "run", overflowing(1_500)), board)
    kinds = {each.record.failure for run in verified.runs for each in run.episodes}
    assert "context_overflow" in kinds
    assert "transport" not in kinds


@pytest.mark.parametrize(
    ("reply", "failure", "requests"),
    [
        (Answer("", "stop", THOUGHT), "empty", 2),
        (Answer("  \n", "stop", THOUGHT), "empty", 2),
        (Answer("", "stop"), "empty", 4),
        (Answer("<think>long", "stop"), "empty", 2),
        (Answer("", "content_filter"), "filtered", 2),
        (Answer("Tips:\n- Half of it", "content_filter"), "filtered", 2),
        (FaultKind.FILTERED, "filtered", 2),
        (Answer("Tips:\n- Half of it", "length"), "truncated", 2),
        (Answer("", "length"), "truncated", 2),
        (Answer('{"tips": "all"}' + "\n" * 100, "length"), "truncated", 2),
        (FaultKind.TRUNCATED, "truncated", 2),
        (Answer("I cannot help with that.", "refusal"), "refused", 2),
        (FaultKind.TIMEOUT, "timeout", 2),
        (FaultKind.MALFORMED, "transport", 6),
    ],
)
def test_CM_02_EP_04_EP_05_EP_17_EP_28_what_is_no_summary_never_becomes_the_memory(
    board: Board, tmp_path: Path, reply: Event, failure: str, requests: int
) -> None:
    """It is asked for again once; the record says why the old memory stays, and the scorer agrees."""
    seen = 0

    def spoil(number: int, messages: Sequence[Message]) -> Event | None:
        nonlocal seen
        if not messages[-1].content.endswith("Tips:"):
            return None
        seen += 1
        return reply if seen > 1 else None

    finished = finish(tmp_path, Scripted(spoil), "summary")
    first, second = accepted(finished, board).runs[0].memories
    assert (first.status, second.status, second.failure) == ("made", "kept", failure)
    assert second.memory == first.memory
    assert [each.requests for each in costs_of(finished.bundle) if each.phase == "summary"] == [
        1,
        requests,
        *[min(requests, 2) if failure == "empty" else requests] * 2,
    ]


@pytest.mark.parametrize(
    "first",
    [
        Answer("", "length"),
        Answer("I cannot.", "refusal"),
        Answer("Tips:\n- Half", "length"),
        Answer("Tips:\n- Half", "content_filter"),
        FaultKind.TIMEOUT,
    ],
)
def test_a_summary_that_comes_when_it_is_asked_for_again_is_the_memory(
    board: Board, tmp_path: Path, first: Event
) -> None:
    events: dict[int, Event] = {0: first, 1: Answer("Tips:\n- Eat.", "stop")}
    seen = itertools.count()

    def spoil(number: int, messages: Sequence[Message]) -> Event | None:
        return events.get(next(seen)) if messages[-1].content.endswith("Tips:") else None

    memories = accepted(finish(tmp_path, Scripted(spoil), "summary"), board).runs[0].memories
    assert (memories[0].status, memories[0].memory) == ("made", "- Eat.")


def test_EP_06_an_empty_reply_is_asked_again_twice_and_then_is_an_invalid_action(board: Board, tmp_path: Path) -> None:
    model = Scripted({0: Answer("", "stop"), 1: Answer("", "stop"), 2: Answer("", "stop")})
    verified = accepted(finish(tmp_path, model), board)
    step = verified.runs[0].episodes[0].record.steps[0]
    assert (step.reply, step.action, step.score) == ("", None, None)


@pytest.mark.parametrize("pathway", PATHWAYS)
def test_no_prompt_holds_a_reward_or_a_strict_step_of_another_episode(tmp_path: Path, pathway: Pathway) -> None:
    """Strict boards are looked for in every later prompt of another episode."""
    model = Scripted({})
    finish(tmp_path, model, pathway)
    for game in ("Snake", "Trust"):
        strict_first: list[str] = []
        for request in model.requests:
            text = "\n".join(message.content for message in request)
            assert "eward:" not in text.replace("immediate reward", "")
            if game not in text or len(request) != 2:
                continue
            board_text = request[1].content.rsplit("Current Game State:\n", 1)[-1]
            carried = request[1].content.rsplit("Current Game State:\n", 1)[0]
            assert not any(seen in carried for seen in strict_first if game == "Snake")
            if "strict" in request[1].content.split("Current Game State:\n")[0].lower():
                strict_first.append(board_text)


def test_GM_26_the_model_is_told_no_seed(tmp_path: Path) -> None:
    model = Scripted({})
    bundle = finish(tmp_path, model).bundle
    seeds = {json.loads(line)["seed"] for data in uncompressed(bundle).values() for line in data.splitlines()}
    text = "\n".join(message.content for request in model.requests for message in request)
    assert len(seeds) >= 6
    assert not any(seed in text for seed in seeds)


def test_an_unknown_game_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    import dataclasses

    model = Scripted({})
    chosen = dataclasses.replace(plan("history"), games=("checkers",))
    with pytest.raises(ValueError, match=r"expected one of .*snake, .*trust"):
        asyncio.run(play_entry(chosen, model, tmp_path, KEY, Unwatched(), Asker()))
    assert model.requests == []


def test_a_small_endpoint_context_shrinks_the_budgets_and_they_are_declared() -> None:
    preset = plan("history", protocol="paper-1").preset
    endpoint = Builtin("greedy").endpoint.model_copy(update={"context_tokens": 8_192})
    room = budgets(preset, endpoint)
    assert room.output_tokens == 2_048
    assert room.input_tokens == 6_144 * 88 // 100
    assert budgets(preset, endpoint.model_copy(update={"context_tokens": None})).input_tokens == 100_000
    with pytest.raises(ValueError, match="context of at least"):
        budgets(preset, endpoint.model_copy(update={"context_tokens": 1_000}))


class Adapted(Scripted):
    """A model whose endpoint refused the temperature and renamed a parameter."""

    @property
    def adaptations(self) -> tuple[str, ...]:
        """Return both."""
        return ("max_completion_tokens sent", f"{TEMPERATURE_LEFT}, which refuses 0")


def test_EP_09_a_refused_temperature_is_never_claimed_and_makes_the_row_a_departure(
    board: Board, tmp_path: Path
) -> None:
    manifest = accepted(finish(tmp_path, Adapted({})), board).manifest
    assert manifest.decoding.temperature is None
    assert manifest.deviations == ("temperature: the protocol fixes 0, sent the server's default",)
    assert len(manifest.adaptations) == 2
