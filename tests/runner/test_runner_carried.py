"""What a model carried is read from the journal, under way or not, and from the bundle, and is the same in both."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from protocol.context import Pathway
from protocol.memory import memory_text
from protocol.players import LEARNER
from protocol.preset import preset_named
from runner.carried import Carried, carried_by
from runner.entry import Finished, Plan, play_entry
from runner.errors import JournalError
from runner.journal import JOURNAL, Journal, read_journal
from runner.models.builtin import Builtin
from runner.models.model import Answer, FaultKind, Model, Usage
from runner.recording import read_recording
from runner.retry import Asker, PauseRunError
from tests.bundles import KEY, Unwatched, plan
from tests.runner.scripted import Event, Scripted


def finish(folder: Path, model: Model, chosen: Plan) -> Finished:
    async def no_wait(seconds: float) -> None:
        """Let the time pass."""

    return asyncio.run(play_entry(chosen, model, folder, KEY, Unwatched(), Asker(sleep=no_wait)))


def read(folder: Path, game: str = "snake", at: int | None = None) -> Carried:
    return carried_by(read_recording(folder, preset_named), game, at=at)


@pytest.mark.parametrize("pathway", ["history", "summary"])
def test_journal_and_bundle_tell_the_same(tmp_path: Path, pathway: Pathway) -> None:
    chosen = plan(pathway)
    bundle = finish(tmp_path, Builtin(LEARNER), chosen).bundle
    for game in chosen.games:
        journal, bundled = read(tmp_path, game, at=1), read(bundle, game, at=1)
        assert journal == bundled
        assert len(journal.finished) == journal.episodes == 4
        assert [record.index for record in journal.memories] == ([1, 2] if pathway == "summary" else [])


def test_failed_episodes_and_calls_are_read_from_the_bundle_too(tmp_path: Path) -> None:
    """Requests 8 to 13 fail a strict step; the summary call behind the first exploration is refused."""

    def events(number: int, messages: object) -> Event | None:
        text = str(messages)
        return FaultKind.OVERFLOW if "Please summarize" in text else FaultKind.SERVER if 3 <= number < 9 else None

    chosen = plan("summary")
    bundle = finish(tmp_path, Scripted(events), chosen).bundle
    journal, bundled = read(tmp_path), read(bundle)
    assert [record.status for record in journal.finished].count("failed") == 1
    assert {record.failure for record in journal.memories} == {"context_overflow"}
    assert [record.status for record in bundled.finished] == [record.status for record in journal.finished]
    assert [record.failure for record in bundled.memories] == [record.failure for record in journal.memories]
    assert len(bundled.prompts) == len(journal.prompts)


def test_a_run_under_way_is_read_up_to_its_last_reply_and_says_what_is_next(tmp_path: Path) -> None:
    model = Scripted({20: PauseRunError("enough")})
    with pytest.raises(PauseRunError):
        finish(tmp_path, model, plan("history"))
    found = read(tmp_path)
    assert len(found.prompts) == 20
    assert len(found.finished) == 2
    assert found.under_way == ["explore 1 step 4"]
    assert read(tmp_path, "trust").prompts == []


def test_reading_takes_no_lock_and_changes_nothing(tmp_path: Path) -> None:
    finish(tmp_path, Builtin("greedy"), plan("history"))
    path = tmp_path / JOURNAL
    before = path.read_bytes()
    settings = dict(read_journal(path).settings)
    with Journal.open(tmp_path, settings):
        assert len(read(tmp_path).finished) == 4
    assert path.read_bytes() == before


def test_a_line_that_is_half_written_is_left_out(tmp_path: Path) -> None:
    finish(tmp_path, Builtin("greedy"), plan("history"))
    path = tmp_path / JOURNAL
    lines = path.read_bytes().splitlines(keepends=True)
    whole = read_journal(path)
    for cut in (1, len(lines[-1]) // 2, len(lines[-1]) - 1):
        path.write_bytes(b"".join(lines[:-1]) + lines[-1][:cut])
        assert list(read_journal(path).outcomes) == list(whole.outcomes)[:-1]
        assert path.read_bytes().endswith(lines[-1][:cut])


@pytest.mark.parametrize("data", [b"", b"{}", b'{"kind":"header","settings":{}}'])
def test_a_journal_without_a_whole_first_line_holds_no_run(tmp_path: Path, data: bytes) -> None:
    (tmp_path / JOURNAL).write_bytes(data)
    with pytest.raises(JournalError, match=r"journal\.jsonl, line 1"):
        read_journal(tmp_path / JOURNAL)


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    finish(tmp_path, Builtin("greedy"), plan("history"))
    path = tmp_path / JOURNAL
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], b"garbage\n", *lines[3:]]))
    with pytest.raises(JournalError, match="line 4"):
        read_journal(path)


def test_a_folder_that_holds_neither_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"expected a run folder with journal\.jsonl, or a bundle"):
        read_recording(tmp_path, preset_named)


def _change(path: Path, name: str, value: str | None) -> None:
    header, rest = path.read_bytes().split(b"\n", 1)
    line = json.loads(header)
    line["settings"] = {key: each for key, each in {**line["settings"], name: value}.items() if each is not None}
    path.write_bytes(json.dumps(line).encode() + b"\n" + rest)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("protocol", "paper-9", "paper-9"),
        ("protocol digest", "0" * 64, "digest"),
        ("budgets", "many", "budgets"),
        ("games", "chequers", "chequers"),
        ("pathway", None, "pathway"),
        ("system role", "False", "expected the prompt that was recorded"),
        ("budgets", "1500 in, 400 out", "expected the prompt that was recorded"),
    ],
)
def test_a_recording_of_another_release_is_refused_and_says_so(
    tmp_path: Path, name: str, value: str | None, told: str
) -> None:
    finish(tmp_path, Builtin("greedy"), plan("history"))
    _change(tmp_path / JOURNAL, name, value)
    with pytest.raises(ValueError, match=told):
        read(tmp_path)


def test_memories_are_those_of_the_replies_and_a_failed_call_keeps_the_last(tmp_path: Path) -> None:
    """A reply to each summary call: the first is tips, the second is empty however often it is asked for."""
    calls = 0

    def events(number: int, messages: object) -> Event | None:
        nonlocal calls
        if "Please summarize" not in str(messages):
            return None
        calls += 1
        return Answer("Tips:\n- Stay near the middle.", "stop") if calls == 1 else Answer("", "stop")

    finish(tmp_path, Scripted(events), replace(plan("summary"), games=("snake",)))
    first, second = read(tmp_path).memories
    assert first.memory == memory_text("Tips:\n- Stay near the middle.", 1000) == "- Stay near the middle."
    assert (first.status, second.status, second.failure) == ("made", "kept", "empty")
    assert second.memory == first.memory


def test_the_carried_text_is_what_the_first_prompt_of_an_episode_holds(tmp_path: Path) -> None:
    model = Scripted({})
    finish(tmp_path, model, plan("history"))
    second = next(
        messages
        for messages in model.requests
        if len(messages) == 2 and "Hint Messages:" in messages[1].content and "snake" in messages[0].content.lower()
    )
    text = read(tmp_path, at=1).texts[1]
    assert text.startswith("Hint Messages:\nEnv: ")
    assert second[1].content.startswith(text)
    assert read(tmp_path, at=0).texts == {0: ""}
    assert read(tmp_path, at=3).texts == {}


def test_an_ideal_cache_serves_all_but_what_a_prompt_adds(tmp_path: Path) -> None:
    """The first prompt of a run has nothing before it; the second step of an episode repeats the first one whole."""
    finish(tmp_path, Builtin("greedy"), plan("history"))
    first, second, *_ = read(tmp_path).prompts
    assert first.cacheable == 0
    assert first.tokens * 0.9 < second.cacheable < first.tokens
    assert all(prompt.cacheable < prompt.tokens for prompt in read(tmp_path).prompts)


def test_what_the_endpoint_reports_is_told_and_nothing_else(tmp_path: Path) -> None:
    answers: dict[int, Event] = {
        0: Answer("Answer: UP, Score: 0", "stop", Usage(70, 7, 60)),
        1: Answer("Answer: UP, Score: 0", "stop"),
    }
    finish(tmp_path, Scripted(answers), plan("history"))
    first, second, *_ = read(tmp_path).prompts
    assert (first.tokens_in, first.tokens_cached) == (70, 60)
    assert (second.tokens_in, second.tokens_cached) == (None, None)


def test_a_prompt_that_the_server_made_shorter_is_read_as_it_was_sent(tmp_path: Path) -> None:
    def events(number: int, messages: object) -> Event | None:
        return FaultKind.OVERFLOW if number == 10 else None

    bundle = finish(tmp_path, Scripted(events), plan("history")).bundle
    for folder in (tmp_path, bundle):
        found = read(folder)
        assert max(prompt.dropped for prompt in found.prompts) > (0, 0, 0)
        assert len(found.finished) == 4
