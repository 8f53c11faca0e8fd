"""What kinds of replies a game's run holds, for whoever has played it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from protocol.bundle import RunFiles
from protocol.comparable import Comparability, Played, comparability, declared
from protocol.outcomes import ReplyKind, reply_kind
from protocol.preset import Preset
from protocol.records import Manifest
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
    row: Comparability
    """Whether the row is ranked, and what stands on it."""


def tally(run: RunFiles, preset: Preset, manifest: Manifest) -> Tally:
    """Return the counts of a run, derived from its records, and what becomes of its row."""
    steps = [step for episode in run.episodes for step in episode.steps]
    kinds = Counter(reply_kind(step.reply, step.finish, read_reply(step.reply)) for step in steps)
    failed = [episode for episode in run.episodes if episode.status == "failed"]
    kept = sum(memory.status == "kept" for memory in run.memories)
    played = Played(
        steps=len(steps),
        kinds=kinds,
        checkpoints=tuple(each for each in manifest.checkpoints if each.game == run.game),
        failed_explorations=sum(episode.phase == "explore" for episode in failed),
        windowed=any(step.window for step in steps),
        overflowed=any(step.cut == "server_overflow" for step in steps),
        kept_memories=kept,
    )
    return Tally(
        game=run.game,
        steps=len(steps),
        kinds={kind: kinds[kind] for kind in ReplyKind},
        failed_episodes=len(failed),
        kept_memories=kept,
        row=comparability(preset, declared(manifest), played),
    )
