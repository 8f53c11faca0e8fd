"""Kinds of replies, memories and checkpoint means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.memory import memory_text
from protocol.outcomes import CHANNEL_FAULTS, ReplyKind, count_replies, reply_kind
from protocol.records import Finish
from protocol.reply import read_reply, second_answer
from protocol.tokens import estimate


@pytest.mark.parametrize(
    ("text", "finish", "kind"),
    [
        ("Answer: UP, Score: 1", "stop", ReplyKind.ANSWERED),
        ("Answer: UP, Score: 1", "length", ReplyKind.ANSWERED),
        ("I think that", "length", ReplyKind.TRUNCATED),
        ("<think>Answer: UP", "length", ReplyKind.TRUNCATED),
        ("", "length", ReplyKind.TRUNCATED),
        ("I think that", "stop", ReplyKind.UNREADABLE),
        ("", "stop", ReplyKind.EMPTY),
        (" \n", "stop", ReplyKind.EMPTY),
        ("<think>long</think>", "stop", ReplyKind.EMPTY),
        ("", "content_filter", ReplyKind.FILTERED),
        ("Answer: UP, Score: 1", "content_filter", ReplyKind.FILTERED),
        ("x", "other", ReplyKind.UNREADABLE),
    ],
)
def test_EP_04_EP_05_every_reply_is_of_exactly_one_kind(text: str, finish: Finish, kind: ReplyKind) -> None:
    assert reply_kind(text, finish, read_reply(text)) is kind


def test_unreadable_replies_are_the_models_own_not_the_channels() -> None:
    assert {ReplyKind.TRUNCATED, ReplyKind.EMPTY, ReplyKind.FILTERED} == CHANNEL_FAULTS


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("Answer: LEFT, Score: 1\nAnswer: UP, Score: 0", True),
        ("Answer: LEFT, or rather Answer: UP, Score: 0", True),
        ("**Answer:**\n`LEFT`\n\n**Answer:**\n`UP`", True),
        ("Answer: LEFT\nAnswer: <ACTION>, Score: <SELF-SCORE>\nAnswer: UP", True),
        ("Answer: UP, Score: 1\nSo:\nAnswer: UP, Score: 0", False),
        ("answer: `up`\nAnswer: UP", False),
        ("Answer: flag (1, 2)\nAnswer: flag (1,2)", False),
        ("Answer: Answer: UP", False),
        ("Answer: UP, Score: 1", False),
        ("Answer: <ACTION>, Score: <SELF-SCORE>\nAnswer: UP", False),
        ("<think>Answer: LEFT</think>Answer: UP", False),
        ("Answer: UP<|im_end|>Answer: LEFT", False),
        ("analysisAnswer: LEFT assistantfinalAnswer: UP", False),
        ("The answer is LEFT.\nAnswer: UP", False),
        ("Answer: <A>\nAnswer: <B>", False),
        ("", False),
    ],
)
def test_another_answer_before_the_one_played_is_found_and_nothing_else(text: str, second: bool) -> None:
    assert second_answer(text) is second


@given(st.lists(st.sampled_from(["Answer: UP\n", "Answer: LEFT, Score: 1\n", "Up.\n"]), max_size=9))
def test_without_the_answer_that_is_played_another_one_would_be(lines: list[str]) -> None:
    played = read_reply("".join(lines)).action
    others = [line for line in lines if not line.startswith(f"Answer: {played}")]
    assert second_answer("".join(lines)) is (played is not None and read_reply("".join(others)).action is not None)


def test_replies_are_counted_each_under_what_befell_it() -> None:
    said: list[tuple[str, Finish]] = [
        ("Answer: UP, Score: 1", "stop"),
        ("Answer: LEFT\nAnswer: UP", "stop"),
        ("Answer: UP, Score: 0.", "length"),
        ("Answer: LEFT, Score: 1\nAnswer: UP", "length"),
        ("Up or left", "length"),
        ("Up.", "stop"),
        ("", "stop"),
        ("", "content_filter"),
    ]
    counts = count_replies((text, finish, read_reply(text)) for text, finish in said)
    assert counts.steps == 8
    assert counts.kinds == {
        ReplyKind.ANSWERED: 4,
        ReplyKind.UNREADABLE: 1,
        ReplyKind.TRUNCATED: 1,
        ReplyKind.EMPTY: 1,
        ReplyKind.FILTERED: 1,
    }
    assert (counts.cut_off, counts.second_answers, counts.missing_scores) == (3, 2, 6)


@pytest.mark.parametrize(
    ("reply", "memory"),
    [
        ("Tips:\n- a\n- b", "- a\n- b"),
        ("tips: - a", "- a"),
        ("- a\r\n- b\r\n", "- a\n- b"),
        ("<think>hm</think>\nTips:\n- a", "- a"),
        ("", ""),
        (" \n\t", ""),
        ("<think>never ends", ""),
        ("- a<|im_end|>\n<|im_start|>user\nMore?", "- a"),
        ("<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>- a", "- a"),
        ("Tips:", ""),
    ],
)
def test_a_memory_is_the_reply_without_thinking_and_label(reply: str, memory: str) -> None:
    assert memory_text(reply, 1_000) == memory


@given(st.text(alphabet="ab1 \n-", max_size=200), st.integers(0, 30))
def test_a_memory_keeps_to_its_budget(reply: str, tokens: int) -> None:
    assert estimate(memory_text(reply, tokens)) <= tokens
