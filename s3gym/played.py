"""What a person played: as a table and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from pydantic import BaseModel, ConfigDict
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from games.base import Config, number
from games.play import Episode
from games.registry import AnyGame
from protocol.reply import Reply
from protocol.strictjson import write_record
from runner.printable import printable
from s3gym.judged import Judged, judge

SCHEMA = "s3gym-play-1"


class PlayedStep(BaseModel):
    """One step of a person."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    action: str | None
    """The action as read; null if the line could not be read."""
    self_score: float | None
    reward: float
    feedback: str


class PlayResult(BaseModel):
    """One episode of a person."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    schema_id: str = SCHEMA
    game: str
    rules_version: int
    config: str
    seed: str
    """In decimal: seeds have 63 bits, and many JSON readers keep only 53 of a number."""
    as_model: bool
    steps: tuple[PlayedStep, ...]
    end: str | None
    """Why the episode ended; null if the person left before."""
    score: float
    judged: Judged

    @classmethod
    def of(
        cls, game: AnyGame, config: Config, seed: int, as_model: bool, replies: Sequence[Reply], episode: Episode
    ) -> Self:
        """Return the result of an episode and what was read from each line of it."""
        pairs = list(zip(replies, episode.steps, strict=True))
        return cls(
            game=game.id,
            rules_version=game.rules_version,
            config=config.id,
            seed=str(seed),
            as_model=as_model,
            steps=tuple(
                PlayedStep(
                    action=reply.action,
                    self_score=reply.score,
                    reward=float(number(step.reward)),
                    feedback=step.feedback,
                )
                for reply, step in pairs
            ),
            end=episode.end,
            score=float(number(episode.score)),
            judged=judge((reply, step.reward) for reply, step in pairs),
        )

    def to_json(self) -> str:
        """Return one line of ASCII JSON."""
        return write_record(self).decode()

    @property
    def again(self) -> str:
        """Return the command that plays the same level again."""
        phase, _, variant = self.config.partition("-")
        strict = " --strict" if phase == "strict" else ""
        named = f" --variant {variant}" if variant else ""
        model = " --as-model" if self.as_model else ""
        return f"s3gym play {self.game}{strict}{named} --seed {self.seed}{model}"


def show_result(console: Console, result: PlayResult) -> None:
    """Print what was played, step by step, and how to play it again."""
    judged = result.as_model or result.judged.steps > 0
    if result.steps:
        console.print(_table(result, judged))
    count = f"{len(result.steps)} step{'' if len(result.steps) == 1 else 's'}"
    ending = result.end or "left before the end"
    console.print(f"[bold]{ending}[/] after {count}, score {result.score:g} (seed {result.seed})", highlight=False)
    if judged:
        console.print(judging_line(result.judged), highlight=False)
    console.print(f"The same level again: {result.again}", highlight=False)


def _table(result: PlayResult, judged: bool) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("step", justify="right", no_wrap=True)
    table.add_column("action", overflow="fold")
    if judged:
        table.add_column("self-score", justify="right", no_wrap=True)
    table.add_column("reward", justify="right", no_wrap=True)
    table.add_column("what happened", overflow="fold")
    for place, step in enumerate(result.steps, 1):
        table.add_row(
            str(place),
            action_text(step.action),
            *([number_text(step.self_score)] if judged else []),
            number_text(step.reward),
            Text(printable(step.feedback)),
        )
    return table


def action_text(action: str | None) -> Text:
    """Return an action as a table shows it; what is no text of an action is set apart by its style and brackets."""
    if not action:
        return Text("(unreadable)" if action is None else "(empty)", style="italic")
    return Text(printable(action))


def number_text(value: float | None) -> str:
    """Return a number as a table shows it."""
    return "-" if value is None else f"{value:g}"


def judging_line(judged: Judged) -> str:
    """Return in words how self-scores compare with rewards."""
    if not judged.steps:
        return "Self-judging: no step has a self-score."
    missing = f"; without a self-score: {judged.missing}" if judged.missing else ""
    return (
        f"Self-judging: {judged.agreeing} of {judged.steps} steps agree on whether there is a reward; "
        f"over-confident {judged.over}, under-confident {judged.under}; mean distance {judged.error:.3g}{missing}."
    )
