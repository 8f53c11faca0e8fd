"""The exact messages of a step, built from records alone, for who plays and for who scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from games.base import Config
from games.registry import AnyGame
from protocol.carry import CarriedStep, Carry, Cut, HashedCarry, episode_pieces
from protocol.messages import Hashing, Message
from protocol.prompts import HINTS, system_text, user_text
from protocol.tokens import MESSAGE_OVERHEAD, estimate, estimate_known, most

Pathway = Literal["history", "summary"]
SummaryMode = Literal["rebuild", "recursive"]


@dataclass(frozen=True, slots=True)
class Budget:
    """What a prompt may hold, in estimated tokens."""

    input_tokens: int
    memory_tokens: int
    cut_percent: int
    """When a prompt exceeds the input budget it is cut down to this share of it."""


class Dropped(NamedTuple):
    """What a prompt left out."""

    episodes: int
    """Whole exploration episodes of the carried history."""
    steps: int
    """Further steps of the exploration episode after those."""
    window: int
    """Oldest steps of the episode under way."""


class ContextOverflowError(Exception):
    """A prompt cannot fit the input budget, however much history is dropped."""


class _Own(NamedTuple):
    """One closed step of the episode under way."""

    user: str
    """What the player was told."""
    feedback: str
    recall: str
    line: str


class RunContext:
    """What a run carries from episode to episode: raw history, memory, and the cut of the history."""

    def __init__(
        self,
        game: AnyGame,
        pathway: Pathway,
        budget: Budget,
        *,
        mode: SummaryMode = "rebuild",
        system_role: bool = True,
    ) -> None:
        self.game = game
        self.pathway: Pathway = pathway
        self.budget = budget
        self.mode: SummaryMode = mode
        self.system_role = system_role
        self.system = system_text(game.rules)
        self.system_tokens = estimate(self.system)
        self.carry = Carry()
        self.cut = Cut()
        self.memory: str | None = None
        self.summary_cut = Cut()
        self._base = Hashing()
        self._base.add(self.system)
        if system_role:
            self._base.close("system")
        else:
            self._base.add("\n\n")
        self._hashed = HashedCarry(self.carry, self._base, HINTS)
        self._hashed_summary: tuple[str, HashedCarry] | None = None

    def episode(self, config: Config) -> EpisodeContext:
        """Return the context of a new episode; it starts from a copy of the run's cut."""
        return EpisodeContext(self, config)

    def explored(self, episode: EpisodeContext, last_feedback: str) -> None:
        """Carry a completed exploration episode on, and keep its cut. Failed and strict episodes never come here."""
        self.carry.add(episode.pieces(last_feedback))
        self.cut = episode.cut

    def summary_hash(self, head: str, cut: Cut) -> Hashing:
        """Return a hash of the head of a summary prompt and the history after a cut."""
        if self._hashed_summary is None or self._hashed_summary[0] != head:
            self._hashed_summary = (head, HashedCarry(self.carry, Hashing(), head))
        if self.carry.most_tokens(cut):
            return self._hashed_summary[1].at(cut)
        hashing = Hashing()
        hashing.add(head)
        return hashing

    def hint(self, cut: Cut) -> str:
        """Return the carried text of a first user message, with its heading; empty if nothing is carried."""
        if self.pathway == "summary":
            return f"{HINTS}{self.memory}\n\n" if self.memory is not None else ""
        text = self.carry.text(cut)
        return f"{HINTS}{text}" if text else ""

    def hint_parts(self, cut: Cut) -> list[str]:
        """Return ``hint(cut)`` in parts: what one prompt adds to another stands in parts of its own."""
        if self.pathway == "summary":
            return [self.hint(cut)] if self.memory is not None else []
        carried = self.carry.parts(cut)
        return [HINTS, *carried] if carried else []

    def hint_tokens(self, cut: Cut) -> int:
        """Return the estimate of ``hint(cut)`` without building a history."""
        if self.pathway == "summary":
            return estimate(self.hint(cut))
        left = self.carry.tokens(cut)
        return left + estimate(HINTS) if left else 0

    def most_hint_tokens(self, cut: Cut) -> int:
        """Return what ``hint_tokens(cut)`` cannot exceed, without counting."""
        if self.pathway == "summary":
            return most(self.hint(cut))
        left = self.carry.most_tokens(cut)
        return left + most(HINTS) if left else 0

    def numbers(self, config: Config) -> str:
        """Return what stands between what is carried and what the player is told first."""
        return f"{self.game.numbers(config)}\n\n"

    def fixed_tokens(self, numbers: str) -> int:
        """Return the estimate of what every prompt of an episode holds, with its first user message yet empty."""
        joint = MESSAGE_OVERHEAD if self.system_role else estimate_known("\n\n")
        return self.system_tokens + joint + estimate_known(numbers) + MESSAGE_OVERHEAD

    def hint_hash(self, cut: Cut) -> Hashing:
        """Return a hash of everything up to and including ``hint(cut)``."""
        if self.pathway == "summary":
            hashing = self._base.copy()
            hashing.add(self.hint(cut))
            return hashing
        return self._hashed.at(cut)


class EpisodeContext:
    """The growing prompt of one episode."""

    def __init__(self, run: RunContext, config: Config) -> None:
        self._run = run
        self._numbers = run.numbers(config)
        self.cut = run.cut
        self.window = 0
        self._own: list[_Own] = []
        self._tokens_before = [0]
        self._now = ("", "", "")
        self._now_tokens = 0
        self._fixed = run.fixed_tokens(self._numbers)
        self._words = estimate_known(user_text("", "", run.game.action_form))
        self._hash: Hashing | None = None
        self._hashed_steps = 0
        self._hash_now: Hashing | None = None
        """The hash of the whole current prompt, once it was asked for."""
        self._hint_tokens = run.hint_tokens(self.cut)

    def turn(self, feedback: str, observation: str, recall: str | None = None) -> None:
        """Make the prompt of the next step the current one, cut by the rule.

        Args:
            feedback: What the step before did; empty at the first step.
            observation: What the player sees now.
            recall: The observation as a carried history prints it, where that differs.

        Raises:
            ContextOverflowError: If the rules and the current observation alone exceed the budget.
        """
        user = user_text(feedback, observation, self._run.game.action_form)
        self._now = (user, feedback, observation if recall is None else recall)
        self._hash_now = None
        # Each text stands between line ends, and whole lines can be counted one by one.
        self._now_tokens = self._words + estimate(observation)
        if feedback:
            self._now_tokens += estimate_known(f"{feedback}\n\n")
        budget = self._run.budget.input_tokens
        target = budget * self._run.budget.cut_percent // 100
        if self._tokens() > budget:
            self._cut_history(target)
        if self._tokens() > budget:
            self._cut_window(target)
        if self._tokens() > budget:
            raise ContextOverflowError(
                f"{self._run.game.id}: the prompt without any history is {self._tokens()} estimated tokens, "
                f"the input budget is {budget}"
            )

    @property
    def digest(self) -> str:
        """Return the context digest of the current prompt."""
        return self._digest() if self._hash_now is None else self._hash_now.hexdigest()

    def shrink(self) -> None:
        """Cut the current prompt once more, after the server refused it as too long.

        Raises:
            ContextOverflowError: If there is nothing left to drop.
        """
        before = self.dropped
        target = self._tokens() * self._run.budget.cut_percent // 100
        self._cut_history(target)
        if self.dropped == before:
            self._cut_window(target)
        if self.dropped == before:
            raise ContextOverflowError(f"{self._run.game.id}: the server refuses a prompt that holds no history")

    def drop_to(self, dropped: Dropped) -> None:
        """Drop as much as a record says was dropped.

        Raises:
            ValueError: If that is no place in this history, or less than the rule drops.
        """
        cut = Cut(dropped.episodes, dropped.steps)
        reachable = self._run.carry.valid(cut) if self._run.pathway == "history" else cut == self.cut
        if not reachable or cut < self.cut or not self.window <= dropped.window <= len(self._own):
            raise ValueError(f"expected at least {self.dropped} within the history, got {dropped}")
        if dropped.window and self._run.pathway == "history" and cut.episodes < len(self._run.carry):
            raise ValueError(
                f"steps of the episode under way are dropped only after all carried history, got {dropped}"
            )
        self._move(cut, dropped.window)

    def answered(self, line: str) -> None:
        """Close the current step with the canonical line of its reply."""
        self._own.append(_Own(*self._now, line))
        if self._hash_now is not None:
            self._hash, self._hash_now = self._hash_now, None
            self._hash.add(line)
            self._hash.close("assistant")
            self._hashed_steps = len(self._own)
        tokens = self._now_tokens + estimate_known(line) + 2 * MESSAGE_OVERHEAD
        self._tokens_before.append(self._tokens_before[-1] + tokens)

    @property
    def dropped(self) -> Dropped:
        """Return what the current prompt leaves out."""
        return Dropped(self.cut.episodes, self.cut.steps, self.window)

    def messages(self) -> list[Message]:
        """Return the messages of the current prompt."""
        run = self._run
        users = [*(own.user for own in self._own[self.window :]), self._now[0]]
        first = f"{run.hint(self.cut)}{self._numbers}"
        if run.system_role:
            messages = [Message("system", run.system)]
        else:
            messages, first = [], f"{run.system}\n\n{first}"
        for index, user in enumerate(users):
            messages.append(Message("user", f"{first}{user}" if index == 0 else user))
            if index < len(users) - 1:
                messages.append(Message("assistant", self._own[self.window + index].line))
        return messages

    @property
    def tokens(self) -> int:
        """Return the estimate of the current prompt."""
        return self._tokens()

    def parts(self) -> list[str]:
        """Return the text of the current prompt in parts, from its start on, as a prefix cache meets it."""
        own = [text for each in self._own[self.window :] for text in (each.user, each.line)]
        return [self._run.system, *self._run.hint_parts(self.cut), self._numbers, *own, self._now[0]]

    def pieces(self, last_feedback: str) -> tuple[str, ...]:
        """Return this episode as a carried history holds it."""
        return episode_pieces([CarriedStep(own.feedback, own.recall, own.line) for own in self._own], last_feedback)

    def _tokens(self) -> int:
        own = self._tokens_before[-1] - self._tokens_before[self.window]
        return self._fixed + self._hint_tokens + own + self._now_tokens

    def _cut_history(self, target: int) -> None:
        if self._run.pathway == "history":
            rest = self._tokens() - self._hint_tokens
            self._move(self._run.carry.cut_to(self.cut, max(0, target - rest - estimate(HINTS))), self.window)

    def _cut_window(self, target: int) -> None:
        while self.window < len(self._own) and self._tokens() > target:
            self._move(self.cut, self.window + 1)

    def _move(self, cut: Cut, window: int) -> None:
        if (cut, window) != (self.cut, self.window):
            self.cut, self.window, self._hash, self._hash_now = cut, window, None, None
            self._hint_tokens = self._run.hint_tokens(cut)

    def _digest(self) -> str:
        """Hash the prompt; the state at the unchanged prefix is kept, so a step costs only its new text."""
        if self._hash is None:
            self._hash = self._run.hint_hash(self.cut)
            self._hash.add(self._numbers)
            self._hashed_steps = self.window
        for own in self._own[self._hashed_steps :]:
            self._close_step(self._hash, own)
        self._hashed_steps = len(self._own)
        self._hash_now = self._hash.copy()
        self._hash_now.add(self._now[0])
        self._hash_now.close("user")
        return self._hash_now.hexdigest()

    @staticmethod
    def _close_step(hashing: Hashing, own: _Own) -> None:
        hashing.add(own.user)
        hashing.close("user")
        hashing.add(own.line)
        hashing.close("assistant")
