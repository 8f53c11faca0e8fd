"""What kinds of replies a game's run holds, for whoever has played it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from protocol.bundle import RunFiles
from protocol.outcomes import ReplyKind, reply_kind
from protocol.reply import read_reply


class Tally(NamedTuple):
    """Counts of one game's run."""

    game: str
    steps: int
    kinds: Mapping[ReplyKind, int]
    """Steps by the kind of their reply; every kind is there."""
    failed_episodes: int
    kept_memories: int
    """Summary calls that made no memory."""


def tally(run: RunFiles) -> Tally:
    """Return the counts of a run, derived from its records alone."""
    steps = [step for episode in run.episodes for step in episode.steps]
    kinds = Counter(reply_kind(step.reply, step.finish, read_reply(step.reply)) for step in steps)
    return Tally(
        game=run.game,
        steps=len(steps),
        kinds={kind: kinds[kind] for kind in ReplyKind},
        failed_episodes=sum(episode.status == "failed" for episode in run.episodes),
        kept_memories=sum(memory.status == "kept" for memory in run.memories),
    )
