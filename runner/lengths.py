"""Tells a prompt that did not fit from a model that is silent, where a server answers both with 200 and no text."""

from __future__ import annotations

from collections.abc import Iterable

from runner.journal import Outcome
from runner.models.model import Answer

LONG_FROM = 1_500
"""Estimated tokens of a prompt that may not fit: with a reply, the smallest contexts that servers begin with hold so
many."""


class Lengths:
    """Knows the longest prompt that an endpoint has answered with any text.

    Args:
        outcomes: What is known from earlier sittings.
    """

    def __init__(self, outcomes: Iterable[Outcome]) -> None:
        self._answered = 0
        for outcome in outcomes:
            self.note(outcome)

    def note(self, outcome: Outcome) -> None:
        """Take in what came of a prompt."""
        if outcome.reply is not None and outcome.reply.strip():
            self._answered = max(self._answered, outcome.prompt_tokens)

    def may_not_fit(self, answer: Answer, tokens: int) -> bool:
        """Return whether an answer may stand for a prompt that was too long: one of a new length, and nothing came.

        An endpoint that never answered anything is silent for another reason. A model that has thought, or written
        anything, has had its prompt. What reached a token limit without a token, as far as the endpoint counts, was out
        of room before it began.

        Args:
            answer: What came.
            tokens: The estimate of the prompt.
        """
        if tokens < LONG_FROM or not 0 < self._answered < tokens or answer.text.strip():
            return False
        usage = answer.usage
        if answer.finish == "length":
            return usage.tokens_in is not None and usage.tokens_out is None
        return answer.finish in ("stop", "other") and (usage.tokens_out or 0) <= 1
