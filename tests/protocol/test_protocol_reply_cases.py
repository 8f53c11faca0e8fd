"""Faults that readers of answers have had elsewhere, each kind shown not to happen here."""

import pytest

from protocol.reply import Reply, canonical_line, read_reply

UNREADABLE = Reply(None, None, None)
MEGABYTE = 1_000_000


def score_of(text: str) -> float | None:
    """Read a self-score behind an action that must survive it."""
    reply = read_reply(f"Answer: UP, Score: {text}")
    assert reply.action == "UP"
    return reply.score


def test_AP_01_an_answer_inside_thinking_that_never_ended_is_no_answer() -> None:
    assert read_reply("<think>maybe Answer: UP, Score: 1") == UNREADABLE
    assert read_reply("maybe Answer: UP, Score: 1</think>") == UNREADABLE


def test_AP_02_the_answer_is_not_taken_from_the_reasoning() -> None:
    assert read_reply("<think>Answer: LEFT, Score: 0 dies</think> Answer: UP, Score: 1") == Reply("UP", 1.0, "1")
    assert read_reply("<think>Answer: LEFT</think> I do not know.") == UNREADABLE


def test_AP_04_mismatched_tags_without_the_label_are_unreadable() -> None:
    assert read_reply("<action>UP</score>") == UNREADABLE


def test_AP_05_of_several_answers_the_last_counts() -> None:
    assert read_reply("Answer: LEFT, Score: 0\nAnswer: UP, Score: 1") == Reply("UP", 1.0, "1")
    assert read_reply("Answer: LEFT, Score: 0; Answer: UP, Score: 1") == Reply("UP", 1.0, "1")


def test_AP_06_several_moves_in_one_answer_stay_one_action_for_the_game_to_judge() -> None:
    assert read_reply("Answer: UP, UP, LEFT, Score: 1").action == "UP, UP, LEFT"


@pytest.mark.parametrize(
    "reply",
    [
        '{"action":"UP","score":0.5} see [1]',
        '{"action":"UP","score":0.5} {"action":"LEFT","score":0.5}',
        '{"answer": "UP", "score": 0.5}',
        '{\n  "answer": "UP",\n  "score": 0.5\n}',
        '```python\nx = 1\n```\n```json\n{"answer": "UP", "score": 0.5}\n```',
        '{"note":"a, }","action":"UP","score":0.5,}',
        "{'answer': 'UP', 'score': 0.5}",
    ],
)
def test_AP_07_AP_08_AP_10_a_JSON_reply_is_unreadable_and_never_half_read(reply: str) -> None:
    assert read_reply(reply) == UNREADABLE


def test_AP_08_a_fence_before_the_answer_does_not_hide_it() -> None:
    assert read_reply("```python\nx = 1\n```\n```\nAnswer: UP, Score: 0.5\n```") == Reply("UP", 0.5, "0.5")


@pytest.mark.parametrize(
    "action", ["UP", "**UP**", "UP**", "'UP'", '"UP"', "`UP`", "UP.", "Answer: UP", "**Answer:** UP"]
)
def test_AP_11_marks_and_a_doubled_label_do_not_change_the_action(action: str) -> None:
    assert read_reply(f"Answer: {action}").action == "UP"
    assert read_reply(f"Answer: {action}, Score: 1") == Reply("UP", 1.0, "1")


@pytest.mark.parametrize("label", ["**Answer:**", "**Answer**:", "*Answer:*", "__Answer:__", "# Answer:", "> Answer:"])
def test_AP_11_marks_around_the_label_do_not_hide_it(label: str) -> None:
    assert read_reply(f"{label} UP").action == "UP"


def test_AP_11_a_doubled_label_with_the_value() -> None:
    assert read_reply("Answer: Answer: 4 90").action == "4 90"
    assert read_reply("Answer: 4 90, Score: Score: 2") == Reply("4 90", 2.0, "2")


@pytest.mark.parametrize(
    "action", ["<ACTION>", "<action>", "<LEFT|RIGHT|UP|DOWN>", "X <ROW> <COL>", "<column> <rotation>", "..."]
)
def test_AP_12_the_echoed_format_is_no_answer_and_hides_none(action: str) -> None:
    echo = f"Answer: {action}, Score: <SELF-SCORE>"
    assert read_reply(echo) == UNREADABLE
    assert read_reply(f"`{echo}`") == UNREADABLE
    assert read_reply(f"Answer: UP, Score: 1\nThe form was: {echo}") == Reply("UP", 1.0, "1")
    assert read_reply(f"{echo}\nAnswer: UP, Score: 1") == Reply("UP", 1.0, "1")


def test_AP_12_a_board_in_place_of_an_answer_is_unreadable() -> None:
    assert read_reply("# # #\n# H #\n# # #") == UNREADABLE


@pytest.mark.parametrize("label", ["answer", "ANSWER", "Answer", "aNSWER"])
def test_AP_14_the_label_is_read_in_any_case_and_the_action_keeps_its_own(label: str) -> None:
    assert read_reply(f"{label}: cheat, SCORE: 3") == Reply("cheat", 3.0, "3")


def test_AP_16_an_answer_that_names_two_moves_is_passed_on_whole() -> None:
    assert read_reply("Answer: [up] kills me, so [down]").action == "[up] kills me, so [down]"


@pytest.mark.parametrize(
    "reply", ["", " ", "\n\n", "I will not defect.", "Answer UP", "answers: UP", "The answer is UP."]
)
def test_AP_17_a_reply_without_the_label_has_no_default_action(reply: str) -> None:
    assert read_reply(reply) == UNREADABLE


def test_AP_19_full_width_digits_are_digits_and_other_digits_are_not() -> None:
    assert score_of("３") == 3
    assert score_of("−１．５") == -1.5
    for text in ("٣", "²", "1_0", "1²", "Ⅷ", "𝟑", "०", "1٣", "④", "0x10", "1j"):
        assert score_of(text) is None, text


@pytest.mark.parametrize("text", ["−3", "–3", "—3", "－3", "- 3", "-3", "**-3**", "$-3$", "−\u00a03", "−3)"])
def test_AP_20_a_minus_sign_is_never_lost(text: str) -> None:
    assert score_of(text) == -3
    assert read_reply(f"Answer: UP\nScore:\n{text}").score == -3


@pytest.mark.parametrize("text", ["--3", "-+3", "±3", "~3", "minus 3", "(-3)", "3-", "0-3"])
def test_AP_20_a_sign_that_is_not_understood_makes_the_score_missing(text: str) -> None:
    assert score_of(text) is None


def test_AP_21_a_comma_between_digits_is_not_read() -> None:
    assert score_of("0.7, I think") == 0.7
    for text in ("0,85", "1,000", "1, 000", ",", ",5", "1.000,5", "1 000", "1'000"):
        assert score_of(text) is None, text


def test_AP_22_a_score_out_of_a_whole_is_their_quotient() -> None:
    assert score_of("8 out of 10") == 0.8
    assert score_of("7/10") == 0.7
    assert score_of("4 / 5") == 0.8
    for text in ("8 out of ten", "8 of 10", "7/", "7/x", "1/2/3", "7/10 or 8/10", "8:10", "8/-10"):
        assert score_of(text) is None, text


def test_AP_23_zero_and_one_are_scores() -> None:
    assert [score_of("0"), score_of("1"), score_of("100"), score_of("0.0")] == [0, 1, 100, 0]
    assert score_of("") is None


def test_AP_24_a_score_is_never_clamped() -> None:
    assert [score_of(text) for text in ("0.85", "85", "85%", "-0.2", "7", "-120%")] == [0.85, 85, 0.85, -0.2, 7, -1.2]


def test_AP_25_a_fraction_sign_is_no_number_and_a_quotient_by_zero_is_missing() -> None:
    for text in ("½", "-½", "1½", "1 ½", "1/0", "1/0.0", "0/0", "1 out of 0"):
        assert score_of(text) is None, text
    assert score_of("1/4") == 0.25
    assert score_of("-1/4") == -0.25


NO_NUMBERS = (
    *(
        "1e309",
        "-1e309",
        "NaN",
        "nan",
        "Infinity",
        "-inf",
        "true",
        "null",
        "None",
        "[0.5]",
        "{}",
        "N/A",
        "1e308/1e-308",
    ),
    *(
        "1e999999999",
        "high",
        "?",
        "-",
        "+",
        ".",
        "e5",
        "1e",
        "1e+",
        "0.5 or 0.7",
        "0.5-0.7",
        "0.5 to 0.7",
        "≈0.5",
        "0.5x",
    ),
)


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_AP_26_what_is_no_finite_number_is_missing_and_the_action_stands(text: str) -> None:
    assert score_of(text) is None
    assert canonical_line(read_reply(f"Answer: UP, Score: {text}")) == "Answer: UP, Score: NA"


def test_AP_27_a_number_of_thousands_of_digits_is_missing() -> None:
    assert score_of("9" * 8_000) is None
    assert score_of("0." + "9" * 8_000) is None
    assert score_of("1/" + "9" * 8_000) is None
    assert read_reply('{"action":"UP","score":' + "9" * 8_000) == UNREADABLE


SHAPES = (
    *(
        "<think>",
        "<think ",
        "</think>",
        "[think]",
        "<",
        "answer",
        "answer:",
        "answer: <x>\n",
        "answer:\n<x>\n",
        "Score:",
    ),
    *("{", "[(", r"\boxed{", r"\[", " ", "\n", "\r", "`", "```\n", "> - ", "*", "9", "1/", "</a", "é", "\u3000", "- "),
)


@pytest.mark.parametrize("shape", SHAPES)
def test_AP_28_a_megabyte_of_one_shape_is_read_in_one_pass(shape: str) -> None:
    text = shape * (MEGABYTE // len(shape))
    assert read_reply(f"{text}</think>\nAnswer: UP, Score: 1") == Reply("UP", 1.0, "1")
    for reply in (read_reply(text), read_reply(f"Answer: {text}"), read_reply(f"Answer: UP, Score: {text}")):
        assert reply.action in (None, "", "UP")
        assert reply.score is None


@pytest.mark.parametrize(
    ("front", "back"),
    [("{", "}"), ("[", "]"), ("<b>", "</b>"), (r"\(", r"\)"), (r"\boxed{", "}"), ("", "}"), ("{", "")],
)
def test_AP_28_deep_nesting_is_taken_off(front: str, back: str) -> None:
    depth = 3_900 // len(front + back)
    assert read_reply(f"Answer: {front * depth}UP{back * depth}").action == "UP"


@pytest.mark.parametrize(
    ("reply", "action"),
    [
        (r"Answer: \boxed{UP}", "UP"),
        (r"Answer: $\boxed{\text{UP}}$", "UP"),
        (r"Answer: \boxed{(3, 4)}", "(3, 4)"),
        (r"Answer: \boxed{UP}.", "UP"),
        (r"Answer: \(\mathbf{UP}\)", "UP"),
        (r"Answer: \fbox{\texttt{UP}}", "UP"),
        (r"\boxed{Answer: UP}", "UP"),
        (r"\[ \boxed{Answer: UP} \]", "UP"),
        (r"$$\boxed{\text{Answer: UP}}$$", "UP"),
        (r"\textbf{Answer:} UP", "UP"),
        ("\\[\nAnswer: UP\n\\]", "UP"),
        (r"Answer: {UP}", "UP"),
        (r"Answer: UP}", "UP"),
        (r"Answer: {UP", "UP"),
        (r"Answer: \boxed{}", ""),
    ],
)
def test_AP_29_LaTeX_wrappers_leave_no_stray_brace(reply: str, action: str) -> None:
    assert read_reply(reply).action == action


@pytest.mark.parametrize(
    "reply",
    [
        r"\boxed{Answer: UP, Score: 1}",
        r"\boxed{\text{Answer: UP, Score: }1}",
        r"Answer: \boxed{UP}, Score: \boxed{1}",
        r"Answer: \boxed{UP, Score: 1}",
        r"\[ \text{Answer: UP}, \quad \text{Score: } 1 \]",
        r"Answer: \text{UP} \\ Score: 1",
        r"Answer: $UP$, Score: $1$",
    ],
)
def test_AP_29_LaTeX_wrappers_around_both_parts(reply: str) -> None:
    assert read_reply(reply) == Reply("UP", 1.0, "1")


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"])
def test_RN_01_a_separator_that_is_no_line_end_does_not_split_the_line(separator: str) -> None:
    assert read_reply(f"Answer: UP{separator}, Score: 1{separator}") == Reply("UP", 1.0, "1")
    assert read_reply(f"Answer: X 1 2;{separator}W 2 3, Score: 1").score == 1


@pytest.mark.parametrize("text", ["-0", "-0.0", "−0", "-0%", "-0/5", "-1e-999"])
def test_RP_11_minus_zero_is_zero(text: str) -> None:
    assert str(score_of(text)) == "0.0"
    assert not canonical_line(read_reply(f"Answer: UP, Score: {text}")).startswith("Answer: UP, Score: -")


def test_SX_06_control_sequences_do_not_reach_the_action() -> None:
    assert read_reply("Answer: \x1bUP\x1b[2J\x08\x07, Score: 1").action == "UP [2J"
    assert read_reply("Answer: U\x1bP\tx, Score: 1").action == "U P\tx"
