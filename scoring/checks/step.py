"""What the verification steps share: their identity and the collecting of faults."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from protocol.errors import BundleError
from scoring.crew import Tick, never
from scoring.report import Fault

MAX_FAULTS = 10


@dataclass(frozen=True, slots=True)
class Step:
    """One numbered verification step; its code is stable."""

    number: int
    code: str
    title: str


class EnoughError(Exception):
    """A step has found as many faults as it reports."""


@dataclass(slots=True)
class Faults:
    """The faults of one step, up to ten."""

    step: Step
    found: list[Fault] = field(default_factory=list)
    detail: str = ""
    """What was checked, with counts."""
    tick: Tick = never
    """Called often while a step works; it may raise to break the verification off."""

    def add(self, error: BundleError) -> None:
        """Note a fault.

        Raises:
            EnoughError: At the tenth.
        """
        fault = Fault(
            code=self.step.code,
            file=error.file,
            place=error.place,
            step=error.step,
            expected=error.expected,
            got=error.got,
            remedy=error.remedy,
        )
        self.take([fault])

    def take(self, found: Iterable[Fault]) -> None:
        """Note faults that were found in a part of the step.

        Raises:
            EnoughError: At the tenth of all.
        """
        for fault in found:
            self.found.append(fault)
            if len(self.found) >= MAX_FAULTS:
                raise EnoughError

    @contextmanager
    def catching(self) -> Iterator[None]:
        """Note a fault that is raised inside, and go on."""
        try:
            yield
        except BundleError as error:
            self.add(error)
