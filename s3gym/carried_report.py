"""What a model carried, as numbers and differences."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from protocol.records import MemoryRecord
from protocol.schedule import episode_name
from protocol.tokens import estimate
from runner.carried import Carried, Prompted


class _Report(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class CarriedEpisode(_Report):
    """The prompts of one episode, or of one summary call."""

    name: str
    prompts: int
    outcome: str
    """How it ended, ``failed``, ``under way``, or what became of a summary call."""
    prompt_tokens: int
    """Estimated, of its longest prompt."""
    dropped_episodes: int
    """What its last prompt left out of the exploration episodes: so many whole ones,"""
    dropped_steps: int
    """so many steps of the one after them,"""
    dropped_window: int
    """and so many steps of its own."""
    tokens_in: int | None
    """As the endpoint reports them; null if it does not."""
    tokens_cached: int | None
    tokens_estimated: int
    tokens_cacheable: int
    """Estimated; what an ideal prefix cache serves."""


class CarriedMemory(_Report):
    """One summary call and the memory after it."""

    index: int
    """Made from the first so many exploration episodes."""
    status: str
    """``made``, or ``kept``: the call failed and the memory before it stays."""
    failure: str | None
    sources: tuple[int, ...]
    tokens: int
    """Estimated."""
    memory: str | None
    changes: tuple[str, ...]
    """Against the memory before it, in the form of a unified diff."""


class CarriedGame(_Report):
    """What one game's run carried."""

    game: str
    episodes_done: int
    episodes: int
    under_way: tuple[str, ...]
    prompts: int
    tokens_in: int | None
    tokens_cached: int | None
    tokens_estimated: int
    share_served: float | None
    """Of the prompt tokens, what the endpoint reports that its cache served; null where it reports nothing."""
    share_possible: float | None
    """What an ideal prefix cache serves; estimated."""
    carried: tuple[CarriedEpisode, ...]
    memories: tuple[CarriedMemory, ...]
    text: str | None
    """The carried text after as many exploration episodes as were asked for."""


class CarriedRun(_Report):
    """What an entry carried, game by game."""

    schema_id: str = "s3gym-carried-1"
    entry: str
    model: str
    protocol: str
    pathway: str
    games: tuple[CarriedGame, ...]


def game_report(carried: Carried, text: str | None) -> CarriedGame:
    """Return what one game's run carried, as a report."""
    prompts = carried.prompts
    tokens_in, tokens_cached = _reported(prompts)
    estimated, cacheable = sum(each.tokens for each in prompts), sum(each.cacheable for each in prompts)
    return CarriedGame(
        game=carried.game,
        episodes_done=len(carried.finished),
        episodes=carried.episodes,
        under_way=tuple(carried.under_way),
        prompts=len(prompts),
        tokens_in=tokens_in,
        tokens_cached=tokens_cached,
        tokens_estimated=estimated,
        share_served=_share(tokens_cached, tokens_in),
        share_possible=_share(cacheable, estimated),
        carried=_episodes(carried),
        memories=_memories(carried.memories),
        text=text,
    )


def _episodes(carried: Carried) -> tuple[CarriedEpisode, ...]:
    outcomes = {episode_name(record): str(record.end or "failed") for record in carried.finished}
    outcomes |= {f"summary {record.index}": record.status for record in carried.memories}
    places: dict[str, list[Prompted]] = {}
    for prompt in carried.prompts:
        places.setdefault(prompt.place, []).append(prompt)
    return tuple(_episode(name, prompts, outcomes.get(name, "under way")) for name, prompts in places.items())


def _episode(name: str, prompts: Sequence[Prompted], outcome: str) -> CarriedEpisode:
    tokens_in, tokens_cached = _reported(prompts)
    dropped = prompts[-1].dropped
    return CarriedEpisode(
        name=name,
        prompts=len(prompts),
        outcome=outcome,
        prompt_tokens=max(each.tokens for each in prompts),
        dropped_episodes=dropped.episodes,
        dropped_steps=dropped.steps,
        dropped_window=dropped.window,
        tokens_in=tokens_in,
        tokens_cached=tokens_cached,
        tokens_estimated=sum(each.tokens for each in prompts),
        tokens_cacheable=sum(each.cacheable for each in prompts),
    )


def _memories(records: Sequence[MemoryRecord]) -> tuple[CarriedMemory, ...]:
    before = ""
    memories = []
    for record in records:
        memory = record.memory or ""
        memories.append(
            CarriedMemory(
                index=record.index,
                status=record.status,
                failure=record.failure,
                sources=record.sources,
                tokens=estimate(memory),
                memory=record.memory,
                changes=changes(before, memory),
            )
        )
        before = memory
    return tuple(memories)


def changes(before: str, after: str) -> tuple[str, ...]:
    """Return what has changed between two texts, as the lines of a unified diff without its head."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1)
    return tuple(lines)[2:]


def _reported(prompts: Sequence[Prompted]) -> tuple[int | None, int | None]:
    """Return the prompt tokens as reported, and the cached ones among them; None where nothing is reported."""
    counted = [each.tokens_in for each in prompts if each.tokens_in is not None]
    cached = [each.tokens_cached for each in prompts if each.tokens_cached is not None]
    return (sum(counted) if counted else None), (sum(cached) if cached else None)


def _share(part: int | None, whole: int | None) -> float | None:
    return round(part / whole, 4) if part is not None and whole else None
