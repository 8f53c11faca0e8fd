"""The words of every prompt that do not belong to one game."""

from __future__ import annotations

REPLY_CONTRACT = """\
Reply contract:
End your reply with one line of this form:
Answer: <ACTION>, Score: <SELF-SCORE>
<ACTION> is your action for this step. <SELF-SCORE> is a number: your own estimate of the immediate reward that this \
action earns under the scoring of the game; it is not a confidence.
You may think before that line; only the last such line is read.
To end the episode, write END as the action and 0 as the self-score."""

HINTS = "Hint Messages:\n"
STATE = "Current Game State:\n"
DECIDE = "\n\nChoose your action now. Your last line must be:\n"

SUMMARY_RULE = "Rule:\n"
SUMMARY_EARLIER = "Earlier tips:\n"
SUMMARY_HISTORY = "History:\n"
SUMMARY_REQUEST = """\
Please summarize practical experience and recommendations from the history above, for playing this game again on \
other boards and under stricter rules. Write bullet points in three sections:
Strategies to retain:
Mistakes to avoid:
Directions for next time:
Use at most {words} words.
Tips:"""


def system_text(rules: str) -> str:
    """Return the system message: the game's rules and the reply contract, the same for every config."""
    return f"{rules}\n\n{REPLY_CONTRACT}"


def user_text(feedback: str, observation: str, action_form: str) -> str:
    """Return what the player is told at one step of the episode, with the form of the line that is asked for."""
    before = f"{feedback}\n\n" if feedback else ""
    return f"{before}{STATE}{observation}{DECIDE}Answer: {action_form}, Score: <SELF-SCORE>"


def summary_request(memory_tokens: int) -> str:
    """Return the closing words of a summary call."""
    return SUMMARY_REQUEST.format(words=memory_tokens // 2)
