"""Chat messages and the digest of exactly what was sent."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from protocol.tokens import MESSAGE_OVERHEAD, estimate

Role = Literal["system", "user", "assistant"]


class Message(NamedTuple):
    """One chat message."""

    role: Role
    content: str


def tokens_of(messages: Iterable[Message]) -> int:
    """Return the estimated tokens of a prompt."""
    return sum(estimate(message.content) + MESSAGE_OVERHEAD for message in messages)


class Hashing:
    """SHA-256 over messages that can be copied at a shared prefix.

    A message is its UTF-8 content, then its length in bytes (8 bytes, big-endian), then the first letter of its
    role. Lengths come last so that a prefix can be hashed before the message is complete; reading from the end,
    every digest input decodes to one sequence of messages only.
    """

    __slots__ = ("_length", "_sha")

    def __init__(self) -> None:
        self._sha = hashlib.sha256()
        self._length = 0

    def copy(self) -> Hashing:
        """Return an independent copy."""
        twin = Hashing.__new__(Hashing)
        twin._sha = self._sha.copy()
        twin._length = self._length
        return twin

    def add(self, text: str) -> None:
        """Add text to the message under way."""
        data = text.encode()
        self._sha.update(data)
        self._length += len(data)

    def close(self, role: Role) -> None:
        """End the message under way."""
        self._sha.update(self._length.to_bytes(8, "big") + role[0].encode())
        self._length = 0

    def dialogue(self, users: Sequence[str], lines: Sequence[str]) -> list[str]:
        """Add user messages, each answered by a line, and return the digest after each user message."""
        digests = []
        length, answered = self._length, b""
        for user, line in zip(users, lines, strict=True):
            told, said = user.encode(), line.encode()
            self._sha.update(b"".join((answered, told, (length + len(told)).to_bytes(8, "big"), b"u")))
            digests.append(self._sha.hexdigest())
            length, answered = 0, b"".join((said, len(said).to_bytes(8, "big"), b"a"))
        self._sha.update(answered)
        self._length = length
        return digests

    def hexdigest(self) -> str:
        """Return the digest of the messages so far."""
        return self._sha.hexdigest()


def messages_digest(messages: Iterable[Message]) -> str:
    """Return the context digest of a whole list of messages."""
    hashing = Hashing()
    for message in messages:
        hashing.add(message.content)
        hashing.close(message.role)
    return hashing.hexdigest()
