"""What is thinking, and where a reply ends: the tables of the page, each mark in every state that it can come in."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import marks
from protocol.reply import Reply, read_reply
from protocol.spoken import Leak, leak, spoken

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "reply.md").read_text(encoding="utf-8")
UNDOCUMENTED = "seen in use, no document found"
THOUGHT, SAID = "Answer: LEFT, Score: 1", "Answer: UP, Score: 0"
MODELS = (
    "gpt-oss",
    *(
        "Gemma",
        "Qwen",
        "DeepSeek",
        "Seed",
        "LongCat",
        "Magistral",
        "Granite",
        "Phi",
        "Apertus",
        "Kimi",
        "Solar",
        "Command",
    ),
)
PLAYED, UNREADABLE = Reply("UP", 0.0, "0"), Reply(None, None, None)


class Row(NamedTuple):
    """One row of a table of the page."""

    model: str
    marks: tuple[str, ...]
    """Of thinking: how it begins, how it ends, and what is left of both without special tokens, where that tells."""


def _rows(heading: str) -> list[Row]:
    section = PAGE.partition(f"\n### {heading}\n")[2].partition("\n### ")[0].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")][2:]
    return [_row(line) for line in lines]


def _row(line: str) -> Row:
    model, *cells, source = (cell.strip() for cell in line.strip("|").split(" | "))
    assert source.startswith("[") or source == UNDOCUMENTED, f"{model}: a row names its source"
    texts = [re.fullmatch("`+ ?(.*?) ?`+", cell) for cell in cells]
    found = tuple("" if text is None else text[1].replace("\\n", "\n").replace("¦", "|") for text in texts)
    return Row(model, found)


THINKING = _rows("Marks of thinking")
ENDS = _rows("Marks of a turn's end")
STRIPPED = [row for row in THINKING if row.marks[2]]
NAMES = [f"{row.model}: {row.marks[0]}" for row in THINKING]


def test_the_page_names_the_models_that_teams_run() -> None:
    told = " ".join(row.model for row in THINKING)
    for model in MODELS:
        assert model in told
    assert len(ENDS) > 12


@pytest.mark.parametrize("row", THINKING, ids=NAMES)
class TestThinking:
    """Every row of the table, in each state."""

    def test_complete_thinking_is_not_played(self, row: Row) -> None:
        begin, end, _ = row.marks
        assert read_reply(f"{begin}{THOUGHT}{end}{SAID}") == PLAYED
        assert read_reply(f"{begin}\n{THOUGHT}\n{end}\n\n{SAID}") == PLAYED
        assert read_reply(f"{begin}{THOUGHT}{end}Up it is.") == UNREADABLE

    def test_unfinished_thinking_is_never_played(self, row: Row) -> None:
        begin = row.marks[0]
        assert read_reply(f"{begin}{THOUGHT}") == UNREADABLE
        assert read_reply(f"{begin}\nLeft?\n{THOUGHT}\nOr {SAID}\n") == UNREADABLE
        assert read_reply(begin) == UNREADABLE

    def test_thinking_whose_beginning_the_template_swallowed_is_not_played(self, row: Row) -> None:
        if row.marks[1] in ("</details>", "<|end|>", "Here is my response:"):
            return  # These end other things too, so that nothing tells what came before them.
        assert read_reply(f"{THOUGHT}{row.marks[1]}{SAID}") == PLAYED
        assert read_reply(f"{THOUGHT}{row.marks[1]}") == UNREADABLE

    @pytest.mark.parametrize("other", THINKING, ids=NAMES)
    def test_thinking_within_thinking_ends_with_the_outer_one(self, row: Row, other: Row) -> None:
        outer, inner = row.marks, other.marks
        if _family(row) == _family(other) or inner[0].startswith(("Here", "to=")) or "assistant" in inner[1]:
            return  # These do not nest, begin a reply only, or say themselves that the answer follows.
        nested = f"{outer[0]}{inner[0]}Hm.{inner[1]}{THOUGHT}"
        assert read_reply(nested) == UNREADABLE
        assert read_reply(f"{nested}{outer[1]}{SAID}") == PLAYED
        assert read_reply(f"{outer[0]}{inner[0]}{THOUGHT}{outer[1]}{SAID}") == PLAYED

    def test_a_beginning_said_twice_is_one(self, row: Row) -> None:
        begin, end, _ = row.marks
        assert read_reply(f"{begin}\n{begin}\n{THOUGHT}{end}{SAID}") == PLAYED


def _family(row: Row) -> str:
    begin = row.marks[0]
    if "message" in begin:
        return "channel"
    found = next((each for each in ("channel", "details", "inner", "unused", "Here") if each in begin), "")
    return found or next(family for word, family in marks.THINKING_WORDS.items() if word in begin.lower())


@pytest.mark.parametrize("row", STRIPPED, ids=[f"{row.model}: {row.marks[0]}" for row in STRIPPED])
def test_without_special_tokens_action_and_score_come_from_one_answer(row: Row) -> None:
    begin, end = row.marks[2].split(" … ")
    assert read_reply(f"{begin}We go left. {THOUGHT}{end}{SAID}") == PLAYED
    assert read_reply(f"{begin}We go left. {THOUGHT}{end}Answer: UP") == Reply("UP", None, None)
    assert read_reply(f"{begin}We go left. {THOUGHT}") == UNREADABLE
    assert read_reply(f"{begin}We go left. {THOUGHT}{end}") == UNREADABLE
    assert leak(f"{begin}We go left.{end}{SAID}") is Leak.CHANNELS


def test_only_the_final_channel_answers() -> None:
    head = "<|start|>assistant<|channel|>"
    call = f"{head}commentary to=functions.move <|constrain|>json<|message|>{THOUGHT}<|call|>"
    assert read_reply(call) == UNREADABLE
    assert (
        read_reply(f"<|channel|>commentary<|message|>{THOUGHT}<|end|>{head}final<|message|>{SAID}<|return|>") == PLAYED
    )
    assert read_reply(f"<|channel|>final<|message|>{SAID}<|end|>{head}analysis<|message|>{THOUGHT}") == PLAYED
    assert read_reply(f"{THOUGHT}<|end|>{head}final <|constrain|>text<|message|>{SAID}") == PLAYED
    assert read_reply(f"analysis<|message|>{THOUGHT}<|end|>{head}final<|message|>{SAID}") == PLAYED
    assert read_reply(f"assistant<|channel|>final<|message|>{SAID}") == PLAYED
    assert read_reply("finalAnswer: UP, Score: 0") == PLAYED
    assert read_reply(f"analysisHm.assistantcommentary to=functions.move json{THOUGHT}") == UNREADABLE
    assert read_reply(f"<think><|channel|>analysis<|message|>{THOUGHT}<|end|>{THOUGHT}") == UNREADABLE


@pytest.mark.parametrize(
    "text",
    ["Analysis: up is free.", "analysis of the board:", "A final thought.", "thought\nUp is free.", "An assistant."],
)
def test_words_of_plain_English_are_no_marks(text: str) -> None:
    assert read_reply(f"{text}\n{SAID}") == PLAYED


def test_a_fold_that_holds_no_reasoning_is_read() -> None:
    assert read_reply(f"<details><summary>Board</summary>{SAID}</details>").action == "UP"
    assert read_reply(f"{SAID}\n</details>") == PLAYED
    assert leak(f"<details>Board</details>{SAID}") is None


@pytest.mark.parametrize("row", ENDS, ids=[row.marks[0] for row in ENDS])
class TestTurns:
    """Every row of the table of ends, and of what begins the turn of somebody else."""

    def test_nothing_after_the_turn_is_read(self, row: Row) -> None:
        end = row.marks[0]
        assert read_reply(f"{SAID}{end}\n{THOUGHT}") == PLAYED
        assert read_reply(f"{SAID}\n{end}Current state:\n{THOUGHT}\n{end}{THOUGHT}") == PLAYED
        assert read_reply(f"Up it is.{end}{THOUGHT}") == UNREADABLE

    def test_a_leaked_mark_makes_no_answer_unreadable(self, row: Row) -> None:
        end = row.marks[0]
        for blank in ("", " ", "\n"):
            assert read_reply(f"{SAID}{blank}{end}") == PLAYED
            assert read_reply(f"Answer: UP{blank}{end}") == Reply("UP", None, None)
            assert read_reply(f"**Answer:** UP, **Score:** 0{blank}{end}{end}\n") == PLAYED

    def test_within_thinking_it_ends_nothing(self, row: Row) -> None:
        assert read_reply(f"<think>{THOUGHT}{row.marks[0]}</think>{SAID}") == PLAYED
        assert read_reply(f"<think>{THOUGHT}{row.marks[0]}{THOUGHT}") == UNREADABLE

    def test_it_is_warned_of(self, row: Row) -> None:
        assert leak(f"{SAID}{row.marks[0]}") is Leak.TURNS


@pytest.mark.parametrize(
    "header",
    [
        "<|im_start|>assistant\n",
        "<|start_header_id|>assistant<|end_header_id|>\n\n",
        "<start_of_turn>model\n",
        "<|assistant|>",
        "<｜Assistant｜>",
        "[/INST] ",
        "<|start|>assistant<|message|>",
    ],
)
def test_the_header_of_the_own_turn_ends_nothing_where_nothing_was_said(header: str) -> None:
    assert read_reply(f"{header}{SAID}") == PLAYED
    assert read_reply(f"<think>Hm.</think>{header}{SAID}") == PLAYED


def test_what_was_reported_is_read_right() -> None:
    assert read_reply(f"{SAID}<|im_end|>\n<|im_start|>user\n{THOUGHT}") == PLAYED
    assert read_reply(f"{SAID}<end_of_turn>\n<start_of_turn>user\n{THOUGHT}") == PLAYED
    assert read_reply(f"{SAID}\n<|im_start|>assistant\n{THOUGHT}") == PLAYED
    assert read_reply(f"{SAID}<｜User｜>{THOUGHT}") == PLAYED


def test_the_page_lists_the_words_and_names_of_the_code() -> None:
    rule = PAGE.partition("\n1. **Thinking")[2].partition("\n2. ")[0]
    told = set(re.findall("`([^`]+)`", rule))
    for names in (
        marks.THINKING_WORDS,
        marks.CLOSING_WORDS,
        marks.BARRED_ENDS,
        marks.MESSAGE_ENDS,
        marks.TURN_STARTS,
        marks.OWN_ROLES,
        marks.OTHER_ROLES,
    ):
        assert set(names) <= told, set(names) - told


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Tips: go up.", "Tips: go up."),
        ("<think>hm</think>Tips", " Tips"),
        ("One <think>hm</think>two <THOUGHT>hm</THOUGHT>three", "One  two  three"),
        ("Tips <think>hm", "Tips "),
        ("hm</think>Tips", "Tips"),
        ("1 < 2 and [a] > 0", "1 < 2 and [a] > 0"),
        ("<thinker>Tips</thinker>", "<thinker>Tips</thinker>"),
    ],
)
def test_thinking_is_stripped_and_the_rest_is_kept_to_the_letter(text: str, kept: str) -> None:
    assert spoken(text) == kept


def spoken_slowly(text: str) -> str:
    """Return what a text says, with a mark looked for at every place, by a plain machine of its own."""
    kept: list[str] = [""]
    blocks: list[str] = []
    at = 0
    while at < len(text):
        tag = TAG.match(text, at)
        if tag is None:
            kept[-1] += "" if blocks else text[at]
            at += 1
            continue
        at = tag.end()
        family = "reason" if "reasoning" in tag[0] else "think"
        if not any(tag.groups()):
            if not blocks:
                kept.append("")
            if not tag[0].endswith("/>") and family not in blocks:
                blocks.append(family)
        elif family in blocks:
            blocks = blocks[: blocks.index(family)]
        elif not blocks:
            kept = [""]
    return " ".join(kept if not blocks else kept[:-1])


TAG = re.compile(
    r"(?ai:<(/?)(?:think|thought|reasoning)(?:[^<>\r\n|｜/a-z0-9_:.▁-][^<>\r\n]*)?/?>|\[(/?)think\]|◁(/?)think▷)"
)
TAGS = [
    "<think>",
    "</think>",
    "<THOUGHT a='<'>",
    "<think",
    "<",
    "<<",
    ">",
    "<reasoning/>",
    "[think]",
    "[/THINK]",
    "◁think▷",
    "[",
]


@given(st.lists(st.sampled_from([*TAGS, "a", " ", "\n", "é", "—"]), max_size=12).map("".join))
def test_tags_are_found_as_if_looked_for_at_every_place(text: str) -> None:
    assert spoken(text) == spoken_slowly(text)
