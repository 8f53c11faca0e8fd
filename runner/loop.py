"""Explore, judge, consolidate, update, evaluate: one run, episode by episode."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from games.base import State, number, playable
from games.play import Episode, Turn, turns
from games.registry import AnyGame
from protocol.bundle import RunFiles
from protocol.context import ContextOverflowError, EpisodeContext, RunContext
from protocol.digests import layout_digest, start_digest
from protocol.preset import Preset
from protocol.records import CostRecord, EpisodeRecord, Failure, MemoryRecord, StepRecord
from protocol.reply import canonical_line, read_reply
from protocol.schedule import Slot, schedule
from runner.costs import cost_record
from runner.desk import CONTEXT_OVERFLOW, Asks
from runner.pathways.pathway import PathwayRunner
from runner.together import Seats, together
from runner.watcher import Watcher


class Table(NamedTuple):
    """What every episode of a run is played with."""

    game: AnyGame
    preset: Preset
    context: RunContext
    pathway: PathwayRunner
    desk: Asks
    watcher: Watcher
    seats: Seats


class _Played(NamedTuple):
    record: EpisodeRecord
    costs: list[CostRecord]
    context: EpisodeContext
    last_feedback: str


class _Taken(NamedTuple):
    """One step: its record without the reward, or why there is none."""

    step: StepRecord | None
    failure: Failure | None
    cost: CostRecord


async def play_run(table: Table) -> RunFiles:
    """Play every episode of one game's run: exploration one by one, the strict episodes of a checkpoint at once.

    Raises:
        JournalError: If the journal does not fit.
        PauseRunError: If the run cannot go on now; it can be resumed.
    """
    episodes: list[EpisodeRecord] = []
    memories: list[MemoryRecord] = []
    costs: list[CostRecord] = []
    sources: list[int] = []
    for phase, slots in itertools.groupby(schedule(table.preset, table.game.id), lambda slot: slot.phase):
        if phase == "strict":
            checkpoint = await play_slots(table, list(slots))
            episodes += checkpoint.episodes
            costs += checkpoint.costs
            continue
        for slot in slots:
            played = await _play_slot(table, slot)
            episodes.append(played.record)
            costs += played.costs
            if played.record.status == "valid":
                table.context.explored(played.context, played.last_feedback)
                sources.append(slot.index)
            async with table.seats.episodes:
                consolidated = await table.pathway.consolidate(
                    table.context, table.desk, slot.index + 1, tuple(sources)
                )
            if consolidated is None:
                continue
            memories.append(consolidated.memory)
            costs.append(consolidated.cost)
            table.watcher.remembered(consolidated.memory)
    return RunFiles(table.game.id, episodes, memories, costs)


async def play_slots(table: Table, slots: Sequence[Slot]) -> RunFiles:
    """Play strict episodes at once on what a run carries; nothing of it changes.

    Raises:
        JournalError: If the journal does not fit.
        PauseRunError: If it cannot go on now; it can be resumed.
    """
    played = await together([_play_slot(table, slot) for slot in slots])
    costs = list(itertools.chain.from_iterable(each.costs for each in played))
    return RunFiles(table.game.id, [each.record for each in played], [], costs)


async def _play_slot(table: Table, slot: Slot) -> _Played:
    async with table.seats.episodes:
        played = await _play_episode(table, slot)
    table.watcher.finished(played.record)
    return played


async def _play_episode(table: Table, slot: Slot) -> _Played:
    config = table.preset.config(table.game, slot.phase)
    context = table.context.episode(config)
    loop = turns(table.game, config, slot.seed)
    turn = next(loop)
    start = turn.state
    taken: list[_Taken] = []
    while True:
        table.watcher.stepped(table.game.id, slot, turn.step)
        taken.append(await _take(table, slot, context, turn))
        try:
            turn = loop.send(_action(taken[-1].step))
        except StopIteration as stop:
            return _finish(table, slot, context, start, taken, stop.value)


def _finish(
    table: Table, slot: Slot, context: EpisodeContext, start: State, taken: Sequence[_Taken], episode: Episode
) -> _Played:
    config = table.preset.config(table.game, slot.phase)
    steps = [one.step for one in taken if one.step is not None]
    record = EpisodeRecord(
        game=table.game.id,
        phase=slot.phase,
        checkpoint=slot.checkpoint,
        index=slot.index,
        replicate=slot.replicate,
        seed=str(slot.seed),
        start_digest=start_digest(table.game, config, slot.seed, start),
        layout_digest=layout_digest(table.game, start),
        status="valid" if episode.end else "failed",
        failure=taken[-1].failure,
        end=episode.end,
        score=float(number(episode.score)) if episode.end else None,
        steps=tuple(
            step.model_copy(update={"reward": float(number(played.reward))})
            for step, played in zip(steps, episode.steps, strict=True)
        ),
    )
    last_feedback = episode.steps[-1].feedback if episode.steps else ""
    return _Played(record, [one.cost for one in taken], context, last_feedback)


def _action(step: StepRecord | None) -> str | None:
    """Return what is played for a step; None, after a failure, stops the episode where it stands."""
    if step is None:
        return None
    return playable(step.action)


async def _take(table: Table, slot: Slot, context: EpisodeContext, turn: Turn) -> _Taken:
    key = f"{table.game.id} {slot.name} step {turn.step}"
    recall = None if table.game.recall is table.game.observe else table.game.recall(turn.state)
    try:
        context.turn(turn.feedback, turn.observation, recall)
    except ContextOverflowError:
        known = table.desk.refuse(key, context)
    else:
        known = await table.desk.ask(key, context, turn.state)
    outcome = known.outcome
    cost = cost_record(
        table.game.id,
        known,
        phase=slot.phase,
        index=slot.index,
        checkpoint=slot.checkpoint,
        replicate=slot.replicate,
        step=turn.step,
    )
    if outcome.reply is None or outcome.finish is None:
        return _Taken(None, "context_overflow" if outcome.fault == CONTEXT_OVERFLOW else "transport", cost)
    reply = read_reply(outcome.reply)
    context.answered(canonical_line(reply))
    step = StepRecord(
        reply=outcome.reply,
        action=reply.action,
        score=reply.score,
        reward=0.0,
        finish=outcome.finish,
        context=outcome.context,
        dropped_episodes=outcome.dropped_episodes,
        dropped_steps=outcome.dropped_steps,
        window=outcome.window,
        cut=outcome.cut,
    )
    return _Taken(step, None, cost)
