"""Kinds of replies, memories and checkpoint means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.memory import memory_text
from protocol.outcomes import CHANNEL_FAULTS, ReplyKind, reply_kind
from protocol.records import Finish
from protocol.reply import read_reply
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
    ("reply", "memory"),
    [
        ("Tips:\n- a\n- b", "- a\n- b"),
        ("tips: - a", "- a"),
        ("- a\r\n- b\r\n", "- a\n- b"),
        ("<think>hm</think>\nTips:\n- a", "- a"),
        ("", ""),
        (" \n\t", ""),
        ("<think>never ends", ""),
        ("Tips:", ""),
    ],
)
def test_a_memory_is_the_reply_without_thinking_and_label(reply: str, memory: str) -> None:
    assert memory_text(reply, 1_000) == memory


@given(st.text(alphabet="ab1 \n-", max_size=200), st.integers(0, 30))
def test_a_memory_keeps_to_its_budget(reply: str, tokens: int) -> None:
    assert estimate(memory_text(reply, tokens)) <= tokens
