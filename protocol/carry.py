"""Carried exploration history: its text, its cut and its digests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from protocol.messages import Hashing
from protocol.tokens import estimate, most


class Cut(NamedTuple):
    """Where a carried history begins: everything before this step of this episode is dropped."""

    episodes: int = 0
    steps: int = 0


class CarriedStep(NamedTuple):
    """One exploration step as it is carried."""

    feedback: str
    """What the step before it did; empty at the first step."""
    recall: str
    """The observation, as the game prints it in a carried history."""
    line: str
    """The canonical answer line."""


def episode_pieces(steps: Sequence[CarriedStep], last_feedback: str) -> tuple[str, ...]:
    """Return the text of an exploration episode, one piece a step.

    Each piece ends in a newline, so that pieces can be counted and hashed one by one.
    """
    pieces = []
    for step in steps:
        before = f"{step.feedback}\n" if step.feedback else ""
        pieces.append(f"Env: {before}{step.recall}\nLLM: {step.line}\n")
    if pieces:
        pieces[-1] += f"Env: {last_feedback}\n\n"
    return tuple(pieces)


class Carry:
    """The exploration episodes of a run, oldest first; it only grows."""

    def __init__(self) -> None:
        self._episodes: list[tuple[str, ...]] = []
        self._before: list[list[int]] = []
        """The estimate of all that stands before each piece, for the episodes that were counted: the first ones."""
        self._total = 0
        """The estimate of the episodes that were counted."""
        self._most = [0]
        """What the estimate of the first episodes cannot exceed."""

    def __len__(self) -> int:
        return len(self._episodes)

    def add(self, pieces: tuple[str, ...]) -> None:
        """Append one exploration episode; it is counted when an exact number is asked for."""
        self._episodes.append(pieces)
        self._most.append(self._most[-1] + sum(map(most, pieces)))

    def tokens(self, cut: Cut) -> int:
        """Return the estimate of what is left after a cut."""
        for pieces in self._episodes[len(self._before) :]:
            before = []
            for piece in pieces:
                before.append(self._total)
                self._total += estimate(piece)
            self._before.append(before)
        return self._counted(cut)

    def most_tokens(self, cut: Cut) -> int:
        """Return what ``tokens(cut)`` cannot exceed, and that itself as far as it is known; 0 if nothing is left."""
        counted = len(self._before)
        if cut.episodes < counted:
            return self._counted(cut) + self._most[-1] - self._most[counted]
        return self.tokens(cut) if cut.steps else self._most[-1] - self._most[min(cut.episodes, len(self))]

    def _counted(self, cut: Cut) -> int:
        """Return the estimate of what is left of the counted episodes after a cut."""
        for before in self._before[cut.episodes :]:
            if cut.steps < len(before):
                return self._total - before[cut.steps]
            cut = Cut()
        return 0

    def valid(self, cut: Cut) -> bool:
        """Return whether a cut is a place in this history (or its very end)."""
        if cut.episodes == len(self):
            return cut.steps == 0
        return 0 <= cut.episodes < len(self) and 0 <= cut.steps < max(1, len(self._episodes[cut.episodes]))

    def cut_to(self, cut: Cut, allowed: int) -> Cut:
        """Move a cut forward until what is left fits: oldest whole episodes first, then steps of the newest."""
        episodes, steps = cut
        while episodes + 1 < len(self) and self.tokens(Cut(episodes, steps)) > allowed:
            episodes, steps = episodes + 1, 0
        while episodes < len(self) and self.tokens(Cut(episodes, steps)) > allowed:
            steps += 1
            if steps >= len(self._episodes[episodes]):
                episodes, steps = episodes + 1, 0
        return Cut(episodes, steps)

    def text(self, cut: Cut) -> str:
        """Return the text after a cut."""
        return "".join(self.parts(cut))

    def parts(self, cut: Cut) -> list[str]:
        """Return the text after a cut, a piece a step."""
        return [piece for pieces in self._from(cut) for piece in pieces]

    def hash_into(self, hashing: Hashing, cut: Cut) -> None:
        """Add the text after a cut to a hash."""
        for pieces in self._from(cut):
            hashing.add("".join(pieces))

    def _from(self, cut: Cut) -> list[tuple[str, ...]]:
        kept = self._episodes[cut.episodes :]
        if cut.steps:
            kept[0] = kept[0][cut.steps :]
        return kept


class HashedCarry:
    """A hash of fixed text followed by a carry, kept so that appended episodes cost only themselves."""

    _KEPT = 4

    def __init__(self, carry: Carry, base: Hashing, head: str) -> None:
        self._carry = carry
        self._base = base
        self._head = head
        self._known: dict[Cut, tuple[int, Hashing]] = {}

    def at(self, cut: Cut) -> Hashing:
        """Return a fresh hash of the base, the head and the carry after a cut (the head only if any is left)."""
        episodes, hashing = self._known.get(cut) or (cut.episodes, self._base.copy())
        if episodes < len(self._carry):
            hashing = hashing.copy()
            if cut not in self._known:
                hashing.add(self._head)
                self._carry.hash_into(hashing, cut)
            else:
                self._carry.hash_into(hashing, Cut(episodes))
            while len(self._known) >= self._KEPT:
                del self._known[next(iter(self._known))]
            self._known[cut] = (len(self._carry), hashing)
        return hashing.copy()
