"""What an endpoint does in silence, cutting prompts or changing its model, is found out and told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from protocol.messages import Message
from protocol.records import Manifest
from protocol.tokens import MESSAGE_OVERHEAD, estimate
from runner.entry import Finished, play_entry
from runner.findings import Findings
from runner.journal import Outcome
from runner.models.builtin import Builtin
from runner.models.model import Answer, FaultKind, Usage
from runner.retry import Asker
from scoring.registry import Registry
from scoring.score import score
from scoring.verify import verify
from tests.bundles import KEY, Board, Unwatched, plan
from tests.runner.scripted import Scripted, costs_of

GREEDY = Builtin("greedy")
Tell = Callable[[int, Answer], Answer]


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    return Board(tmp_path_factory.mktemp("board"))


class Listening(Unwatched):
    """A watcher that keeps the warnings."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def warned(self, message: str) -> None:
        self.warnings.append(message)


async def no_wait(seconds: float) -> None:
    """Let the time pass."""


def finish(folder: Path, model: Scripted, watcher: Unwatched | None = None) -> Finished:
    chosen = replace(plan("history"), games=("snake",))
    playing = play_entry(chosen, model, folder, KEY, watcher or Unwatched(), Asker(sleep=no_wait))
    return asyncio.run(playing)


def telling(tell: Tell) -> Scripted:
    """Return the greedy player, whose reports on its answers are changed by the number of the request."""
    return Scripted(lambda number, messages: tell(number, GREEDY.answer(messages, 400)))


def counting(limit: int) -> Scripted:
    """Return a player whose server keeps only so many tokens of a prompt, and says so in its usage alone."""
    return Scripted(lambda number, messages: counted(messages, limit))


def manifest(finished: Finished, board: Board) -> Manifest:
    return verify(finished.bundle, Registry(board.keys)).manifest


def test_EP_20_a_server_that_cuts_prompts_in_silence_is_found_out_by_its_count(board: Board, tmp_path: Path) -> None:
    model, watcher = counting(1_100), Listening()
    finished = finish(tmp_path, model, watcher)
    sizes = [sum(estimate(each.content) + MESSAGE_OVERHEAD for each in request) for request in model.requests]
    cut = sum(size >= 2_000 and size * 0.6 > 1_100 for size in sizes)
    assert 0 < cut < len(sizes)
    found = f"{cut} of {len(sizes)} prompts that it counted, one at 1100 tokens of about {max(sizes)}"
    words = f"context cut by server: {found}"
    assert manifest(finished, board).deviations == (words,)
    assert words in finished.warnings
    assert len(watcher.warnings) == 1
    assert "--context-tokens" in watcher.warnings[0]
    (run,) = score([verify(finished.bundle, Registry(board.keys))]).entries[0].runs
    assert not run.ranked


@pytest.mark.parametrize("share", [0.93, 1.13, 0.61])
def test_EP_20_a_count_of_another_vocabulary_betrays_nothing(board: Board, tmp_path: Path, share: float) -> None:
    model = telling(lambda _, answer: answer._replace(usage=Usage(int((answer.usage.tokens_in or 0) * share) + 1, 9)))
    assert manifest(finish(tmp_path, model), board).deviations == ()


@pytest.mark.parametrize("usage", [Usage(), Usage(None, 9), Usage(0, 9)])
def test_EP_23_an_endpoint_that_counts_nothing_betrays_nothing_and_its_costs_are_estimates(
    board: Board, tmp_path: Path, usage: Usage
) -> None:
    finished = finish(tmp_path, telling(lambda _, answer: answer._replace(usage=usage)))
    assert manifest(finished, board).deviations == ()
    costs = costs_of(finished.bundle)
    assert all(cost.estimated and cost.tokens_in > 0 and cost.tokens_out > 0 for cost in costs)


def test_EP_20_the_finding_survives_a_resume(board: Board, tmp_path: Path) -> None:
    whole = finish(tmp_path / "whole", counting(1_100))
    stopped = Scripted(lambda number, messages: KeyboardInterrupt() if number == 20 else counted(messages, 1_100))
    with pytest.raises(KeyboardInterrupt):
        finish(tmp_path / "pieces", stopped)
    resumed = finish(tmp_path / "pieces", counting(1_100))
    assert manifest(resumed, board).deviations == manifest(whole, board).deviations


def counted(messages: Sequence[Message], limit: int) -> Answer:
    answer = GREEDY.answer(messages, 400)
    return answer._replace(usage=Usage(min(answer.usage.tokens_in or 0, limit), 9))


def outcome(reported: int, prompt_tokens: int) -> Outcome:
    return Outcome(
        key="snake explore 0 step 0",
        context="0" * 64,
        dropped_episodes=0,
        dropped_steps=0,
        window=0,
        cut="rule",
        prompt_tokens=prompt_tokens,
        reply="",
        finish="stop",
        fault=None,
        seconds=0.0,
        tokens_in=reported,
        tokens_out=1,
        tokens_cached=None,
        model=None,
        request_id=None,
        fingerprint=None,
        adaptations=(),
    )


@pytest.mark.parametrize(
    ("text", "reported", "cut"),
    [
        ("word " * 4_000, 2_399, True),
        ("word " * 4_000, 2_400, False),
        ("word " * 1_999, 100, False),
        ("\u68cb\u76d8" * 2_000, 2_000, False),
        ("\u68cb\u76d8" * 2_000, 1_100, True),
        ("\u265a\u265b" * 2_000, 4_000, False),
    ],
    ids=["below", "at the bound", "short", "two characters a token", "cut", "a token a piece"],
)
def test_EP_20_the_bound_is_fair_to_scripts_whose_bytes_the_estimate_counts(
    text: str, reported: int, cut: bool
) -> None:
    """Below 60% of an estimate of at least 2,000 tokens; outside ASCII, two characters may be one token."""
    findings = Findings(lambda _: None)
    findings.note(outcome(reported, estimate(text)), lambda: [Message("user", text)])
    assert bool(findings.deviations) is cut


def test_RN_06_another_model_name_in_the_middle_makes_the_entry_not_comparable(board: Board, tmp_path: Path) -> None:
    model, watcher = telling(lambda number, answer: answer._replace(model="a" if number < 20 else "b")), Listening()
    finished = finish(tmp_path, model, watcher)
    after = len(model.requests) - 20
    assert manifest(finished, board).deviations == (f"model changed: the endpoint reported a and, {after} times, b",)
    assert watcher.warnings == ["the endpoint's model name has changed from a to b; the model may be another one"]
    assert [cost.model for cost in costs_of(finished.bundle)].count("b") == after


def test_RN_06_another_fingerprint_is_recorded_and_told_and_no_departure(board: Board, tmp_path: Path) -> None:
    """Services with several servers report several at any time, so it says less than a name."""
    model, watcher = telling(lambda number, answer: answer._replace(fingerprint=f"fp-{number % 3}")), Listening()
    finished = finish(tmp_path, model, watcher)
    assert manifest(finished, board).deviations == ()
    assert any("3 system fingerprints" in warning for warning in finished.warnings)
    assert len(watcher.warnings) == 1


def test_names_that_an_endpoint_reports_drive_no_terminal_and_fit_the_manifest(board: Board, tmp_path: Path) -> None:
    model = telling(lambda number, answer: answer._replace(model=f"\x1b[2J{number % 2}" + "m" * 190))
    (deviation,) = manifest(finish(tmp_path, model), board).deviations
    assert deviation.isprintable()
    assert len(deviation) <= 200


def test_replies_that_never_came_are_told_by_kind(board: Board, tmp_path: Path) -> None:
    finished = finish(tmp_path, Scripted(dict.fromkeys(range(9, 15), FaultKind.SERVER)))
    assert "replies that never came, by the last fault: 1 server" in finished.warnings
