"""What a reply says: its text without thinking, up to where the model's turn ends.

The rule is step 1 of docs/reference/reply.md; `protocol.marks` finds the marks that it speaks of.
"""

from __future__ import annotations

from enum import StrEnum
from itertools import chain

from protocol.marks import CHANNEL, DETAILS, Does, Mark, marks, may_hold_marks

_BARE_LABEL = "thought\n"
"""What Gemma's channel leaves of itself without special tokens."""


class Leak(StrEnum):
    """What a server should have kept apart from the text of a reply."""

    CHANNELS = "channels"
    THINKING = "thinking"
    TURNS = "tokens of turns"


_LEAKS = {
    **dict.fromkeys((Does.OPEN, Does.CLOSE, Does.EMPTY), Leak.THINKING),
    **dict.fromkeys((Does.THINKS, Does.ANSWERS), Leak.CHANNELS),
    **dict.fromkeys((Does.MESSAGE_END, Does.TURN_END, Does.OWN_TURN), Leak.TURNS),
}


def leak(text: str) -> Leak | None:
    """Return what the first mark of a reply shows that a server hands on; None if there is none."""
    # The end of a block that anybody may fold away says nothing without its beginning.
    mark = next((each for each in marks(text) if (each.does, each.family) != (Does.CLOSE, DETAILS)), None)
    if mark is None:
        return Leak.CHANNELS if text.startswith(_BARE_LABEL) else None
    return Leak.CHANNELS if mark.family == CHANNEL else _LEAKS[mark.does]


def spoken(text: str) -> str:
    """Return what a reply says: without thinking, each block replaced by one blank, up to the end of the turn."""
    if not may_hold_marks(text):
        return text
    found = marks(text)
    first = next(found, None)
    if first is None:
        return text
    reading = _Reading(text)
    for mark in chain((first,), found):
        if reading.takes(mark):
            return " ".join(reading.kept)
    if not reading.blocks:
        reading.kept.append(text[reading.start :])
    return " ".join(reading.kept)


class _Reading:
    """A reply, read as far as some mark."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.kept: list[str] = []
        self.start = 0
        """Where what is not yet kept begins, outside of thinking."""
        self.blocks: list[str] = []
        """The families of the blocks that are open, outermost first; each stands once."""
        self._says = False
        self._answers = False

    def takes(self, mark: Mark) -> bool:
        """Go on behind a mark, and tell whether the reply ends at it."""
        does = mark.does
        if does is Does.CLOSE:
            self._close(mark)
        elif does is Does.ANSWERS:
            self._answer(mark)
        elif does is Does.MESSAGE_END and CHANNEL in self.blocks:
            self._close(mark._replace(family=CHANNEL))
        elif does is Does.THINKS and CHANNEL in self.blocks:
            # A message begins, so the one before is over, and with it what was opened in it.
            del self.blocks[self.blocks.index(CHANNEL) + 1 :]
        elif does in (Does.OPEN, Does.THINKS):
            self._open(mark)
        elif not self.blocks:
            self._keep(mark)
            return does in (Does.TURN_END, Does.MESSAGE_END) or (does is Does.OWN_TURN and self._says)
        return False

    def _keep(self, mark: Mark) -> None:
        piece = self._text[self.start : mark.start]
        self._says = self._says or (bool(piece) and not piece.isspace())
        self.kept.append(piece)
        self.start = mark.end

    def _open(self, mark: Mark) -> None:
        if mark.family not in self.blocks:
            if not self.blocks:
                self._keep(mark)
            self.blocks.append(mark.family)

    def _close(self, mark: Mark) -> None:
        if mark.family in self.blocks:
            del self.blocks[self.blocks.index(mark.family) :]
        elif self.blocks or mark.family == DETAILS:
            return
        else:
            self._forget()
        self.start = mark.end

    def _answer(self, mark: Mark) -> None:
        if not self._answers:
            self._forget()
        elif not self.blocks:
            self._keep(mark)
        self.blocks.clear()
        self._answers = True
        self.start = mark.end

    def _forget(self) -> None:
        """Let go of everything before: it was thinking, and where it began is not in the text."""
        self.kept.clear()
        self._says = False
