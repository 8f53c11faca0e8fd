"""The error whose fault is the sender's."""

from __future__ import annotations


class BundleError(Exception):
    """Something that came from outside breaks a rule; the message says where, what, and what to do."""

    def __init__(
        self, file: str, expected: str, got: str, remedy: str, *, place: str | None = None, step: int | None = None
    ) -> None:
        where = file
        if place:
            where += f", {place}"
        if step is not None:
            where += f", step {step}"
        super().__init__(f"{where}: expected {expected}, got {got}. {remedy}")
        self.file = file
        self.place = place
        self.step = step
        self.expected = expected
        self.got = got
        self.remedy = remedy
