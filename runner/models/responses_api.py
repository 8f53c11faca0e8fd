"""The Responses API: what a request holds, and how its answers become the completions that they stand for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from typing import Literal

import openai
from openai.types.responses import EasyInputMessageParam

from protocol.messages import Message
from protocol.records import Decoding
from runner.models.api import Answering, Body, Request, common_fields
from runner.models.chat_reply import NoCompletionError
from runner.models.event_stream import DONE, Event, read_event

_LAST = ("response.completed", "response.incomplete", "response.failed")
_FINISHES = {"completed": "stop", "max_output_tokens": "length", "max_tokens": "length"}
"""What a status, or the reason of an incomplete response, is as a finish reason; a filter's goes by its own name."""
_COUNTS = {
    "input_tokens": "prompt_tokens",
    "output_tokens": "completion_tokens",
    "total_tokens": "total_tokens",
    "input_tokens_details": "prompt_tokens_details",
    "output_tokens_details": "completion_tokens_details",
}


class ResponsesApi:
    """`POST /responses`: each request stands alone, and nothing is stored."""

    kind: Literal["openai_responses"] = "openai_responses"
    noun = "a response"
    limit = "max_output_tokens"

    def fields(self, decoding: Decoding, *, usage: bool) -> Body:
        """Return the fields that decoding settings stand for; a stream's last event has its usage unasked."""
        found: dict[str, object] = {"store": False, **common_fields(decoding)}
        if decoding.reasoning_effort is not None:
            found["reasoning"] = {"effort": decoding.reasoning_effort}
        if decoding.stream:
            found["stream"] = True
        return found

    def send(self, client: openai.AsyncOpenAI, request: Request) -> AbstractAsyncContextManager[Answering]:
        """Send a request."""
        return client.responses.with_streaming_response.create(
            model=request.model,
            input=[_parameter(message) for message in request.messages],
            extra_body=request.body,
            extra_headers=request.headers,
        )

    def joiner(self) -> JoinedResponse:
        """Return what joins events."""
        return JoinedResponse()

    def completion(self, body: str) -> str:
        """Return a response as a chat completion: its text without reasoning, its refusal, its end, its usage."""
        try:
            response: object = json.loads(body)
        except (ValueError, RecursionError):
            return body
        if not isinstance(response, dict) or not isinstance(response.get("output"), list):
            return body
        return json.dumps(_completion(response))


class JoinedResponse:
    """Takes the whole response from the last event of a stream; what ends before that broke off."""

    def __init__(self) -> None:
        self._body: str | None = None

    def take(self, event: Event) -> bool:
        """Take an event; one that ends the response, or an error, is the last one."""
        if event.data.strip() == DONE:
            return True
        value = read_event(event)
        kind = value.get("type") or event.kind
        if kind in _LAST and isinstance(value.get("response"), dict):
            self._body = json.dumps(value["response"])
        elif kind == "error" or value.get("error"):
            self._body = json.dumps({"error": value.get("error") or value})
        return self._body is not None

    def body(self) -> str:
        """Return the response."""
        if self._body is None:
            raise NoCompletionError("a stream that broke off before its reply was finished")
        return self._body


def _completion(response: dict[str, object]) -> dict[str, object]:
    output = response["output"]
    items = [item for item in output if isinstance(item, dict)] if isinstance(output, list) else []
    message: dict[str, object] = {
        "role": "assistant",
        "content": "".join(_parts(items, "output_text", "text")),
        "refusal": "".join(_parts(items, "refusal", "refusal")) or None,
        "reasoning": any(item.get("type") == "reasoning" for item in items),
    }
    return {
        "id": response.get("id"),
        "model": response.get("model"),
        "error": _error(response),
        "choices": [{"index": 0, "message": message, "finish_reason": _finish(response)}],
        "usage": _usage(response.get("usage")),
    }


def _parts(items: list[dict[str, object]], kind: str, field: str) -> Iterator[str]:
    """Yield the texts of one kind of part of the messages; other items, such as reasoning, have none."""
    for item in items:
        content = item.get("content")
        if item.get("type", "message") == "message" and isinstance(content, list):
            for part in content:
                if isinstance(part, dict) and part.get("type") == kind and isinstance(part.get(field), str):
                    yield part[field]


def _finish(response: dict[str, object]) -> str | None:
    """Return the finish reason."""
    details = response.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    status = response.get("status")
    said = reason if status == "incomplete" else status
    return _FINISHES.get(said, said) if isinstance(said, str) else None


def _error(response: dict[str, object]) -> object:
    """Return why there is no reply: the endpoint's own words, or a status that is none of a finished response."""
    status = response.get("status")
    given = response.get("error")
    if given or status in (None, "completed", "incomplete"):
        return given
    return {"message": f"a response with the status {status}"}


def _usage(usage: object) -> object:
    """Return usage under the names that a chat completion has for it."""
    if not isinstance(usage, dict):
        return usage
    return {_COUNTS.get(name, name): count for name, count in usage.items()}


def _parameter(message: Message) -> EasyInputMessageParam:
    return EasyInputMessageParam(role=message.role, content=message.content)
