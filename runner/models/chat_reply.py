"""Reads the body of a chat completion; nothing in it is trusted to be there or to be of its type."""

from __future__ import annotations

import json
import re

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
}
"""Finish reasons in lower case; some endpoints hand on those of the service behind them."""
_BROKEN_OFF = frozenset(("error", "abort", "network_error", "insufficient_system_resource"))
"""Finish reasons of an endpoint that stopped before the model did."""
_TEXT_PARTS = ("text", "output_text")


class NoCompletionError(Exception):
    """A body that is no chat completion; the message says what it is, in our words alone."""

    def __init__(self, message: str, kind: FaultKind = FaultKind.MALFORMED, *, is_page: bool = False) -> None:
        super().__init__(message)
        self.kind = kind
        self.is_page = is_page
        """Whether it is a page for people, so that another thing than an endpoint seems to be there."""


def read_reply(body: str) -> Answer:
    """Return the reply that a body holds.

    Only `content` is read: reasoning stands in fields of its own, or in parts that are not text, and is never taken
    for the answer. Where the content is empty, the model may have declined in the field `refusal`: those are its words.
    A content that is null or missing is an empty reply.

    Raises:
        NoCompletionError: If the body is no chat completion.
    """
    completion = _completion(body)
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
    return Answer(
        text=without_padding(scrub(_said(message))),
        finish=_FINISHES.get(finish, "other"),
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
        is_page = body.lstrip()[:1] == "<"
        kind = "HTML" if is_page else "no JSON"
        raise NoCompletionError(f"{kind}; the base URL may be wrong", is_page=is_page) from error
    if not isinstance(completion, dict):
        raise NoCompletionError("no JSON object")
    if completion.get("error"):
        raise NoCompletionError("an error in place of a reply", kind_of(200, read_error(body)))
    return completion


def _said(message: dict[str, object]) -> str:
    text = _text(message.get("content"))
    refusal = message.get("refusal")
    return refusal if isinstance(refusal, str) and not text.strip() else text


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
