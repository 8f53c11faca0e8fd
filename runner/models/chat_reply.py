"""Reads the body of a chat completion; nothing in it is trusted to be there or to be of its type."""

from __future__ import annotations

import json
import re
from typing import Literal

from protocol.records import MAX_TAKEN, Finish
from runner.models.chat_faults import kind_of, read_error
from runner.models.model import Answer, FaultKind, Usage

_MAX_NAME = 200
MAX_PADDING = 100
"""Blanks at the end of a reply that are kept; some models write blanks until they reach their token limit."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_FINISHES: dict[str, Finish] = {
    **dict.fromkeys(("stop", "eos", "eos_token", "end_turn", "stop_sequence"), "stop"),
    **dict.fromkeys(("length", "max_tokens", "model_length", "model_context_window_exceeded"), "length"),
    **dict.fromkeys(
        ("content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii", "sensitive"),
        "content_filter",
    ),
    "refusal": "refusal",
}
"""Finish reasons in lower case; some endpoints hand on those of the service behind them."""
_BROKEN_OFF = frozenset(("error", "abort", "network_error", "insufficient_system_resource"))
"""Finish reasons of an endpoint that stopped before the model did."""
_PARTS = {"text": ("text", "output_text"), "refusal": ("refusal",)}
_EVENTS = ("data:", "event:", "id:", "retry:", ": ")
"""How the lines of a stream begin (HTML standard, "Server-sent events"); the last one is a comment."""
_A_PAGE = "a page for people answers there; check the base URL"
_A_STREAM = "the endpoint streams its answer to a plain request; ask for a stream with --stream, or turn it off there"
_NO_TEXT = "the endpoint puts something else than text into `content`; look how it makes its replies"


class NoCompletionError(Exception):
    """A body that is no chat completion; the message says what it is, in our words alone."""

    def __init__(self, message: str, kind: FaultKind = FaultKind.MALFORMED, *, advice: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.advice = advice
        """What to do about an endpoint that answers like this always; empty if another answer may be better."""
        self.usage = Usage()
        """What it counts all the same."""


def read_reply(body: str) -> Answer:
    """Return the reply that a body holds.

    Only `content` is read: reasoning stands in fields of its own, or in parts that are not text, and is never taken
    for the answer. A model that declines may say so in `refusal`, as a field or as a part of the content: those are its
    words where there are no others. A content that is null or missing is an empty reply.

    Raises:
        NoCompletionError: If the body is no chat completion; it holds what was counted.
    """
    completion = _completion(body)
    try:
        return _reply(completion, body)
    except NoCompletionError as error:
        error.usage = _usage(completion.get("usage"))
        raise


def read_usage(error_body: str) -> Usage:
    """Return what an error body counts, beside its error or in it; nothing raises."""
    try:
        value: object = json.loads(error_body)
    except (ValueError, RecursionError):
        return Usage()
    inner = value.get("error") if isinstance(value, dict) else None
    tables = [each for each in (value, inner) if isinstance(each, dict)]
    return next((_usage(each["usage"]) for each in tables if "usage" in each), Usage())


def _reply(completion: dict[str, object], body: str) -> Answer:
    if completion.get("error"):
        raise NoCompletionError("an error in place of a reply", kind_of(200, read_error(body)))
    choices = completion.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        raise NoCompletionError("no choices in it")
    message = choice.get("message")
    finish = _word(choice.get("finish_reason"))
    if choice.get("error") or finish in _BROKEN_OFF:
        raise NoCompletionError("an error in place of its choice", kind_of(200, read_error(body)))
    if not isinstance(message, dict):
        raise NoCompletionError("no message in its choice")
    said, refusal = _text(message.get("content"), "text"), _refusal(message)
    declined = bool(refusal.strip())
    return Answer(
        text=without_padding(scrub(refusal if declined and not said.strip() else said)),
        finish="refusal" if declined else _FINISHES.get(finish, "other"),
        usage=_usage(completion.get("usage")),
        model=_name(completion.get("model")),
        request_id=_name(completion.get("id")),
        fingerprint=_name(completion.get("system_fingerprint")),
    )


def scrub(text: str) -> str:
    """Return text with U+FFFD for lone surrogates, which no file can hold."""
    return _SURROGATE.sub("\ufffd", text)


def without_padding(text: str) -> str:
    """Return a reply without the blanks at its end beyond `MAX_PADDING`; it reads as before."""
    end = len(text.rstrip())
    return text[: end + MAX_PADDING]


def _word(finish: object) -> str:
    """Return a finish reason in lower case, without what some endpoints add after a colon."""
    return finish.partition(":")[0].strip().lower() if isinstance(finish, str) else ""


def _completion(body: str) -> dict[str, object]:
    try:
        completion: object = json.loads(body)
    except (ValueError, RecursionError) as error:
        start = body.lstrip()
        if start[:1] == "<":
            raise NoCompletionError("HTML; the base URL may be wrong", advice=_A_PAGE) from error
        if start.startswith(_EVENTS):
            raise NoCompletionError("a stream of events, which was not asked for", advice=_A_STREAM) from error
        raise NoCompletionError("no JSON; the base URL may be wrong") from error
    if not isinstance(completion, dict):
        raise NoCompletionError("no JSON object")
    return completion


def _refusal(message: dict[str, object]) -> str:
    field = message.get("refusal")
    return field if isinstance(field, str) and field.strip() else _text(message.get("content"), "refusal")


def _text(content: object, name: Literal["text", "refusal"]) -> str:
    """Return the text of a content: what it says, or what it refuses with."""
    if isinstance(content, str):
        return content if name == "text" else ""
    parts = [content] if isinstance(content, dict) else content
    if parts is None:
        return ""
    if not isinstance(parts, list):
        noun = "true or false" if isinstance(parts, bool) else "a number"
        raise NoCompletionError(f"a content that is {noun} and no text", advice=_NO_TEXT)
    return "".join(_part(part, name) for part in parts)


def _part(part: object, name: Literal["text", "refusal"]) -> str:
    if isinstance(part, str):
        return part if name == "text" else ""
    if not isinstance(part, dict) or part.get("type", "text") not in _PARTS[name]:
        return ""
    text = part.get(name)
    return text if isinstance(text, str) else ""


def _usage(usage: object) -> Usage:
    """Read what was counted: in OpenAI's words, or in those of services that endpoints hand on."""
    if not isinstance(usage, dict):
        return Usage()
    cached = _cached(usage)
    reported = _count(usage.get("prompt_tokens"))
    if reported:
        # More cached tokens than prompt tokens: those that were read from a cache are left out of the prompt's.
        tokens_in = reported + cached if cached is not None and cached > reported else reported
    else:
        parts = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        tokens_in = sum(_count(usage.get(part)) or 0 for part in parts)
    tokens_out = _count(usage.get("completion_tokens")) or _count(usage.get("output_tokens")) or 0
    total = _count(usage.get("total_tokens"))
    if reported and total is not None:
        # Some endpoints leave the tokens of thinking out of the completion's, but not out of the total.
        tokens_out = max(tokens_out, total - tokens_in)
    # Nothing cached is a finding only where something was counted.
    return Usage(tokens_in or None, tokens_out or None, cached if tokens_in else None)


def _cached(usage: dict[str, object]) -> int | None:
    """Return the largest count of cached tokens; None if there is none in any of the known fields."""
    places: list[object] = [
        usage.get("prompt_cache_hit_tokens"),
        usage.get("cache_read_input_tokens"),
        usage.get("cached_tokens"),
    ]
    for name in ("prompt_tokens_details", "input_tokens_details"):
        details = usage.get(name)
        if isinstance(details, dict):
            places.append(details.get("cached_tokens"))
    return max((count for count in map(_count, places) if count is not None), default=None)


def _count(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_TAKEN:
        return None
    return value


def _name(value: object) -> str | None:
    return scrub(value[:_MAX_NAME]) if isinstance(value, str) and value else None
