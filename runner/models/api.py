"""The two ways in which an OpenAI-compatible endpoint is asked; both are read as a chat completion."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Literal, NamedTuple, Protocol

import openai

from protocol.messages import Message
from protocol.records import Decoding
from runner.models.event_stream import Joiner

Body = Mapping[str, object]


class Request(NamedTuple):
    """One request, as the SDK takes it."""

    model: str
    messages: Sequence[Message]
    body: Body
    """The fields beside model and messages."""
    headers: Mapping[str, str]


class Answering(Protocol):
    """An answer whose body is yet to be read."""

    @property
    def headers(self) -> Mapping[str, str]:
        """Return its headers; names are found in lower case."""

    def iter_bytes(self) -> AsyncIterator[bytes]:
        """Yield the body in pieces."""


class Api(Protocol):
    """One of the APIs."""

    @property
    def kind(self) -> Literal["openai_chat", "openai_responses"]:
        """Return what the manifest calls an endpoint that is asked in this way."""

    @property
    def noun(self) -> str:
        """Return what an answer is called."""

    @property
    def limit(self) -> str:
        """Return the name of the field that bounds new tokens."""

    def fields(self, decoding: Decoding, *, usage: bool) -> Body:
        """Return the fields that decoding settings stand for.

        Args:
            decoding: The settings.
            usage: Whether a stream is asked for its usage.
        """

    def send(self, client: openai.AsyncOpenAI, request: Request) -> AbstractAsyncContextManager[Answering]:
        """Send a request whose answer is read in pieces."""

    def joiner(self) -> Joiner:
        """Return what joins the events of a stream to one body."""

    def completion(self, body: str) -> str:
        """Return a body in the form of a chat completion; one that is no answer stays as it is."""


def common_fields(decoding: Decoding) -> Body:
    """Return the fields that both APIs have under one name, and whatever else is to be sent."""
    found: dict[str, object] = {"temperature": decoding.temperature, "top_p": decoding.top_p}
    return {name: value for name, value in found.items() if value is not None}
