"""Step 6: every reply is parsed again and played; action, self-score, reward, end and score must agree."""

from __future__ import annotations

from collections.abc import Sequence

from games.base import number
from protocol.bundle import file_name
from protocol.errors import BundleError
from protocol.preset import Preset
from protocol.records import EpisodeRecord
from protocol.schedule import episode_name
from scoring.checks.parsing import ParsedRun
from scoring.checks.step import Faults, Step
from scoring.replay import Replayed, replay

STEP = Step(6, "replay", "Every episode replays to the recorded actions, rewards, end and score")
_REMEDY = "Records must hold what the rules give; play the episode again with this project's runner."


def check(runs: Sequence[ParsedRun], preset: Preset, faults: Faults) -> tuple[tuple[Replayed, ...], ...]:
    """Return the replay of every episode, run by run."""
    replayed = []
    steps = 0
    for run in runs:
        episodes = []
        for record in run.episodes:
            again = replay(run.game, preset.config(run.game, record.phase), record)
            _compare(record, again, file_name("episodes", run.game.id), faults)
            episodes.append(again)
            steps += len(record.steps)
        replayed.append(tuple(episodes))
    faults.detail = f"{steps} steps replayed"
    return tuple(replayed)


def _compare(record: EpisodeRecord, again: Replayed, file: str, faults: Faults) -> None:
    place = episode_name(record)

    def differs(what: str, expected: object, got: object, step: int | None = None) -> bool:
        if expected == got:
            return False
        faults.add(BundleError(file, f"{what} {expected!r}", repr(got), _REMEDY, place=place, step=step))
        return True

    if differs("as many steps as the rules play:", len(again.episode.steps), len(record.steps)):
        return
    for index, (step, reply, played) in enumerate(zip(record.steps, again.replies, again.episode.steps, strict=True)):
        differs("action", reply.action, step.action, index)
        differs("self-score", reply.score, step.score, index)
        differs("reward", float(number(played.reward)), step.reward, index)
    if record.status == "valid":
        differs("end", again.episode.end, record.end)
        differs("score", float(number(again.episode.score)), record.score)
    elif again.episode.end is not None:
        differs("a failed episode to stop before its end, not", None, again.episode.end)
