"""The contract that every game meets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Generic, NamedTuple, Protocol, Self, TypeVar

from games.text import word

END_ACTION = "END"
UNREADABLE = "INVALID"
"""The action played for a reply that could not be read; no game accepts it."""


def playable(action: str | None) -> str:
    """Return what is played for an action as it was read; None: it could not be read."""
    return UNREADABLE if action is None else action


Points = int | Fraction
"""Exact episode points; converted to a number once, when recorded."""

Draw = Callable[[int], int]
"""A bounded draw: ``draw(n)`` is an integer in ``[0, n)``."""


class End(StrEnum):
    """Why an episode ended; a closed list."""

    WON = "won"
    LOST = "lost"
    STEP_LIMIT = "step_limit"
    AGENT_END = "agent_end"
    NO_MOVES = "no_moves"


class Config(Protocol):
    """A frozen set of numbers that a game is played under."""

    @property
    def id(self) -> str:
        """Return the name that random streams are keyed by: ``strict``, or in a variant ``strict-sighted``."""

    @property
    def max_steps(self) -> int:
        """Return the step at which the episode ends at the latest."""

    def __hash__(self) -> int: ...


class State(Protocol):
    """A plain frozen value: everything that decides what can still happen."""

    @property
    def config(self) -> Config:
        """Return the numbers that this episode is played under."""

    @property
    def steps(self) -> int:
        """Return how many steps were taken."""

    @property
    def end(self) -> End | None:
        """Return why the episode ended, or None while it goes on."""

    def _replace(self, *, steps: int = ..., end: End | None = ...) -> Self: ...


ConfigT = TypeVar("ConfigT", bound=Config)
StateT = TypeVar("StateT", bound=State)


class Step(NamedTuple, Generic[StateT]):
    """What one action did."""

    state: StateT
    feedback: str
    """One line that the player sees: what happened, or why the action was refused."""
    reward: Points
    """The change of the episode score; the player never sees it."""

    @property
    def end(self) -> End | None:
        """Return why the episode ended, or None while it goes on."""
        return self.state.end

    @property
    def done(self) -> bool:
        """Return whether the episode is over."""
        return self.state.end is not None


class Move(NamedTuple):
    """What a baseline answers: an action and its self-score."""

    action: str
    score: float


Baseline = Callable[[str, Draw], Move]
"""A policy that sees the observation text only."""

STANDARD = "standard"
"""The variant that every game has: the paper's numbers, as far as they are known."""


@dataclass(frozen=True, slots=True)
class Variant(Generic[ConfigT]):
    """A pair of configs of one game, which a preset chooses by its name.

    The ids of the configs are ``explore`` and ``strict``; in every variant but the standard one a hyphen and its name
    follow, so that no two configs of a game share their random streams.
    """

    name: str
    explore: ConfigT
    strict: ConfigT


def is_strict(config: Config) -> bool:
    """Return whether a config is the strict one of its variant."""
    return config.id.partition("-")[0] == "strict"


@dataclass(frozen=True, slots=True)
class Game(Generic[ConfigT, StateT]):
    """One game: texts, configs, pure functions and baselines.

    ``move`` is the game's own rule; callers use ``step``, which adds what is common to all games.
    """

    id: str
    title: str
    rules_version: int
    variants: tuple[Variant[ConfigT], ...]
    """The standard one first."""
    rules: str
    """The rules in words that hold under every config, without the reply contract."""
    action_form: str
    """The form of an action, in angle brackets, so that it can never be read as one: ``<UP|DOWN>``."""
    numbers: Callable[[ConfigT], str]
    """This config's numbers, in words."""
    start: Callable[[ConfigT, int], StateT]
    observe: Callable[[StateT], str]
    move: Callable[[StateT, str], Step[StateT]]
    layout: Callable[[StateT], str]
    """The world alone, without seed and config: equal text means an equal level."""
    distinct_layouts: bool
    """Whether two seeds must differ in their layout (false where few starts are possible)."""
    streams: tuple[str, ...]
    """The names of all random streams that an episode draws from."""
    recall: Callable[[StateT], str]
    """The observation as it stands in a carried history; most games give ``observe``."""
    baselines: Mapping[str, Baseline]
    oracle: Callable[[StateT, Draw], Move] | None

    @property
    def explore(self) -> ConfigT:
        """Return the explore config of the standard variant."""
        return self.variants[0].explore

    @property
    def strict(self) -> ConfigT:
        """Return the strict config of the standard variant."""
        return self.variants[0].strict

    @property
    def configs(self) -> tuple[ConfigT, ...]:
        """Return every config, variant by variant, explore before strict."""
        return tuple([config for each in self.variants for config in (each.explore, each.strict)])

    def variant(self, name: str) -> Variant[ConfigT]:
        """Return the variant with this name.

        Raises:
            ValueError: If there is none.
        """
        for each in self.variants:
            if each.name == name:
                return each
        known = ", ".join([each.name for each in self.variants])
        raise ValueError(f"variant: expected one of {known} of game {self.id}, got {name!r}")

    def config(self, config_id: str) -> ConfigT:
        """Return the config with this id.

        Raises:
            ValueError: If there is none.
        """
        for each in self.configs:
            if each.id == config_id:
                return each
        known = ", ".join([each.id for each in self.configs])
        raise ValueError(f"config: expected one of {known} of game {self.id}, got {config_id!r}")

    def step(self, state: StateT, action: str) -> Step[StateT]:
        """Play one action.

        Raises:
            ValueError: If the episode is over.
        """
        if state.end is not None:
            raise ValueError(f"{self.id}: the episode has ended ({state.end}); it takes no further action")
        if word(action) == END_ACTION:
            return Step(state._replace(steps=state.steps + 1, end=End.AGENT_END), "You ended the episode.", 0)
        return self.move(state, action)


def refusal(reason: str) -> str:
    """Return the feedback for an action that was not carried out."""
    return f"Invalid action: {reason}."


def limit(end: End | None, steps: int, config: Config) -> End | None:
    """Return the end after a step: the game's own, else the step limit when it is reached."""
    if end is None and steps >= config.max_steps:
        return End.STEP_LIMIT
    return end


def number(points: Points) -> int | float:
    """Return exact points as the number that records hold: an integer where it is one, never ``-0.0``."""
    if isinstance(points, int):
        return points
    return int(points) if points.denominator == 1 else float(points)
