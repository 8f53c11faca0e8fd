"""What the loop asks of a model, and how a request can fail."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol, runtime_checkable

from games.base import State
from protocol.messages import Message
from protocol.records import Endpoint, Finish

TEMPERATURE_LEFT = "temperature left to the server"
"""How an adaptation begins that changes the decoding; the others change the form of a request only."""


class Usage(NamedTuple):
    """Tokens as the endpoint reports them; None where it does not."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None


NOTHING_COUNTED = Usage()


class Answer(NamedTuple):
    """One completed reply."""

    text: str
    """The reply without separate reasoning text; free of lone surrogates."""
    finish: Finish
    usage: Usage = NOTHING_COUNTED
    model: str | None = None
    """The model name that the endpoint reports."""
    request_id: str | None = None
    fingerprint: str | None = None


class FaultKind(StrEnum):
    """Why a request gave no completed reply; a closed list. None of them is ever an action or a score."""

    CONNECTION = "connection"
    TIMEOUT = "timeout"
    RATE_LIMIT = "rate_limit"
    QUOTA = "quota"
    SERVER = "server"
    REFUSED = "refused"
    """The endpoint refuses the request itself (a 4xx: wrong key, unknown model, bad parameter)."""
    OVERFLOW = "overflow"
    """The prompt is too long for the endpoint."""
    FILTERED = "filtered"
    """A content filter answered in place of the model (an error, not a reply)."""
    TRUNCATED = "truncated"
    """The token limit was reached, told by an error in place of what there is of the reply."""
    MALFORMED = "malformed"
    """An answer that is no chat completion (an error body with 200, no choices, HTML)."""

    @property
    def words(self) -> str:
        """Return the kind as people read it."""
        return self.value.replace("_", " ")


class TransportFaultError(Exception):
    """A request that gave no completed reply."""

    def __init__(
        self,
        kind: FaultKind,
        message: str,
        *,
        retry_after: float | None = None,
        refuses_all: bool = False,
        refuses_system: bool = False,
        blames_itself: bool = False,
        advice: str = "",
        usage: Usage = NOTHING_COUNTED,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.retry_after = retry_after
        """Seconds that the endpoint asks to wait, if it says so."""
        self.refuses_all = refuses_all
        """Whether it is of no single prompt: a wrong key, an unknown model, a wrong path, a page for people."""
        self.refuses_system = refuses_system
        """Whether the endpoint complains of the system message, or of how the roles of the messages follow."""
        self.blames_itself = blames_itself
        """Whether the endpoint says that it is down or overloaded, so that nothing follows about the prompt."""
        self.advice = advice
        """What to do about it, where it is known already from the first such answer."""
        self.usage = usage
        """What was counted all the same."""


class Model(Protocol):
    """A model that answers chat messages."""

    @property
    def endpoint(self) -> Endpoint:
        """Return what the manifest says of this model."""

    @property
    def adaptations(self) -> tuple[str, ...]:
        """Return how requests had to differ from what was asked for, in words; empty for most models."""

    async def ask(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        """Send one request and return its completed reply; never retry. Several may be under way at once.

        Raises:
            TransportFaultError: If no completed reply came.
        """

    async def close(self) -> None:
        """Release what the model holds."""


@runtime_checkable
class SeesState(Protocol):
    """A model that is shown the true state; what it plays is never submittable."""

    def seeing(self, state: State) -> Model:
        """Return the model for the one request that this state stands behind."""
