"""Reads chat messages back into what they were built from; all that a built-in model knows comes from here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from protocol.messages import Message
from protocol.prompts import (
    DECIDE,
    HINTS,
    REPLY_CONTRACT,
    STATE,
    SUMMARY_EARLIER,
    SUMMARY_HISTORY,
    SUMMARY_REQUEST,
    SUMMARY_RULE,
)
from protocol.reply import UNREADABLE, canonical_line, read_reply

ENV, LLM = "Env: ", "LLM: "
NO_ACTION = ""
"""What stands for the action of a past step that has none."""
_NOT_READ = canonical_line(UNREADABLE)
_CLOSING, _TIPS = SUMMARY_REQUEST.split("{words}")
_REQUESTED = re.compile(rf"{re.escape(_CLOSING)}(\d{{1,9}}){re.escape(_TIPS)}\Z", re.ASCII)


class PastStep(NamedTuple):
    """One answered step, as the prompt tells it."""

    observation: str
    action: str
    """``NO_ACTION`` if the reply could not be read, or gave an empty one."""
    score: float | None
    """The self-score as given; None if it cannot be read as a number."""
    feedback: str
    """What the action did; empty where the prompt does not tell."""


PastEpisode = tuple[PastStep, ...]


class StepPrompt(NamedTuple):
    """The prompt of one step of an episode."""

    rules: str
    carried: str
    """The carried text, with what follows it in the first user message; empty if nothing is carried."""
    own: PastEpisode
    """This episode's own earlier steps."""
    observation: str
    opening: str = ""
    """What stands before the first state of the episode: the carried text, then the numbers of the config."""


class SummaryPrompt(NamedTuple):
    """The prompt of a summary call."""

    rules: str
    earlier: str
    """The tips that stood before; empty if there are none."""
    history: str
    words: int
    """The number of words asked for at most."""


def read_step(messages: Sequence[Message]) -> StepPrompt | None:
    """Return the step that the messages ask for, or None if they do not end in a current state."""
    users = [message.content for message in messages if message.role == "user"]
    answers = [message.content for message in messages if message.role == "assistant"]
    if not users or messages[-1].role != "user" or STATE not in users[-1] or len(answers) != len(users) - 1:
        return None
    opening = "\n\n".join([*(message.content for message in messages if message.role == "system"), users[0]])
    rules, _, rest = opening.partition(REPLY_CONTRACT)
    before = rest.rpartition(STATE)[0]
    carried = before.partition(HINTS)[2]
    own = tuple(
        PastStep(user.rpartition(STATE)[2].partition(DECIDE)[0], *read_line(answer), after.rpartition(STATE)[0].strip())
        for user, answer, after in zip(users, answers, users[1:], strict=False)
    )
    return StepPrompt(rules.strip(), carried, own, users[-1].rpartition(STATE)[2].partition(DECIDE)[0], before)


def read_summary(messages: Sequence[Message]) -> SummaryPrompt | None:
    """Return the summary that the messages ask for, or None if they ask for none."""
    if not messages or messages[-1].role != "user":
        return None
    text = messages[-1].content
    requested = _REQUESTED.search(text, max(0, len(text) - len(_CLOSING) - len(_TIPS) - 9))
    if requested is None or not text.startswith(SUMMARY_RULE):
        return None
    head, _, history = text[len(SUMMARY_RULE) : requested.start()].partition(f"\n\n{SUMMARY_HISTORY}")
    rules, _, earlier = head.partition(f"\n\n{SUMMARY_EARLIER}")
    return SummaryPrompt(rules, earlier, history, int(requested[1]))


def read_line(line: str) -> tuple[str, float | None]:
    """Return the action and the self-score of a canonical answer line.

    The line that stands for an unreadable reply gives ``NO_ACTION``, though by itself it reads as the action INVALID: a
    player that looks back sees a step that was refused, and no word that it could try itself.
    """
    reply = UNREADABLE if line == _NOT_READ else read_reply(line)
    return reply.action or NO_ACTION, reply.score


def read_history(text: str) -> list[PastEpisode]:
    """Return the episodes of a carried history, oldest first; the first may lack its beginning."""
    blocks = f"\n{text}".split(f"\n{ENV}")[1:]
    parts = [block.partition(f"\n{LLM}") for block in blocks]
    episodes: list[PastEpisode] = []
    steps: list[PastStep] = []
    fresh = True
    for index, (seen, answered, line) in enumerate(parts):
        if not answered:
            fresh = True
            if steps:
                episodes.append(tuple(steps))
            steps = []
            continue
        observation = seen if fresh else seen.partition("\n")[2]
        fresh = False
        feedback = parts[index + 1][0].partition("\n")[0] if index + 1 < len(parts) else ""
        steps.append(PastStep(observation, *read_line(line.rstrip("\n")), feedback))
    if steps:
        episodes.append(tuple(steps))
    return episodes
