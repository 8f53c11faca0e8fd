"""The written rule and the parser say the same, and the parser keeps what the rule promises for any text."""

import json
import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.reply import MAX_ACTION, MAX_NUMBER, MAX_SHOWN, Reply, canonical_line, read_reply

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "reply.md").read_text(encoding="utf-8")
ROW = re.compile(
    r'\| `(?P<reply>"[^`|]*")` \| (?:`(?P<action>"[^`|]*")`|unreadable) \| (?P<score>missing|-?[0-9.]+) \| [1-9] \|'
)
HEADS = {"| reply | action | self-score | step |", "|---|---|---|---|"}
ROWS = [line for line in PAGE.partition("## Examples")[2].splitlines() if line.startswith("|") and line not in HEADS]


@pytest.mark.parametrize("row", ROWS)
def test_every_example_of_the_page_is_read_as_the_page_says(row: str) -> None:
    cells = ROW.fullmatch(row)
    assert cells is not None, "not a row of reply, action, self-score and step"
    action = None if cells["action"] is None else json.loads(cells["action"])
    score = None if cells["score"] == "missing" else float(cells["score"])
    read = read_reply(json.loads(cells["reply"]))
    assert (read.action, read.score) == (action, score)


def test_the_page_holds_examples_for_every_step() -> None:
    assert len(ROWS) > 100
    assert {row.split("|")[-2].strip() for row in ROWS} == set("123456789")


def test_the_page_states_the_limits_of_the_parser() -> None:
    assert f"More than {MAX_ACTION:,} characters" in PAGE
    assert f"cut after {MAX_SHOWN} characters" in PAGE
    assert f"More than {MAX_NUMBER}\n   characters" in PAGE


def test_limits_hold_to_the_character() -> None:
    assert read_reply("Answer: " + "a" * 4_000).action == "a" * 4_000
    assert read_reply("Answer: " + "a" * 4_001 + ", Score: 1") == Reply(None, None, None)
    assert read_reply("Answer: UP, Score: 0." + "3" * 30).score_text == "0." + "3" * 30
    assert read_reply("Answer: UP, Score: 0." + "3" * 31) == Reply("UP", None, None)
    assert canonical_line(Reply("a" * 401, None, None)) == f"Answer: {'a' * 400}, Score: NA"


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        ("Answer:  UP ,  Score: 1", "Answer: UP, Score: 1"),
        ("Answer: flag \t (1,\u30002), Score: ８ out  of 10", "Answer: flag (1, 2), Score: 8 out of 10"),
        ("**Answer:** UP, **Score:** − 3", "Answer: UP, Score: -3"),
        ("Answer: UP, Score: -0.0", "Answer: UP, Score: 0.0"),
        ("Answer: UP, Score: 85 %", "Answer: UP, Score: 85 %"),
        ("Answer: UP", "Answer: UP, Score: NA"),
        ("Answer: , Score: 1", "Answer: , Score: 1"),
        ("I go up.", "Answer: INVALID, Score: NA"),
        ("Answer: <ACTION>, Score: <SELF-SCORE>", "Answer: INVALID, Score: NA"),
    ],
)
def test_the_canonical_line_shows_what_was_read(reply: str, line: str) -> None:
    assert canonical_line(read_reply(reply)) == line


ANY_TEXT = st.text(st.characters(exclude_categories=()))
MARKS = r"""
Answer: answer Score: score self- : ： < > </ <b> </b> <br> <|im_end|> <think> </think> [think] [/THINK] ◁think▷
{ } [ ] ( ) \ \boxed{ \text{ \( \] \quad * ** ` ``` _ | $ ' " , . ... … ; - 1 0 0.5 1/3 % e5 ½ ² ٣ NA UP ſ K İ é # +
"""
UNSEEN = [
    "\n",
    "\r",
    " ",
    "  ",
    "\t",
    "\u3000",
    "\u200b",
    "\x00",
    "\x85",
    "\u2028",
    "\ud800",
    "- ",
    "out of",
    "a" * 390,
]
PIECES = st.sampled_from([*MARKS.split(), *UNSEEN])
NOISE = st.one_of(ANY_TEXT, st.lists(PIECES, max_size=40).map("".join))
LIKE_A_REPLY = st.builds("".join, st.tuples(st.sampled_from(["", "Answer: ", "Answer: UP, Score: "]), NOISE))
PROSE = NOISE.filter(lambda text: not re.search(r"answer|score|[<\[◁]", text, re.IGNORECASE | re.ASCII))

MOVES = st.one_of(
    st.from_regex(r"[A-Za-z]{1,9}( \([0-9], ?[0-9]\))?", fullmatch=True),
    st.from_regex(r"[0-9]{1,2} [0-9]{1,3}", fullmatch=True),
    st.from_regex(r"[A-Za-z]:\([0-9],[0-9]\)(, [A-Za-z]:\([0-9],[0-9]\)){0,5}", fullmatch=True),
    st.from_regex(r"[a-z]:\([0-9]{1,2}, ?[0-9]{1,2}\)(, [a-z]:\([0-9]{1,2}, ?[0-9]{1,2}\)){0,8}", fullmatch=True),
    st.from_regex(r"[XWSJHF] [0-4] [0-6](; [XWSJHF] [0-4] [0-6]){0,3}", fullmatch=True),
    st.from_regex(r"[a-z]{1,8}( ?\([0-9],[0-9]\))?(; [a-z]{1,8} ?\([0-9],[0-9]\)){0,16}", fullmatch=True),
)
NUMBERS = st.from_regex(r"-?(0|[1-9][0-9]{0,9})(\.[0-9]{1,9})?", fullmatch=True)
NONZERO = NUMBERS.filter(lambda number: float(number) != 0)


@given(LIKE_A_REPLY)
def test_any_text_is_read_to_an_action_or_none_and_a_finite_score_or_none(text: str) -> None:
    reply = read_reply(text)
    assert (reply.score is None) == (reply.score_text is None)
    if reply.score is not None and reply.score_text is not None:
        assert math.isfinite(reply.score)
        assert str(reply.score) != "-0.0"
        assert reply.score_text.isascii()
        assert 0 < len(reply.score_text) <= 32
    if reply.action is None:
        assert reply.score is None
    else:
        assert len(reply.action) <= 4_000
        assert not re.search(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]", reply.action)


@given(LIKE_A_REPLY)
def test_a_canonical_line_is_one_line_and_reads_back_to_itself(text: str) -> None:
    reply = read_reply(text)
    line = canonical_line(reply)
    again = read_reply(line)
    assert canonical_line(again) == line
    assert (again.score, again.score_text) == (reply.score, reply.score_text)
    assert len(line.encode().decode().splitlines()) == 1


@given(LIKE_A_REPLY)
def test_line_ends_of_any_kind_read_alike(text: str) -> None:
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    assert read_reply(text) == read_reply(plain) == read_reply(plain.replace("\n", "\r\n"))


@given(MOVES, NONZERO)
def test_a_clean_line_is_read_to_the_letter_and_is_its_own_canonical_line(move: str, number: str) -> None:
    line = f"Answer: {move}, Score: {number}"
    assert read_reply(line) == Reply(move, float(number), number)
    assert canonical_line(read_reply(line)) == line


@given(MOVES, NUMBERS)
def test_the_usual_line_is_read_as_the_general_way_reads_it(move: str, number: str) -> None:
    """The quote mark before the line is outside of what is read, and keeps the line from the fast path."""
    line = f"Answer: {move}, Score: {number}"
    assert read_reply(f"> {line}") == read_reply(line) == read_reply(f" {line}\n") == read_reply(f"> {line}\n")


@given(NOISE, MOVES, NUMBERS)
def test_nothing_above_the_answer_line_changes_it(noise: str, move: str, number: str) -> None:
    line = f"Answer: {move}, Score: {number}"
    before = noise.replace("<", "").replace("[", "").replace("◁", "")
    assert read_reply(f"{before}\n{line}") == read_reply(line)


@given(PROSE, MOVES, st.one_of(st.just(""), NUMBERS.map(", Score: {}".format)))
def test_prose_below_the_answer_line_does_not_change_it(prose: str, move: str, score: str) -> None:
    line = f"Answer: {move}{score}"
    assert read_reply(f"{line}\n{prose}") == read_reply(line)


AROUND_AN_ACTION = [
    *(
        "{}",
        "**{}**",
        "`{}`",
        "'{}'",
        '"{}"',
        "“{}”",
        "__{}__",
        " {} ",
        "\u3000{}\u200b",
        "{}.",
        "| {} |",
        "${}$",
        "[{}]",
    ),
    *(
        r"\boxed{{{}}}",
        r"\text{{{}}}",
        r"\({}\)",
        r"\[ {} \]",
        r"{} \\",
        "<b>{}</b>",
        "{}</answer>",
        "{}<|END_RESPONSE|>",
    ),
]
AROUND_A_LINE = ["**{}**", "`{}`", "({})", '"{}"', "> {}", "- {}", "<answer>{}</answer>", r"\boxed{{{}}}", r"\[{}\]"]


@given(MOVES, NUMBERS, st.lists(st.sampled_from(AROUND_AN_ACTION), max_size=5))
def test_what_is_wrapped_around_an_action_does_not_change_it(move: str, number: str, wrappers: list[str]) -> None:
    wrapped = move
    for wrapper in wrappers:
        wrapped = wrapper.format(wrapped)
    expected = read_reply(f"Answer: {move}, Score: {number}")
    assert read_reply(f"Answer: {wrapped}, Score: {number}") == expected
    assert read_reply(f"Answer: {wrapped}").action == expected.action


@given(MOVES, NUMBERS, st.sampled_from(AROUND_A_LINE))
def test_what_is_wrapped_around_the_line_does_not_change_it(move: str, number: str, wrapper: str) -> None:
    line = f"Answer: {move}, Score: {number}"
    assert read_reply(wrapper.format(line)) == read_reply(line)
    assert read_reply(wrapper.format(f"Answer: {move}")) == read_reply(f"Answer: {move}")


@given(NOISE, MOVES)
def test_nothing_inside_thinking_is_an_answer(noise: str, move: str) -> None:
    assert read_reply(f"<think>{noise}</think>\nAnswer: {move}") == read_reply(f"Answer: {move}")
    # Outside of a block that the text shows to begin, a token may end the turn.
    plain = re.sub(r"[<&\[]", "", noise)
    assert read_reply(f"{plain}</think>\nAnswer: {move}") == read_reply(f"Answer: {move}")
    unclosed = re.sub(r"[</\]▷]", "", noise)
    assert read_reply(f"<think>{unclosed}\nAnswer: {move}") == Reply(None, None, None)
