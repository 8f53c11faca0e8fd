"""Contexts: the exact messages of a step, their budget, cut and digest."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.registry import game_named
from protocol.carry import Cut
from protocol.context import Budget, ContextOverflowError, Dropped, EpisodeContext, Pathway, RunContext
from protocol.messages import Message, messages_digest
from protocol.prompts import DECIDE, HINTS, REPLY_CONTRACT, STATE
from protocol.reply import read_reply
from protocol.summary import SummaryPrompt
from protocol.tokens import MESSAGE_OVERHEAD, estimate

SNAKE = game_named("snake")
ASKED = f"{DECIDE}Answer: <LEFT|RIGHT|UP|DOWN>, Score: <SELF-SCORE>"
LARGE = Budget(100_000, 4_000, 80)


def total(messages: list[Message]) -> int:
    return sum(estimate(message.content) + MESSAGE_OVERHEAD for message in messages)


def fixed_tokens() -> int:
    """Return the estimate of a first prompt with an empty observation and nothing carried."""
    run = RunContext(SNAKE, "history", LARGE)
    context = run.episode(SNAKE.strict)
    context.turn("", "")
    return total(context.messages())


FIXED = fixed_tokens()


def play(run: RunContext, steps: int, size: int = 10, tag: str = "o") -> EpisodeContext:
    """Play an exploration episode of some steps, each observation of ``size`` tokens, and carry it on."""
    context = run.episode(SNAKE.explore)
    for step in range(steps):
        context.turn("moved." if step else "", f"{tag}{step} " + "# " * size)
        context.answered("Answer: UP, Score: 0")
    run.explored(context, "over.")
    return context


def test_the_first_prompt_is_rules_and_contract_then_numbers_then_state() -> None:
    run = RunContext(SNAKE, "history", LARGE)
    context = run.episode(SNAKE.explore)
    context.turn("", "BOARD")
    system, user = context.messages()
    assert system == Message("system", f"{SNAKE.rules}\n\n{REPLY_CONTRACT}")
    assert user == Message("user", f"{SNAKE.numbers(SNAKE.explore)}\n\nCurrent Game State:\nBOARD{ASKED}")


def test_the_episode_under_way_is_alternating_turns() -> None:
    run = RunContext(SNAKE, "history", LARGE)
    context = run.episode(SNAKE.explore)
    context.turn("", "B0")
    context.answered("Answer: UP, Score: 1")
    context.turn("You moved.", "B1")
    assert context.messages()[2:] == [
        Message("assistant", "Answer: UP, Score: 1"),
        Message("user", f"You moved.\n\nCurrent Game State:\nB1{ASKED}"),
    ]


def test_history_is_carried_as_env_and_llm_lines_under_hint_messages() -> None:
    run = RunContext(SNAKE, "history", LARGE)
    context = run.episode(SNAKE.explore)
    context.turn("", "B0")
    context.answered("Answer: UP, Score: 1")
    context.turn("You moved.", "B1")
    context.answered("Answer: INVALID, Score: NA")
    run.explored(context, "Invalid action.")
    strict = run.episode(SNAKE.strict)
    strict.turn("", "S0")
    assert strict.messages()[1].content == (
        "Hint Messages:\n"
        "Env: B0\nLLM: Answer: UP, Score: 1\n"
        "Env: You moved.\nB1\nLLM: Answer: INVALID, Score: NA\n"
        "Env: Invalid action.\n\n"
        f"{SNAKE.numbers(SNAKE.strict)}\n\nCurrent Game State:\nS0{ASKED}"
    )


def test_the_memory_takes_the_place_of_the_history() -> None:
    run = RunContext(SNAKE, "summary", LARGE)
    play(run, 2)
    prompt = SummaryPrompt(run)
    prompt.remember("- keep moving")
    strict = run.episode(SNAKE.strict)
    strict.turn("", "S0")
    assert strict.messages()[1].content.startswith(f"{HINTS}- keep moving\n\n{SNAKE.numbers(SNAKE.strict)}")


def test_without_a_system_role_the_same_words_open_the_first_user_message() -> None:
    run = RunContext(SNAKE, "history", LARGE, system_role=False)
    play(run, 1)
    context = run.episode(SNAKE.strict)
    context.turn("", "S0")
    (only,) = context.messages()
    assert only.role == "user"
    assert only.content.startswith(f"{SNAKE.rules}\n\n{REPLY_CONTRACT}\n\n{HINTS}Env: ")
    assert context.digest == messages_digest([only])


def test_CM_04_no_turn_is_dropped_below_the_token_budget() -> None:
    run = RunContext(SNAKE, "history", LARGE)
    for episode in range(7):
        play(run, 64, size=1, tag=f"e{episode}s")
    context = run.episode(SNAKE.strict)
    context.turn("", "S0")
    assert context.dropped == Dropped(0, 0, 0)
    assert context.messages()[1].content.count("LLM: ") == 7 * 64


def test_CM_05_one_token_too_many_drops_whole_pairs_and_roles_alternate() -> None:
    """The oldest whole episode goes, down to 80% of the budget; rules and board stay."""
    run = RunContext(SNAKE, "history", LARGE)
    for _ in range(3):
        play(run, 4)
    probe = run.episode(SNAKE.strict)
    probe.turn("", "S0")
    tight = RunContext(SNAKE, "history", Budget(total(probe.messages()) - 1, 1_000, 80))
    for _ in range(3):
        play(tight, 4)
    context = tight.episode(SNAKE.strict)
    context.turn("", "S0")
    assert context.dropped.episodes >= 1
    assert context.dropped.window == 0
    assert [message.role for message in context.messages()] == ["system", "user"]
    assert total(context.messages()) <= tight.budget.input_tokens * 80 // 100
    assert context.messages()[1].content.endswith(f"{STATE}S0{ASKED}")


def test_oldest_whole_episodes_go_first_then_oldest_steps_of_the_newest() -> None:
    run = RunContext(SNAKE, "history", Budget(2 * FIXED, 1_000, 80))
    play(run, 3, size=10, tag="a")
    play(run, 40, size=10, tag="b")
    context = run.episode(SNAKE.strict)
    context.turn("", "S0")
    assert context.dropped.episodes == 1
    assert 0 < context.dropped.steps < 40
    carried = context.messages()[1].content
    assert "a0" not in carried
    assert f"b{context.dropped.steps} " in carried
    assert f"b{context.dropped.steps - 1} " not in carried


def test_a_strict_episode_never_moves_the_cut_of_the_run() -> None:
    run = RunContext(SNAKE, "history", Budget(FIXED + 300, 1_000, 80))
    play(run, 6)
    before = run.cut
    strict = run.episode(SNAKE.strict)
    for step in range(8):
        strict.turn("moved." if step else "", "# " * 12)
        strict.answered("Answer: UP, Score: 0")
    assert strict.cut > before
    assert run.cut == before
    assert run.episode(SNAKE.strict).cut == before


def test_an_episode_too_long_by_itself_loses_its_oldest_steps_but_never_the_rules() -> None:
    run = RunContext(SNAKE, "history", Budget(FIXED + 150, 1_000, 80))
    context = run.episode(SNAKE.strict)
    for step in range(10):
        context.turn("moved." if step else "", f"o{step} " + "# " * 30)
        assert total(context.messages()) <= run.budget.input_tokens
        assert [message.role for message in context.messages()[1:]] == ["user", "assistant"] * step_pairs(context) + [
            "user"
        ]
        context.answered("Answer: UP, Score: 0")
    assert context.window > 0
    assert context.messages()[1].content.startswith(SNAKE.numbers(SNAKE.strict))
    assert "o9 " in context.messages()[-1].content


def step_pairs(context: EpisodeContext) -> int:
    return (len(context.messages()) - 2) // 2


def test_a_prompt_that_cannot_fit_by_itself_is_an_overflow() -> None:
    run = RunContext(SNAKE, "history", Budget(1_000, 250, 80))
    context = run.episode(SNAKE.strict)
    with pytest.raises(ContextOverflowError, match="input budget is 1000"):
        context.turn("", "# " * 1_000)


def test_a_server_overflow_cuts_once_more_and_the_record_can_be_followed() -> None:
    run = RunContext(SNAKE, "history", LARGE)
    for _ in range(4):
        play(run, 5)
    context = run.episode(SNAKE.strict)
    context.turn("", "S0")
    before = total(context.messages())
    context.shrink()
    assert total(context.messages()) <= before * 80 // 100
    again = run.episode(SNAKE.strict)
    again.turn("", "S0")
    again.drop_to(context.dropped)
    assert again.digest == context.digest == messages_digest(context.messages())


@pytest.mark.parametrize(
    "dropped", [Dropped(0, 0, 1), Dropped(9, 0, 0), Dropped(0, 5, 0), Dropped(1, -1, 0), Dropped(4, 1, 0)]
)
def test_a_recorded_drop_that_is_no_place_in_the_history_is_refused(dropped: Dropped) -> None:
    run = RunContext(SNAKE, "history", LARGE)
    for _ in range(4):
        play(run, 5)
    context = run.episode(SNAKE.strict)
    context.turn("", "S0")
    with pytest.raises(ValueError, match="got"):
        context.drop_to(dropped)


def test_a_recorded_drop_below_the_rule_is_refused() -> None:
    run = RunContext(SNAKE, "history", Budget(FIXED + 100, 1_000, 80))
    for _ in range(4):
        play(run, 5)
    context = run.episode(SNAKE.strict)
    context.turn("", "S0")
    assert context.dropped.episodes > 0
    with pytest.raises(ValueError, match="expected at least"):
        context.drop_to(Dropped(0, 0, 0))


def test_nothing_left_to_drop_is_an_overflow() -> None:
    run = RunContext(SNAKE, "history", LARGE)
    context = run.episode(SNAKE.strict)
    context.turn("", "S0")
    with pytest.raises(ContextOverflowError):
        context.shrink()


steps = st.lists(st.tuples(st.integers(0, 25), st.booleans()), min_size=1, max_size=6)


@settings(max_examples=60)
@given(
    episodes=st.lists(st.tuples(st.sampled_from(["explore", "strict"]), steps), max_size=7),
    room=st.integers(60, 400),
    pathway=st.sampled_from(["history", "summary"]),
    system_role=st.booleans(),
)
def test_every_prompt_fits_hashes_as_sent_and_cuts_only_forward(
    episodes: list[tuple[str, list[tuple[int, bool]]]], room: int, pathway: Pathway, system_role: bool
) -> None:
    budget = Budget(FIXED + room, room // 4, 80)
    run = RunContext(SNAKE, pathway, budget, system_role=system_role)
    cuts = [run.cut]
    for phase, shape in episodes:
        config = SNAKE.explore if phase == "explore" else SNAKE.strict
        context = run.episode(config)
        own = [context.dropped]
        for step, (size, server) in enumerate(shape):
            context.turn("moved." if step else "", f"{step} " + "# " * size)
            if server:
                try:
                    context.shrink()
                except ContextOverflowError:
                    assert run.hint(context.cut) == "" or pathway == "summary"
            messages = context.messages()
            assert context.digest == messages_digest(messages)
            assert context.tokens == total(messages) <= budget.input_tokens
            assert [message.role for message in messages if message.role != "system"][::2] == ["user"] * (
                (len(messages) + (not system_role)) // 2
            )
            own.append(context.dropped)
            context.answered("Answer: LEFT, Score: 1")
        assert all(before <= after for before, after in pairwise(own))
        if phase == "explore":
            run.explored(context, "over.")
            if pathway == "summary":
                prompt = SummaryPrompt(run)
                assert prompt.digest == messages_digest(prompt.messages())
                prompt.remember("- tip")
        cuts.append(run.cut)
    assert all(before <= after for before, after in pairwise(cuts))


@settings(max_examples=60)
@given(
    shape=st.lists(st.tuples(st.integers(0, 25), st.lists(st.sampled_from("dst"), max_size=4)), min_size=1, max_size=8),
    pathway=st.sampled_from(["history", "summary"]),
)
def test_a_digest_is_that_of_the_messages_whenever_it_is_asked_for(
    shape: list[tuple[int, list[str]]], pathway: Pathway
) -> None:
    """The kept state of the hash never lags behind: d asks for the digest, s shrinks, t takes another turn instead."""
    run = RunContext(SNAKE, pathway, Budget(FIXED + 150, 40, 80))
    play(run, 4)
    context = run.episode(SNAKE.explore)
    for step, (size, acts) in enumerate(shape):
        context.turn("moved." if step else "", f"{step} " + "# " * size)
        for act in acts:
            if act == "t":
                context.turn("moved so.", f"{step} " + "2 " * size)
            if act == "s" and context.dropped.window < step:
                context.shrink()
            if act == "d":
                assert context.digest == messages_digest(context.messages())
        context.answered(f"Answer: LEFT, Score: {step}")
    context.turn("moved.", "last")
    assert context.digest == messages_digest(context.messages())
    assert context.tokens == total(context.messages())


@given(st.sampled_from(["", "7", " 7", "a", "word ", "x\n", "é "]), st.sampled_from(["", "5 5", " 5", "abcdef", "\t"]))
def test_a_prompt_counts_as_much_as_its_parts_whatever_they_begin_and_end_with(feedback: str, observation: str) -> None:
    context = RunContext(SNAKE, "history", LARGE).episode(SNAKE.explore)
    context.turn(feedback, observation)
    assert context.tokens == total(context.messages())


def test_the_cut_is_kept_until_the_budget_is_exceeded_again() -> None:
    """Hysteresis: the prefix stays unchanged as long as possible, so that a server's prompt cache works."""
    run = RunContext(SNAKE, "history", Budget(FIXED + 400, 1_000, 80))
    moved = 0
    last = Cut()
    for _ in range(12):
        play(run, 3)
        moved += run.cut != last
        last = run.cut
    assert 0 < moved < 8


def test_the_summary_prompt_names_rule_history_and_three_sections() -> None:
    run = RunContext(SNAKE, "summary", LARGE)
    play(run, 1)
    (only,) = SummaryPrompt(run).messages()
    assert only.role == "user"
    assert only.content.startswith(f"Rule:\n{SNAKE.rules}\n\nHistory:\nEnv: ")
    for section in ("Strategies to retain", "Mistakes to avoid", "Directions for next time"):
        assert section in only.content
    assert only.content.endswith("Tips:")


def test_recursive_mode_sees_the_last_memory_and_the_new_episodes_only() -> None:
    run = RunContext(SNAKE, "summary", LARGE, mode="recursive")
    play(run, 1, tag="first")
    SummaryPrompt(run).remember("- old tip")
    play(run, 1, tag="second")
    (only,) = SummaryPrompt(run).messages()
    assert "Earlier tips:\n- old tip\n\n" in only.content
    assert "second0" in only.content
    assert "first0" not in only.content


def test_rebuild_mode_sees_the_whole_history_and_no_earlier_memory() -> None:
    run = RunContext(SNAKE, "summary", LARGE)
    play(run, 1, tag="first")
    SummaryPrompt(run).remember("- old tip")
    play(run, 1, tag="second")
    (only,) = SummaryPrompt(run).messages()
    assert "old tip" not in only.content
    assert "first0" in only.content
    assert "second0" in only.content


def test_AP_12_the_form_that_every_prompt_asks_for_is_no_action_itself() -> None:
    assert ASKED.startswith("\n\nChoose your action now.")
    for text in (ASKED, REPLY_CONTRACT, f"{SNAKE.rules}\n\n{REPLY_CONTRACT}"):
        assert read_reply(text).action is None
