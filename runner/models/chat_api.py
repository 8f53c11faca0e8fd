"""Chat completions: what a request holds, and how a stream of chunks becomes the completion that it stands for."""

from __future__ import annotations

import json
from contextlib import AbstractAsyncContextManager
from typing import Literal

import openai
from openai.types.chat import (
    ChatCompletionAssistantMessageParam,
    ChatCompletionMessageParam,
    ChatCompletionSystemMessageParam,
    ChatCompletionUserMessageParam,
)

from protocol.messages import Message
from protocol.records import Decoding
from runner.models.api import Answering, Body, Request, common_fields
from runner.models.chat_reply import NoCompletionError, read_usage
from runner.models.event_stream import DONE, MAX_KEPT, Event, read_event
from runner.models.reasoning import FIELDS

_TOLD = ("id", "model", "system_fingerprint", "usage", "error")
"""What stands beside the choices; the last chunk that has it tells it."""


class ChatApi:
    """`POST /chat/completions`."""

    kind: Literal["openai_chat"] = "openai_chat"
    noun = "a chat completion"
    limit = "max_tokens"

    def fields(self, decoding: Decoding, *, usage: bool) -> Body:
        """Return the fields that decoding settings stand for."""
        found = dict(common_fields(decoding))
        if decoding.sampling_seed is not None:
            found["seed"] = decoding.sampling_seed
        if decoding.reasoning_effort is not None:
            found["reasoning_effort"] = decoding.reasoning_effort
        if decoding.stream:
            found["stream"] = True
        if decoding.stream and usage:
            found["stream_options"] = {"include_usage": True}
        return found

    def send(self, client: openai.AsyncOpenAI, request: Request) -> AbstractAsyncContextManager[Answering]:
        """Send a request."""
        return client.chat.completions.with_streaming_response.create(
            model=request.model,
            messages=[_parameter(message) for message in request.messages],
            extra_body=request.body,
            extra_headers=request.headers,
        )

    def joiner(self) -> JoinedChat:
        """Return what joins chunks."""
        return JoinedChat()

    def completion(self, body: str) -> str:
        """Return the body: it is a chat completion."""
        return body


class JoinedChat:
    """Joins chunks to a completion.

    A reply is whole when its finish reason has come; what ends before that broke off, however much of it came. Of
    reasoning is kept that there was some.
    """

    def __init__(self) -> None:
        self._told: dict[str, object] = {}
        self._content: list[str | dict[str, object]] = []
        self._refusal: list[str] = []
        self._reasoning: dict[str, object] = {}
        self._ending: dict[str, object] = {}
        self._kept = 0

    def take(self, event: Event) -> bool:
        """Take a chunk; the word that ends a stream, or an error, is the last one."""
        if event.data.strip() == DONE:
            return True
        chunk = read_event(event)
        if event.kind == "error" and not chunk.get("error"):
            chunk = {"error": chunk}
        self._told |= {name: chunk[name] for name in _TOLD if chunk.get(name)}
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else []:
            if isinstance(choice, dict) and not choice.get("index"):
                self._take_choice(choice)
        return "error" in self._told

    def body(self) -> str:
        """Return the completion."""
        if "error" not in self._told and not self._ending:
            broken = NoCompletionError("a stream that broke off before its reply was finished")
            # Some servers count in every chunk.
            broken.usage = read_usage(json.dumps(self._told))
            raise broken
        whole = all(isinstance(each, str) for each in self._content)
        content = "".join(map(str, self._content)) if whole else self._content
        refusal = "".join(self._refusal) or None
        message = {"role": "assistant", "content": content, "refusal": refusal, **self._reasoning}
        return json.dumps({**self._told, "choices": [{"index": 0, "message": message, **self._ending}]})

    def _take_choice(self, choice: dict[str, object]) -> None:
        delta = choice.get("delta")
        for name in ("finish_reason", "error"):
            if choice.get(name):
                self._ending[name] = choice[name]
        if not isinstance(delta, dict):
            return
        content, refusal = delta.get("content"), delta.get("refusal")
        for part in content if isinstance(content, list) else [content]:
            if isinstance(part, (str, dict)) and part:
                self._kept_more(len(part) if isinstance(part, str) else len(json.dumps(part)))
                self._content.append(part)
        if isinstance(refusal, str):
            self._kept_more(len(refusal))
            self._refusal.append(refusal)
        for name in FIELDS:
            if delta.get(name):
                self._reasoning[name] = True

    def _kept_more(self, size: int) -> None:
        self._kept += size
        if self._kept > MAX_KEPT:
            raise NoCompletionError(f"a streamed reply of more than {MAX_KEPT} bytes")


def _parameter(message: Message) -> ChatCompletionMessageParam:
    if message.role == "system":
        return ChatCompletionSystemMessageParam(role="system", content=message.content)
    if message.role == "assistant":
        return ChatCompletionAssistantMessageParam(role="assistant", content=message.content)
    return ChatCompletionUserMessageParam(role="user", content=message.content)
