"""The built-in models answer chat messages and know nothing else."""

from __future__ import annotations

import asyncio
import math
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from games.play import Turn, play
from games.registry import GAMES, game_named
from protocol.context import Budget, RunContext
from protocol.memory import memory_text
from protocol.messages import Message
from protocol.players import BUILTIN_NAMES
from protocol.prompts import system_text
from protocol.reply import read_reply
from protocol.summary import SummaryPrompt
from protocol.tokens import estimate
from runner.models.builtin import Builtin, drawer
from runner.models.model import FaultKind, TransportFaultError
from runner.models.oracle import Oracle

IDS = [game.id for game in GAMES]
WIDE = Budget(100_000, 4_000, 80)


def first_prompt(name: str, seed: int = 1, system: bool = True) -> list[Message]:
    game = game_named(name)
    context = RunContext(game, "history", WIDE, system_role=system).episode(game.strict)
    context.turn("", game.observe(game.start(game.strict, seed)))
    return context.messages()


def summary_call(name: str) -> list[Message]:
    game = game_named(name)
    run = RunContext(game, "summary", WIDE)
    context = run.episode(game.explore)
    context.turn("", game.observe(game.start(game.explore, 1)))
    context.answered("Answer: UP, Score: 0")
    run.explored(context, "You moved.")
    return SummaryPrompt(run).messages()


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"builtin:random.*builtin:learner.*got builtin:clever"):
        Builtin("clever")


@pytest.mark.parametrize("system", [True, False])
@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("policy", ["idle", "greedy", "random"])
def test_a_baseline_plays_what_its_game_defines(policy: str, name: str, system: bool) -> None:
    game = game_named(name)
    messages = first_prompt(name, system=system)
    reply = read_reply(Builtin(policy).answer(messages, 400).text)
    move = game.baselines[policy](game.observe(game.start(game.strict, 1)), drawer(messages))
    assert reply.action == move.action
    assert reply.score == pytest.approx(move.score, abs=1e-6)


@pytest.mark.parametrize("policy", BUILTIN_NAMES)
def test_answers_are_a_function_of_the_messages_in_any_order_and_at_once(policy: str) -> None:
    prompts = [first_prompt(name, seed) for name in IDS for seed in range(12)]
    model = Builtin(policy)
    expected = [Builtin(policy).answer(prompt, 400) for prompt in prompts]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda prompt: model.answer(prompt, 400), prompts)) == expected
    assert [model.answer(prompt, 400) for prompt in reversed(prompts)] == expected[::-1]


@pytest.mark.parametrize("policy", ["random", "learner"])
def test_without_experience_every_action_comes_up(policy: str) -> None:
    actions = {read_reply(Builtin(policy).answer(first_prompt("snake", seed), 400).text).action for seed in range(40)}
    assert actions == {"LEFT", "RIGHT", "UP", "DOWN"}


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("policy", BUILTIN_NAMES)
def test_a_summary_call_gives_a_memory_with_the_three_sections(policy: str, name: str) -> None:
    answer = Builtin(policy).answer(summary_call(name), 400)
    assert answer.finish == "stop"
    memory = memory_text(answer.text, WIDE.memory_tokens)
    for heading in ("Strategies to retain:", "Mistakes to avoid:", "Directions for next time:"):
        assert heading in memory.split("\n")


def test_usage_is_the_documented_estimate_and_nothing_is_claimed_of_a_cache() -> None:
    messages = first_prompt("trust")
    answer = Builtin("greedy").answer(messages, 400)
    assert answer.usage.tokens_in == sum(estimate(message.content) + 5 for message in messages)
    assert answer.usage.tokens_out == estimate(answer.text)
    assert answer.usage.tokens_cached is None


def test_a_reply_that_exceeds_its_limit_is_cut_and_says_so() -> None:
    answer = Builtin("greedy").answer(first_prompt("trust"), 2)
    assert answer.finish == "length"
    assert estimate(answer.text) <= 2


def test_tips_are_made_to_fit_and_end_by_themselves() -> None:
    answer = Builtin("greedy").answer(summary_call("trust"), 10)
    assert answer.finish == "stop"
    assert 0 < estimate(answer.text) <= 10


@pytest.mark.parametrize("policy", BUILTIN_NAMES)
@pytest.mark.parametrize(
    "messages",
    [
        [],
        [Message("user", "Hello")],
        [Message("system", system_text("Chess 960")), Message("user", "Current Game State:\n. .")],
    ],
)
def test_what_is_no_prompt_of_a_known_game_is_refused(policy: str, messages: list[Message]) -> None:
    with pytest.raises(TransportFaultError) as refused:
        Builtin(policy).answer(messages, 400)
    assert refused.value.kind is FaultKind.REFUSED


@pytest.mark.parametrize("state", ["", ".", "# # #\n# H #\n# # #", "Round x of y", "\n\n\n", "H"])
@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("policy", BUILTIN_NAMES)
def test_a_state_that_no_game_shows_gives_an_answer_or_a_refusal(policy: str, name: str, state: str) -> None:
    messages = [
        Message("system", system_text(game_named(name).rules)),
        Message("user", f"Current Game State:\n{state}"),
    ]
    with suppress(TransportFaultError):
        assert Builtin(policy).answer(messages, 400).text.startswith("Answer: ")


@pytest.mark.parametrize("name", IDS)
def test_the_oracle_plays_the_state_it_was_shown(name: str) -> None:
    """An upper anchor: over the same seeds, no worse than the greedy baseline."""
    game = game_named(name)

    def score(model: Oracle | Builtin, seed: int) -> float:
        context = RunContext(game, "history", WIDE).episode(game.strict)

        def policy(turn: Turn) -> str | None:
            context.turn(turn.feedback, turn.observation)
            seeing = model.seeing(turn.state) if isinstance(model, Oracle) else model
            text = asyncio.run(seeing.ask(context.messages(), 400)).text
            context.answered(text)
            return read_reply(text).action

        return float(play(game, game.strict, seed, policy).score)

    seeds = range(16)
    assert math.fsum(score(Oracle(), seed) for seed in seeds) >= math.fsum(
        score(Builtin("greedy"), seed) for seed in seeds
    )


def test_the_oracle_refuses_a_step_whose_state_it_was_not_shown() -> None:
    with pytest.raises(TransportFaultError, match="true state"):
        asyncio.run(Oracle().ask(first_prompt("trust"), 400))


def test_the_oracle_answers_summary_calls() -> None:
    assert asyncio.run(Oracle().ask(summary_call("trust"), 400)).finish == "stop"
