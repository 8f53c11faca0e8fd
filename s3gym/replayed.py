"""Episodes of a bundle for people and machines: what is recorded beside what the rules give."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict

from games.base import number
from protocol.outcomes import ReplyKind, reply_kind
from protocol.records import Finish, Phase, StepRecord
from protocol.schedule import episode_name
from s3gym.judged import Judged, judge
from scoring.inspection import Inspected, InspectedEpisode

SCHEMA = "s3gym-replay-1"


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class Recorded(_Line):
    """What a step record claims."""

    action: str | None
    self_score: float | None
    reward: float

    @classmethod
    def of(cls, step: StepRecord) -> Self:
        """Return the claims of a step."""
        return cls(action=step.action, self_score=step.score, reward=step.reward)


class StepLine(_Line):
    """One step, replayed."""

    kind: str = "step"
    step: int
    """Counted from 0, as in records and refusals."""
    observation: str | None
    """What the player saw; null where the rules play no such step."""
    reply: str
    finish: Finish
    reply_kind: ReplyKind
    action: str | None
    self_score: float | None
    reward: float | None
    feedback: str | None
    recorded: Recorded
    differs: tuple[str, ...]
    """The claims that replay does not bear out."""


class EpisodeLine(_Line):
    """One episode, replayed."""

    kind: str = "episode"
    schema_id: str = SCHEMA
    entry: str
    verdict: str
    """Of the whole bundle."""
    game: str
    episode: str
    phase: Phase
    checkpoint: int | None
    index: int
    replicate: int
    seed: str
    status: str
    failure: str | None
    steps: int
    end: str | None
    score: float | None
    """The verifier's episode score; null if the episode failed."""
    judged: Judged
    recorded_end: str | None
    recorded_score: float | None
    differs: tuple[str, ...]
    """The claims that replay does not bear out, those of its steps included."""


def episode_line(inspected: Inspected, episode: InspectedEpisode) -> EpisodeLine:
    """Return an episode without its steps."""
    record, again = episode.record, episode.replayed.episode
    failed = record.status == "failed"
    end = None if again.end is None else str(again.end)
    score = None if failed else float(number(again.score))
    recorded_end = None if record.end is None else str(record.end)
    differs = [*(["end"] if end != recorded_end else []), *(["score"] if score != record.score else [])]
    return EpisodeLine(
        entry=inspected.manifest.entry,
        verdict=inspected.report.verdict,
        game=episode.game.id,
        episode=episode_name(record),
        phase=record.phase,
        checkpoint=record.checkpoint,
        index=record.index,
        replicate=record.replicate,
        seed=record.seed,
        status=record.status,
        failure=record.failure,
        steps=len(record.steps),
        end=end,
        score=score,
        judged=judge(
            (reply, played.reward) for reply, played in zip(episode.replayed.replies, again.steps, strict=False)
        ),
        recorded_end=recorded_end,
        recorded_score=record.score,
        differs=(*differs, *(f"step {line.step}" for line in step_lines(episode) if line.differs)),
    )


def step_lines(episode: InspectedEpisode) -> tuple[StepLine, ...]:
    """Return every recorded step of an episode, replayed."""
    return tuple(_step_line(episode, index, step) for index, step in enumerate(episode.record.steps))


def _step_line(episode: InspectedEpisode, index: int, step: StepRecord) -> StepLine:
    turns, replies, again = episode.turns, episode.replayed.replies, episode.replayed.episode
    reply = replies[index]
    played = again.steps[index] if index < len(again.steps) else None
    reward = float(number(played.reward)) if played else None
    pairs: tuple[tuple[str, object, object], ...] = (
        ("action", reply.action, step.action),
        ("self-score", reply.score, step.score),
        ("reward", reward, step.reward),
    )
    return StepLine(
        step=index,
        observation=turns[index].observation if played else None,
        reply=step.reply,
        finish=step.finish,
        reply_kind=reply_kind(step.reply, step.finish, reply),
        action=reply.action,
        self_score=reply.score,
        reward=reward,
        feedback=played.feedback if played else None,
        recorded=Recorded.of(step),
        differs=tuple(what for what, replayed, recorded in pairs if replayed != recorded),
    )
