"""What an entry would take, found by playing it with a built-in player before anything is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from games.base import Draw, State
from games.registry import AnyGame
from games.rng import below, hashed
from protocol.budgets import Budgets
from protocol.prefix import PrefixCache
from protocol.records import EpisodeRecord, MemoryRecord
from protocol.schedule import Slot, schedule
from runner.desk import Known, Sendable
from runner.entry import Plan, playable_games, run_of
from runner.journal import Outcome
from runner.together import Seats
from runner.watcher import Watcher

PLAYERS = ("greedy", "random", "idle")
_TIP = "- Keep what worked on the last boards and leave what did not.\n"


@dataclass(frozen=True, slots=True)
class Forecast:
    """What one game's run takes with this player; tokens are estimated."""

    game: str
    requests: int
    most_requests: int
    """If every episode goes on to its step limit, without any request that is sent twice."""
    tokens_in: int
    tokens_cached: int
    """Those that an ideal prefix cache serves."""
    tokens_out: int
    in_a_row: int
    """Requests of exploration and summary calls, each of which waits for the one before."""
    checkpoints: tuple[tuple[int, ...], ...]
    """The requests of each strict episode, by checkpoint: those of one checkpoint may be sent at once."""

    @property
    def cached_share(self) -> float:
        """Return the share of prompt tokens that an ideal prefix cache serves."""
        return self.tokens_cached / self.tokens_in if self.tokens_in else 0.0

    def rounds(self, concurrency: int) -> float:
        """Return how many replies long this game takes at least, with so many episodes at once."""
        return self.in_a_row + sum(max(*each, sum(each) / concurrency) for each in self.checkpoints)


def seconds_of(
    found: Sequence[Forecast], reply_seconds: float, *, concurrency: int = 1, requests_per_minute: float | None = None
) -> float:
    """Return how long games take together: their replies at once as far as they can be, and no faster than the pace.

    Args:
        found: What each takes.
        reply_seconds: Seconds of a reply.
        concurrency: Episodes that are played at once.
        requests_per_minute: The most requests a minute, if there is a bound.
    """
    requests = sum(each.requests for each in found)
    rounds = max(requests / concurrency, *(each.rounds(concurrency) for each in found))
    paced = 0.0 if requests_per_minute is None else 60 * requests / requests_per_minute
    return max(rounds * reply_seconds, paced)


class _Rehearsal:
    """Stands in for the model: a built-in player that counts what would be sent."""

    def __init__(self, game: AnyGame, player: str, reply_tokens: int, tips_tokens: int) -> None:
        self._game = game
        self._player = game.baselines[player]
        self._reply_tokens = reply_tokens
        self._tips = _TIP * max(1, tips_tokens // 15)
        self._cache = PrefixCache()
        self.found = Forecast(game.id, 0, 0, 0, 0, 0, 0, ())

    async def ask(self, key: str, prompt: Sendable, state: State | None = None, *, summary: bool = False) -> Known:
        """Answer a step with the player's move and a summary call with tips of a usual length."""
        if summary or state is None:
            reply = self._tips
        else:
            action, score = self._player(self._game.observe(state), _draw(key))
            reply = f"Answer: {action}, Score: {score:g}"
        self.found = replace(
            self.found,
            requests=self.found.requests + 1,
            tokens_in=self.found.tokens_in + prompt.tokens,
            tokens_cached=self.found.tokens_cached + self._cache.serve(prompt.parts()),
            tokens_out=self.found.tokens_out + self._reply_tokens,
        )
        return Known(_outcome(key, prompt, reply, None), 1)

    def refuse(self, key: str, prompt: Sendable) -> Known:
        """Note that a prompt could not be made to fit."""
        return Known(_outcome(key, prompt, None, "context_overflow"), 0)


class _Told(Watcher):
    """Tells after each episode how far the rehearsal is, and keeps how long it was."""

    def __init__(self, told: Callable[[], None]) -> None:
        self._told = told
        self.in_a_row = 0
        self.strict: dict[int, list[int]] = {}

    def stepped(self, game: str, slot: Slot, step: int) -> None:
        """Do nothing."""

    def finished(self, record: EpisodeRecord) -> None:
        """Tell, and count its steps."""
        if record.checkpoint is None:
            self.in_a_row += len(record.steps)
        else:
            self.strict.setdefault(record.checkpoint, []).append(len(record.steps))
        self._told()

    def remembered(self, _record: MemoryRecord) -> None:
        """Count the call."""
        self.in_a_row += 1

    def waiting(self, what: str, seconds: float, why: str) -> None:
        """Do nothing."""

    def warned(self, message: str) -> None:
        """Do nothing."""


def forecast(
    plan: Plan,
    room: Budgets,
    *,
    player: str = "greedy",
    reply_tokens: int = 400,
    told: Callable[[], None] = lambda: None,
) -> list[Forecast]:
    """Return what each game of a plan would take, found by playing it whole, offline.

    Args:
        plan: What is to be played.
        room: What prompts and replies may hold.
        player: The built-in player whose moves decide how long episodes are.
        reply_tokens: Output tokens of a reply, reasoning included.
        told: Called after each episode.
    """
    found = []
    for game in playable_games(plan):
        desk = _Rehearsal(game, player, min(reply_tokens, room.output_tokens), min(reply_tokens, 400))
        heard = _Told(told)
        asyncio.run(run_of(plan, game, room, desk, heard, Seats()))
        found.append(
            replace(
                desk.found,
                most_requests=most_requests(plan, game),
                in_a_row=heard.in_a_row,
                checkpoints=tuple(map(tuple, heard.strict.values())),
            )
        )
    return found


def most_requests(plan: Plan, game: AnyGame) -> int:
    """Return the requests of a game's run if every episode goes on to its step limit and none is sent twice."""
    slots = schedule(plan.preset, game.id)
    steps = sum(plan.preset.config(game, slot.phase).max_steps for slot in slots)
    summaries = sum(slot.phase == "explore" for slot in slots) if plan.pathway == "summary" else 0
    return steps + summaries


def _draw(key: str) -> Draw:
    draws = iter(range(1, 2**62))
    return lambda bound: below(hashed(key, next(draws)) / 2**256, bound)


def _outcome(key: str, prompt: Sendable, reply: str | None, fault: str | None) -> Outcome:
    return Outcome(
        key=key,
        context="0" * 64,
        dropped_episodes=prompt.dropped.episodes,
        dropped_steps=prompt.dropped.steps,
        window=prompt.dropped.window,
        cut="rule",
        prompt_tokens=prompt.tokens,
        reply=reply,
        finish=None if reply is None else "stop",
        fault=fault,
        seconds=0.0,
        tokens_in=None,
        tokens_out=None,
        tokens_cached=None,
        model=None,
        request_id=None,
        fingerprint=None,
        adaptations=(),
    )
