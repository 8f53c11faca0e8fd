"""A text that is kept for a reply is read as the reply is, and an entry's numbers are the same with it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.context import Pathway
from protocol.memory import memory_text
from protocol.outcomes import reply_kind
from protocol.records import Finish
from protocol.reply import canonical_line, read_again, read_reply, second_answer
from scoring.accepting import accept
from scoring.kept import KeptStep, kept_summary, kept_text
from scoring.registry import Registry
from scoring.score import measure
from scoring.verify import verify
from tests.bundles import Board

FINISHES: tuple[Finish, ...] = ("stop", "length", "content_filter", "other")
PIECES = (
    "Answer: UP, Score: 1",
    "Answer: (1, 2) , Score: 1/2",
    "Score: 0.5",
    "Answer:",
    "**Answer:** LEFT",
    "Self-Score: -0",
    "Answer: <ACTION>, Score: <SELF-SCORE>",
    "answer：右, score：50%",
    "<think>",
    "</think>",
    "[think]",
    "◁/think▷",
    "\n",
    "\r\n",
    " ",
    "\\boxed{END}",
    "Answer: a, b (c), Score: 1e400",
    "Answer: x\ty\x07, Score: .5e1",
    ".",
    "…",
    "word " * 150,
    "Answer: Score: 3",
    "Answer: \ud800, Score: 1",
    "Answer: Answer: UP, Score: 2",
    "Answer: UP, Score: 1, Score: 2",
    ")",
    "$",
    "Answer: LEFT\n",
    "<|im_end|>",
    "assistantfinal",
)
replies = st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=8).map("".join)


@settings(max_examples=500)
@given(replies)
def test_what_is_kept_is_read_as_the_whole_reply_is(text: str) -> None:
    kept = kept_text(text)
    reply = read_reply(text)
    assert len(kept) <= len(text)
    assert read_reply(kept) == read_again(kept) == reply
    assert canonical_line(read_reply(kept)) == canonical_line(reply)
    for finish in FINISHES:
        assert reply_kind(kept, finish, read_reply(kept)) == reply_kind(text, finish, reply)
    assert second_answer(kept) == second_answer(text)


@pytest.mark.parametrize("end", ["Answer:\nUP answer:", "answer :2\nAnswer:\n<b>1 out[\n1"])
def test_no_label_within_an_action_keeps_a_long_reply(end: str) -> None:
    """An action that ends as a label does is read below a label, and not behind one on its line."""
    text = "word " * 10_000 + "\n" + end
    assert len(kept_text(text)) < 100
    assert read_reply(kept_text(text)) == read_reply(text)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Up is free.\nAnswer: UP, Score: 1", "Answer: UP, Score: 1"),
        ("**Answer:** `LEFT`\nScore: 1/2", "Answer: LEFT, Score: 1/2"),
        ("I think that right is best.\nAnswer: RIGHT", "Answer: RIGHT, Score: NA"),
        ("I cannot say.", "?"),
        ("Answer: LEFT\nUp is free.\nAnswer: UP, Score: 1", "Answer: ?\nAnswer: UP, Score: 1"),
        ("Answer: LEFT\nUp is free, is it not?\n**Answer:** UP, Score: 1", "Answer: ?\nAnswer: UP, Score: 1"),
        ("Answer: UP, Score: 1<|im_end|>\nAnswer: LEFT", "Answer: UP, Score: 1"),
        ("<think>What now?</think>\n", ""),
        ("", ""),
    ],
)
def test_only_what_is_read_of_a_reply_is_kept(said: str, kept: str) -> None:
    assert kept_text(said) == kept
    digest = "0" * 64
    step = KeptStep(
        reply=said, action=None, score=None, reward=0.0, finish="stop", context=digest, dropped_episodes=0,
        dropped_steps=0, window=0, cut="rule",
    )  # fmt: skip
    assert step.reply == kept


@settings(max_examples=500)
@given(st.sampled_from(["", "Tips:", "tips: Tips: ", "</think>TIPS:"]), replies)
def test_what_is_kept_of_a_summary_gives_the_same_memory_whatever_the_budget(label: str, said: str) -> None:
    text = label + said.replace("\ud800", "")
    kept = kept_summary(text)
    assert kept is not None
    assert len(kept) <= len(text)
    for tokens in (1, 5, 50, 10_000):
        assert memory_text(kept, tokens) == memory_text(text, tokens)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("<think>What was it?</think>Tips:\n- Look.\n", "- Look."),
        ("Tips: Tips: - Look.", "Tips: Tips: - Look."),
        ("", ""),
        (None, None),
    ],
)
def test_only_what_is_remembered_of_a_summary_is_kept(said: str | None, kept: str | None) -> None:
    assert kept_summary(said) == kept


@pytest.mark.parametrize("pathway", ["history", "summary"])
def test_numbers_are_the_same_whether_whole_replies_are_kept_or_not(board: Board, pathway: Pathway) -> None:
    bundle, registry = board.bundle(pathway), Registry(board.keys)
    assert accept(bundle, registry).numbers == measure(verify(bundle, registry))
