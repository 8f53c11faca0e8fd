"""A built-in model reads back from the messages exactly what the run put into them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from games.registry import GAMES, AnyGame, game_named
from protocol.context import Budget, EpisodeContext, Pathway, RunContext, SummaryMode
from protocol.messages import Message
from protocol.reply import canonical_line, read_reply
from protocol.summary import SummaryPrompt
from runner.models.reading import NO_ACTION, PastStep, read_history, read_step, read_summary

WIDE = Budget(100_000, 4_000, 80)
IDS = [game.id for game in GAMES]


def play(
    run: RunContext, seed: int, actions: Sequence[str], scores: Sequence[str]
) -> tuple[EpisodeContext, list[PastStep], str]:
    """Play scripted actions; return the context, the steps as they happened and the last feedback."""
    game = run.game
    context, state, feedback = run.episode(game.explore), game.start(game.explore, seed), ""
    steps: list[PastStep] = []
    for action, score in zip(actions, scores, strict=True):
        observation = game.observe(state)
        context.turn(feedback, observation)
        reply = read_reply(f"Answer: {action}, Score: {score}")
        context.answered(canonical_line(reply))
        state, feedback, _ = game.step(state, reply.action or "")
        steps.append(PastStep(observation, reply.action or "", reply.score, feedback))
    return context, steps, feedback


def run_of(
    game: AnyGame, pathway: Pathway = "history", system: bool = True, mode: SummaryMode = "rebuild"
) -> RunContext:
    return RunContext(game, pathway, WIDE, mode=mode, system_role=system)


@pytest.mark.parametrize("system", [True, False])
@pytest.mark.parametrize("name", IDS)
def test_a_step_prompt_gives_back_rules_history_own_steps_and_state(name: str, system: bool) -> None:
    run = run_of(game_named(name), system=system)
    actions, scores = ["UP", "cheat", "Up", "collaborate"], ["1", "-0.5", "NA", "0"]
    first, carried, last = play(run, 1, actions, scores)
    run.explored(first, last)
    second, carried_too, last = play(run, 2, actions[:2], scores[:2])
    run.explored(second, last)
    context, own, feedback = play(run, 3, actions[:3], scores[:3])
    state = run.game.start(run.game.strict, 4)
    context.turn(feedback, run.game.observe(state))

    step = read_step(context.messages())

    assert step is not None
    assert step.rules == run.game.rules
    assert step.observation == run.game.observe(state)
    assert step.own == tuple(own)
    assert read_history(step.carried) == [tuple(carried), tuple(carried_too)]


@pytest.mark.parametrize("name", IDS)
def test_nothing_carried_reads_as_nothing(name: str) -> None:
    context, _, _ = play(run_of(game_named(name)), 1, [], [])
    context.turn("", "a state")
    step = read_step(context.messages())
    assert step is not None
    assert step.carried == ""
    assert step.own == ()
    assert step.observation == "a state"


def test_a_history_that_begins_in_the_middle_of_an_episode_gives_its_later_steps() -> None:
    """Oldest steps are cut first; the first step left over keeps what its predecessor did in front of its state."""
    text = (
        "Env: You moved.\nb1\nLLM: Answer: UP, Score: 0\nEnv: You ate.\nb2\nLLM: Answer: LEFT, Score: 1\nEnv: Over.\n\n"
    )
    (episode,) = read_history(text)
    assert episode[1] == PastStep("b2", "LEFT", 1.0, "Over.")
    assert episode[0] == PastStep("You moved.\nb1", "UP", 0.0, "You ate.")


def test_an_unreadable_reply_stands_in_the_history_as_no_action_and_without_a_score() -> None:
    (episode,) = read_history("Env: b\nLLM: Answer: INVALID, Score: NA\nEnv: Refused.\n\n")
    assert episode == (PastStep("b", NO_ACTION, None, "Refused."),)


@pytest.mark.parametrize("mode", ["rebuild", "recursive"])
def test_a_summary_prompt_gives_back_rules_tips_history_and_limit(mode: SummaryMode) -> None:
    run = run_of(game_named("trust"), "summary", mode=mode)
    first, steps, last = play(run, 1, ["cheat", "cheat"], ["3", "0"])
    run.explored(first, last)
    SummaryPrompt(run).remember("- Be kind.\n- Be quick.")
    second, more, last = play(run, 2, ["collaborate"], ["2"])
    run.explored(second, last)

    summary = read_summary(SummaryPrompt(run).messages())

    assert summary is not None
    assert summary.rules == run.game.rules
    assert summary.words == 2_000
    assert summary.earlier == ("" if mode == "rebuild" else "- Be kind.\n- Be quick.\n\n".strip())
    history = [tuple(steps), tuple(more)] if mode == "rebuild" else [tuple(more)]
    assert read_history(summary.history) == history


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [Message("user", "Hello")],
        [Message("assistant", "Answer: UP, Score: 0")],
        [Message("user", "Current Game State:\nx"), Message("assistant", "y")],
        [Message("user", "Current Game State:\nx"), Message("user", "Current Game State:\nx")],
        [Message("user", "History:\nUse at most 5 words.\nTips:")],
    ],
)
def test_other_messages_are_neither_a_step_nor_a_summary(messages: list[Message]) -> None:
    assert read_step(messages) is None
    assert read_summary(messages) is None
