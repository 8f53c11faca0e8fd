"""What is kept of a reply while a bundle is verified: a short text that is read as the reply is.

Replies are nearly all of a bundle's size, and all that verification and scoring ask of one is its action, its
self-score and its kind, and of a summary's the memory that it gives. Where the whole text is not asked for, it is let
go as soon as its line is read.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from protocol.memory import uncut_memory
from protocol.records import MAX_STEPS, EpisodeRecord, MemoryRecord, StepRecord
from protocol.reply import EARLIER, Reply, gist, read_again, read_reply, second_answer
from protocol.spoken import spoken
from protocol.strictjson import Several


def kept_text(text: str) -> str:
    """Return a short text that is read as a reply is, and counts as it does; the reply itself if there is none.

    The kind of a reply without an answer hangs on whether it says anything at all.
    """
    plain = gist(text)
    if plain is not None:
        return plain
    reply = read_reply(text)
    if reply.action is None:
        shorts = ["?" if spoken(text).strip() else ""]
    else:
        said = f"{reply.action}, Score: {'NA' if reply.score_text is None else reply.score_text}"
        # An action that ends with a label of its own is read as one on the line below the label only.
        shorts = [f"Answer: {said}", f"Answer:\n{said}"]
    second = second_answer(text)
    if second:
        shorts = [f"{EARLIER}{short}" for short in shorts]
    return next((short for short in shorts if len(short) < len(text) and _is_read_as(short, reply, second)), text)


def _is_read_as(short: str, reply: Reply, second: bool) -> bool:
    return read_again(short) == reply and second_answer(short) == second


def kept_summary(text: str | None) -> str | None:
    """Return the text that a summary's reply gives a memory of, whatever the budget; the reply itself if need be."""
    if text is None:
        return None
    short = uncut_memory(text)
    return short if uncut_memory(short) == short else text


class KeptStep(StepRecord):
    """A step without the whole text of its reply."""

    reply: Annotated[str, AfterValidator(kept_text)]


class KeptEpisode(EpisodeRecord):
    """An episode without the whole texts of its replies."""

    steps: Annotated[Several[KeptStep], Field(max_length=MAX_STEPS)]


class KeptMemory(MemoryRecord):
    """A memory without the whole text of the reply that it was made from."""

    reply: Annotated[str | None, AfterValidator(kept_summary)]
