"""A prefix cache serves what stood at the start of an earlier prompt, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.play import turns
from games.registry import game_named
from protocol.context import Budget, Pathway, RunContext
from protocol.prefix import PrefixCache
from protocol.summary import SummaryPrompt
from protocol.tokens import estimate

TEXTS = st.lists(st.sampled_from(["a", "bb", "ccc ", "1 2", "\n"]), max_size=6)


def shared(first: Sequence[str], second: Sequence[str]) -> int:
    """How many parts two prompts begin with together."""
    count = 0
    while count < min(len(first), len(second)) and first[count] == second[count]:
        count += 1
    return count


@given(st.lists(TEXTS, max_size=8))
def test_the_longest_beginning_of_any_earlier_prompt_is_served(prompts: list[list[str]]) -> None:
    cache = PrefixCache()
    for place, prompt in enumerate(prompts):
        longest = max((shared(prompt, earlier) for earlier in prompts[:place]), default=0)
        assert cache.serve(prompt) == sum(estimate(part) for part in prompt[:longest])


@pytest.mark.parametrize("pathway", ["history", "summary"])
def test_the_parts_of_a_prompt_are_its_text(pathway: Pathway) -> None:
    """At every step of two episodes and in the summary call between them, also when history is cut."""
    game = game_named("trust")
    run = RunContext(game, pathway, Budget(1_300, 100, 80))
    for seed in range(3):
        episode = run.episode(game.explore)
        loop = turns(game, game.explore, seed)
        turn = next(loop)
        while True:
            episode.turn(turn.feedback, turn.observation)
            assert "".join(episode.parts()) == "".join(message.content for message in episode.messages())
            episode.answered("Answer: cheat, Score: 0")
            try:
                turn = loop.send("cheat")
            except StopIteration:
                break
        run.explored(episode, "That was the last round.")
        prompt = SummaryPrompt(run)
        assert "".join(prompt.parts()) == "".join(message.content for message in prompt.messages())
        prompt.remember("- Cheat.")
    assert run.cut.episodes or pathway == "summary"


def test_a_step_of_an_episode_finds_the_whole_prompt_before_it() -> None:
    game, cache = game_named("trust"), PrefixCache()
    episode = RunContext(game, "history", Budget(100_000, 100, 80)).episode(game.explore)
    loop = turns(game, game.explore, 1)
    turn = next(loop)
    before = 0
    for _ in range(5):
        episode.turn(turn.feedback, turn.observation)
        parts = episode.parts()
        assert cache.serve(parts) == before
        before = sum(map(estimate, parts))
        episode.answered("Answer: cheat, Score: 0")
        turn = loop.send("cheat")
