"""Reads the body of a chat completion; nothing in it is trusted to be there or to be of its type."""

from __future__ import annotations

import json
import re

from protocol.records import Finish
from runner.models.chat_faults import kind_of, read_error
from runner.models.model import Answer, FaultKind, Usage

_MAX_NAME = 200
_MAX_COUNT = 2**53
_SURROGATE = re.compile("[\ud800-\udfff]")
_FINISHES: dict[str, Finish] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
}
_TEXT_PARTS = ("text", "output_text")


class NoCompletionError(Exception):
    """A body that is no chat completion; the message says what it is, in our words alone."""

    def __init__(self, message: str, kind: FaultKind = FaultKind.MALFORMED) -> None:
        super().__init__(message)
        self.kind = kind


def read_reply(body: str) -> Answer:
    """Return the reply that a body holds.

    Only `content` is read: reasoning stands in fields of its own, or in parts that are not text, and is never taken
    for the answer. A content that is null or missing is an empty reply.

    Raises:
        NoCompletionError: If the body is no chat completion.
    """
    completion = _completion(body)
    choices = completion.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        raise NoCompletionError("no choices in it")
    message = choice.get("message")
    finish = choice.get("finish_reason")
    if choice.get("error") or finish == "error":
        raise NoCompletionError("an error in place of its choice", kind_of(200, read_error(body)))
    if not isinstance(message, dict):
        raise NoCompletionError("no message in its choice")
    return Answer(
        text=scrub(_text(message.get("content"))),
        finish=_FINISHES.get(finish.lower(), "other") if isinstance(finish, str) else "other",
        usage=_usage(completion.get("usage")),
        model=_name(completion.get("model")),
        request_id=_name(completion.get("id")),
        fingerprint=_name(completion.get("system_fingerprint")),
    )


def scrub(text: str) -> str:
    """Return text with U+FFFD for lone surrogates, which no file can hold."""
    return _SURROGATE.sub("\ufffd", text)


def _completion(body: str) -> dict[str, object]:
    try:
        completion: object = json.loads(body)
    except (ValueError, RecursionError) as error:
        kind = "HTML" if body.lstrip()[:1] == "<" else "no JSON"
        raise NoCompletionError(f"{kind}; the base URL may be wrong") from error
    if not isinstance(completion, dict):
        raise NoCompletionError("no JSON object")
    if completion.get("error"):
        raise NoCompletionError("an error in place of a reply", kind_of(200, read_error(body)))
    return completion


def _text(content: object) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        raise NoCompletionError("a content that is neither text nor parts")
    return "".join(map(_part, content))


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict) or part.get("type", "text") not in _TEXT_PARTS:
        return ""
    text = part.get("text")
    return text if isinstance(text, str) else ""


def _usage(usage: object) -> Usage:
    if not isinstance(usage, dict):
        return Usage()
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    tokens_in = _count(usage.get("prompt_tokens")) or None
    # Nothing cached is a finding only where something was counted.
    tokens_cached = None if tokens_in is None else _count(cached)
    return Usage(tokens_in, _count(usage.get("completion_tokens")) or None, tokens_cached)


def _count(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MAX_COUNT:
        return None
    return value


def _name(value: object) -> str | None:
    return scrub(value[:_MAX_NAME]) if isinstance(value, str) and value else None
