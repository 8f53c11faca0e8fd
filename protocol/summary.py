"""The prompt of a summary call, built from records alone, and what becomes of its reply."""

from __future__ import annotations

from protocol.carry import Cut
from protocol.context import ContextOverflowError, Dropped, RunContext
from protocol.messages import Message
from protocol.prompts import SUMMARY_EARLIER, SUMMARY_HISTORY, SUMMARY_RULE, summary_request
from protocol.tokens import MESSAGE_OVERHEAD, estimate


class SummaryPrompt:
    """The prompt of a summary call: rules, (in recursive mode) the last memory, and the cut history."""

    def __init__(self, run: RunContext) -> None:
        self._run = run
        self.cut = run.summary_cut
        earlier = f"{SUMMARY_EARLIER}{run.memory}\n\n" if run.mode == "recursive" and run.memory is not None else ""
        self._head = f"{SUMMARY_RULE}{run.game.rules}\n\n{earlier}{SUMMARY_HISTORY}"
        self._request = summary_request(run.budget.memory_tokens)
        self._fixed = estimate(self._head) + estimate(self._request) + MESSAGE_OVERHEAD
        if self._fixed + run.carry.most_tokens(self.cut) > run.budget.input_tokens < self.tokens:
            self._cut_to(run.budget.input_tokens * run.budget.cut_percent // 100)

    @property
    def tokens(self) -> int:
        """Return the estimate of the prompt."""
        return self._fixed + self._run.carry.tokens(self.cut)

    @property
    def digest(self) -> str:
        """Return the context digest."""
        hashing = self._run.summary_hash(self._head, self.cut)
        hashing.add(self._request)
        hashing.close("user")
        return hashing.hexdigest()

    def messages(self) -> list[Message]:
        """Return the one message of the call."""
        return [Message("user", f"{self._head}{self._run.carry.text(self.cut)}{self._request}")]

    def parts(self) -> list[str]:
        """Return the text of the prompt in parts, from its start on, as a prefix cache meets it."""
        return [self._head, *self._run.carry.parts(self.cut), self._request]

    def shrink(self) -> None:
        """Cut once more, after the server refused the prompt as too long.

        Raises:
            ContextOverflowError: If there is nothing left to drop.
        """
        before = self.cut
        self._cut_to(self.tokens * self._run.budget.cut_percent // 100)
        if self.cut == before:
            raise ContextOverflowError(f"{self._run.game.id}: the server refuses a summary prompt without history")

    @property
    def dropped(self) -> Dropped:
        """Return what the prompt leaves out."""
        return Dropped(self.cut.episodes, self.cut.steps, 0)

    def drop_to(self, dropped: Dropped) -> None:
        """Drop as much as a record says was dropped.

        Raises:
            ValueError: If that is no place in this history, or less than the rule drops.
        """
        cut = Cut(dropped.episodes, dropped.steps)
        if cut < self.cut or dropped.window or not self._run.carry.valid(cut):
            raise ValueError(f"expected at least {self.dropped} within the history, got {dropped}")
        self.cut = cut

    def remember(self, memory: str) -> None:
        """Make the text that came of this prompt the memory of the run, and keep the prompt's cut."""
        self._run.memory = memory
        self._run.summary_cut = Cut(len(self._run.carry)) if self._run.mode == "recursive" else self.cut

    def _cut_to(self, target: int) -> None:
        self.cut = self._run.carry.cut_to(self.cut, max(0, target - self._fixed))
