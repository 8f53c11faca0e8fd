"""What kinds of replies a game's run holds, for whoever has played it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from protocol.bundle import RunFiles
from protocol.comparable import Comparability, Played, comparability, declared
from protocol.outcomes import ReplyCounts, count_replies
from protocol.preset import Preset
from protocol.records import Manifest
from protocol.reply import read_reply
from protocol.spoken import Leak, leak


class Tally(NamedTuple):
    """Counts of one game's run."""

    game: str
    replies: ReplyCounts
    leaks: Mapping[Leak, int]
    """Replies by what the server should have kept apart from them, as far as that occurred."""
    failed_episodes: int
    kept_memories: int
    """Summary calls that made no memory."""
    row: Comparability
    """Whether the row is ranked, and what stands on it."""


def tally(run: RunFiles, preset: Preset, manifest: Manifest) -> Tally:
    """Return the counts of a run, derived from its records, and what becomes of its row."""
    steps = [step for episode in run.episodes for step in episode.steps]
    replies = count_replies((step.reply, step.finish, read_reply(step.reply)) for step in steps)
    found = map(leak, (step.reply for step in steps))
    failed = [episode for episode in run.episodes if episode.status == "failed"]
    kept = sum(memory.status == "kept" for memory in run.memories)
    played = Played(
        steps=replies.steps,
        kinds=replies.kinds,
        checkpoints=tuple(each for each in manifest.checkpoints if each.game == run.game),
        failed_explorations=sum(episode.phase == "explore" for episode in failed),
        windowed=any(step.window for step in steps),
        overflowed=any(step.cut == "server_overflow" for step in steps),
        kept_memories=kept,
    )
    return Tally(
        game=run.game,
        replies=replies,
        leaks=Counter(each for each in found if each is not None),
        failed_episodes=len(failed),
        kept_memories=kept,
        row=comparability(preset, declared(manifest), played),
    )
