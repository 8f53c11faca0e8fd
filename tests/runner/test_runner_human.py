"""A person plays on the same text as a model, and no text drives the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from games.play import Episode, play
from games.registry import GAMES, game_named
from protocol.context import Budget, RunContext
from runner.models.human import Human
from runner.printable import printable

IDS = [game.id for game in GAMES]


def typed(*lines: str) -> Callable[[], str]:
    """Return a reader of these lines; then there is no more."""
    left: Iterator[str] = iter(lines)

    def read() -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    return read


def sit(name: str, *lines: str) -> tuple[Episode, list[str]]:
    game = game_named(name)
    shown: list[str] = []
    return play(game, game.strict, 3, Human(game, game.strict, shown.append, typed(*lines))), shown


@pytest.mark.parametrize("name", IDS)
def test_a_person_is_told_what_a_model_is_told(name: str) -> None:
    game = game_named(name)
    action = game.baselines["greedy"](game.observe(game.start(game.strict, 3)), lambda _: 0).action
    episode, shown = sit(name, action)
    context = RunContext(game, "history", Budget(100_000, 4_000, 80)).episode(game.strict)
    state = game.start(game.strict, 3)
    context.turn("", game.observe(state))
    context.answered(f"Answer: {action}, Score: 0")
    context.turn(episode.steps[0].feedback, game.observe(game.step(state, action).state))
    system, first, _, second = context.messages()

    assert shown[0].startswith(system.content)
    assert f"{shown[0].removeprefix(system.content).strip()}\n\n{shown[1]}" == first.content
    assert shown[2] == second.content


@pytest.mark.parametrize("word", ["quit", "  QUIT "])
def test_quit_stops_where_the_episode_stands(word: str) -> None:
    episode, _ = sit("trust", "cheat", word, "cheat")
    assert [step.action for step in episode.steps] == ["cheat"]
    assert episode.end is None


def test_the_end_of_the_input_stops_too() -> None:
    episode, _ = sit("trust", "cheat", "collaborate")
    assert len(episode.steps) == 2
    assert episode.end is None


def test_END_ends_the_episode_as_for_a_model() -> None:
    episode, _ = sit("trust", "END")
    assert episode.end == "agent_end"


def test_SX_06_nothing_that_drives_a_terminal_is_shown_as_it_is() -> None:
    hostile = "\x1b[2J\x1b]0;title\x07\x1b]8;;http://x\x07link\b\b\r\x9b31m\u202e\u200b\ud800"
    shown = printable(f"board\n{hostile}")
    assert shown.startswith("board\n")
    assert shown.replace("\n", "").isprintable()
    assert "\\x1b[2J" in shown


def test_an_action_of_control_characters_is_played_as_typed_and_shown_escaped() -> None:
    episode, shown = sit("snake", "\x1b[2J")
    assert len(episode.steps) == 1
    assert all(text.replace("\n", "").isprintable() for text in shown)
