"""Verification holds what it returns and little more: no whole content, no second copy, no states of past episodes."""

from __future__ import annotations

import asyncio
import gc
import shutil
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import pytest

from protocol.context import Pathway
from protocol.decoding import decoding_at
from protocol.messages import Message
from protocol.preset import Preset, preset_named
from runner.entry import Plan, play_entry
from runner.models.model import Answer, Usage
from runner.retry import Asker
from scoring.registry import Registry
from scoring.score import measure
from scoring.submitting import examine
from scoring.verify import verify
from tests.bundles import KEY, TEAM, Board, Unwatched
from tests.runner.scripted import Scripted

STEPS = 8
REPLY = 20_000
MARGIN = 4 << 20
"""What a verification may hold at its peak beyond what it returns: a piece of a file, a line, the states of an episode,
and the history that a run carries."""


class Talkative(Scripted):
    """A model that thinks aloud at length before every answer."""

    async def ask(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        answer = await Scripted.ask(self, messages, max_tokens)
        return answer._replace(text="word " * (REPLY // 5) + "\n</think>" + answer.text, usage=Usage(1_000, 5_000))


class Silent(Talkative):
    """One behind an endpoint that reports no usage."""

    async def ask(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        return (await super().ask(messages, max_tokens))._replace(usage=Usage())


def long_preset(cycles: int) -> Preset:
    return preset_named("smoke-1").model_copy(
        update={"id": f"long-{cycles}", "explore_episodes": 2 * cycles, "max_steps": STEPS}
    )


def beyond_what_is_kept(board: Board, folder: Path, pathway: Pathway, cycles: int) -> tuple[int, int]:
    """Return the bytes of the records, and the bytes at the peak beyond what is kept at the end."""
    preset = long_preset(cycles)
    plan = Plan(f"long-{cycles}", TEAM, "talkative", preset, ("snake",), pathway, decoding=decoding_at(0.0))
    bundle = asyncio.run(play_entry(plan, Talkative({}), folder, KEY, Unwatched(), Asker())).bundle
    registry = Registry(board.keys)
    verify(bundle, registry, lambda _: preset)
    gc.collect()
    tracemalloc.start()
    verified = verify(bundle, registry, lambda _: preset)
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    replies = sum(len(step.reply) for run in verified.runs for each in run.episodes for step in each.record.steps)
    return replies, peak - kept


@pytest.mark.parametrize("pathway", ["history", "summary"])
def test_memory_beyond_the_records_does_not_grow_with_the_episodes(
    board: Board, tmp_path: Path, pathway: Pathway
) -> None:
    small, at_first = beyond_what_is_kept(board, tmp_path / "small", pathway, 4)
    large, later = beyond_what_is_kept(board, tmp_path / "large", pathway, 24)
    assert large - small > 2 * MARGIN
    assert max(at_first, later) < MARGIN
    assert later - at_first < (large - small) / 10


@pytest.mark.parametrize("submitted", [False, True], ids=["verify", "submit"])
@pytest.mark.parametrize("kind", [Talkative, Silent])
@pytest.mark.parametrize("pathway", ["history", "summary"])
def test_without_whole_replies_memory_does_not_grow_with_them(
    board: Board, tmp_path: Path, pathway: Pathway, kind: type[Talkative], submitted: bool
) -> None:
    """Of 12 MB of replies less than half is ever there at once, records and prompts included."""
    submissions = tmp_path / "submissions"
    shutil.copytree(board.keys, submissions / "keys")
    preset = long_preset(24)
    plan = Plan("long-24", TEAM, "talkative", preset, ("snake",), pathway, decoding=decoding_at(0.0))
    bundle = asyncio.run(play_entry(plan, kind({}), tmp_path / "run", KEY, Unwatched(), Asker())).bundle
    registry = Registry(board.keys)
    whole = verify(bundle, registry, lambda _: preset)
    replies = sum(len(step.reply) for run in whole.runs for each in run.episodes for step in each.record.steps)
    del whole
    gc.collect()
    tracemalloc.start()
    if submitted:
        examine(bundle, submissions, lambda _: preset)
    else:
        verify(bundle, registry, lambda _: preset, whole_replies=False)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert replies > 10 << 20
    assert peak < replies / 2


@pytest.mark.parametrize("pathway", ["history", "summary"])
def test_what_long_replies_took_is_estimated_from_their_whole_text(
    board: Board, tmp_path: Path, pathway: Pathway
) -> None:
    """A text that is read the same has another number of tokens: an honest entry was refused for that once."""
    preset = long_preset(2)
    plan = Plan("silent", TEAM, "silent", preset, ("snake",), pathway, decoding=decoding_at(0.0))
    bundle = asyncio.run(play_entry(plan, Silent({}), tmp_path / "run", KEY, Unwatched(), Asker())).bundle
    registry = Registry(board.keys)
    verified = verify(bundle, registry, lambda _: preset, whole_replies=False)
    assert any(cost.estimated and cost.tokens_out > REPLY // 5 - 1 for run in verified.runs for cost in run.costs)
    assert measure(verified) == measure(verify(bundle, registry, lambda _: preset))
