"""Tells the faults of chat-completions endpoints apart; what they answer is untrusted and comes in many shapes."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from runner.models.model import FaultKind

MAX_ERROR = 20_000
"""Characters of an error body that are searched."""

_QUOTA_CODES = frozenset(
    [
        "insufficient_quota",
        "billing_hard_limit_reached",
        "billing_not_active",
        "insufficient_balance",
        "insufficient_credits",
        "insufficient_funds",
        "credit_balance_too_low",
    ]
)
_QUOTA_TEXT = re.compile(r"insufficient[ _](?:balance|credits?|funds|quota)|credit balance is too low", re.IGNORECASE)
_DAILY_TEXT = re.compile(r"\bper[ _-]?day|perday|\bdaily\b", re.IGNORECASE)
_SMALL_RATE_TEXT = re.compile(r"\brequest too large\b[^\n]{0,200}\btokens per (?:min|day)", re.IGNORECASE)
"""A limit of tokens a minute that one prompt exceeds: no wait helps, and neither does a cut by the context's rule."""
_OVERFLOW_TEXT = re.compile(
    r"context_length_exceeded|exceed_context_size|max_model_len|maximum (?:context|input|model|prompt) length"
    r"|(?:exceed|long|larg|great|more|overflow)[^\n]{0,120}\bcontext[ _](?:length|size|window|limit)"
    r"|\bcontext[ _](?:length|size|window|limit)[^\n]{0,60}(?:exceed|overflow|too small)"
    r"|\b(?:prompt|input|inputs|messages)\b[^\n]{0,60}\btoo (?:long|large|many tokens)"
    r"|\btoo many (?:input |prompt )?tokens"
    r"|\b(?:prompt|input)\b[^\n]{0,80}\b(?:exceeds?|longer than|greater than)\b[^\n]{0,60}\b(?:max|limit|length|tokens)"
    r"|`inputs` tokens \+ `max_new_tokens`"
    r"|\bn_keep\b[^\n]{0,40}\bn_ctx\b",
    re.IGNORECASE,
)
_FILTER_TEXT = re.compile(
    r"content[ _-]?filter|content[ _](?:management[ _])?policy|responsible ?ai|data_inspection_failed"
    r"|content_policy_violation|requires moderation|\bsafety system",
    re.IGNORECASE,
)
_TRUNCATED_TEXT = re.compile(
    r"(?:max_tokens|max[ _]completion[ _]tokens|output (?:token )?limit)\b[^\n]{0,60}\b(?:was|were|is)? ?reached",
    re.IGNORECASE,
)
"""`Could not finish the message because max_tokens or model output limit was reached`."""
_TOKEN_PARAMETER = re.compile(r"\bmax_tokens\b", re.IGNORECASE)
_NEW_TOKEN_PARAMETER = re.compile(r"\bmax_completion_tokens\b", re.IGNORECASE)
_UNKNOWN = re.compile(
    r"unsupported|not supported|n[o']t support|unknown|unrecogni[sz]ed|unexpected|not permitted|not allowed|extra|"
    r"instead|deprecated|invalid param",
    re.IGNORECASE,
)
_SIZE = re.compile(
    r"too (?:large|high|big)|at most|exceed|less than|greater than|maximum|minimum|must be", re.IGNORECASE
)
_TEMPERATURE = re.compile(r"\btemperature\b", re.IGNORECASE)
_ROLE_PARAMETER = re.compile(r"messages\W{1,3}[0-9]+\W{1,3}role", re.IGNORECASE)
_SYSTEM_TEXT = re.compile(
    r"\b(?:system|developer)\b[^\n]{0,60}(?:\bnot |n't |\bun)(?:support|enabled|allowed|permitted)"
    r"|(?:\bnot |n't |\bun)support[^\n]{0,60}\bsystem\b"
    r"|\bonly\b[^\n]{0,20}\buser\b[^\n]{0,20}\bassistant\b"
    r"|'user',? (?:or|and) '(?:assistant|model)'"
    r"|\broles must alternate"
    r"|\b(?:unknown|invalid|unsupported|unexpected|unrecogni[sz]ed)\b[^\n]{0,20}\brole\b",
    re.IGNORECASE,
)


class ErrorBody(NamedTuple):
    """What an error body says, whatever its shape."""

    codes: frozenset[str]
    """Codes, types and statuses, in lower case."""
    parameter: str
    """The parameter complained of; empty if none is named."""
    message: str
    """The server's own words; the body itself if it has no message."""
    text: str
    """The whole body, for words that stand deeper in it."""


def read_error(body: str) -> ErrorBody:
    """Read an error body; nothing raises."""
    plain = ErrorBody(frozenset(), "", body, body)
    try:
        value: object = json.loads(body)
    except (ValueError, RecursionError):
        return plain
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return plain
    outer: dict[str, object] = value
    given = outer.get("error")
    error: dict[str, object] = given if isinstance(given, dict) else outer
    inner = error.get("innererror")
    sources = [outer, error, *([inner] if isinstance(inner, dict) else [])]
    codes = {str(each.get(key)).lower() for each in sources for key in ("code", "type", "status")}
    message = next((each for each in (given, *map(error.get, _MESSAGE_KEYS)) if isinstance(each, str) and each), body)
    parameter = error.get("param")
    return ErrorBody(frozenset(codes), parameter if isinstance(parameter, str) else "", message, body)


_MESSAGE_KEYS = ("message", "detail", "error_description", "msg")


def kind_of(status: int, error: ErrorBody) -> FaultKind:
    """Return the kind of a fault that came with an HTTP status; 200 stands for an error body in place of a reply."""
    if status == 402 or error.codes & _QUOTA_CODES:
        return FaultKind.QUOTA
    if status in (200, 400, 403, 429) and _QUOTA_TEXT.search(error.message, 0, MAX_ERROR):
        return FaultKind.QUOTA
    if status in (413, 429) and _SMALL_RATE_TEXT.search(error.message, 0, MAX_ERROR):
        return FaultKind.QUOTA
    if status == 429 and _DAILY_TEXT.search(error.text, 0, MAX_ERROR):
        return FaultKind.QUOTA
    if status in (200, 400, 422) and _TRUNCATED_TEXT.search(error.message, 0, MAX_ERROR):
        return FaultKind.TRUNCATED
    if status == 413 or (
        (status in (200, 400, 422) or status >= 500) and _OVERFLOW_TEXT.search(error.text, 0, MAX_ERROR)
    ):
        return FaultKind.OVERFLOW
    if status in (200, 400, 403, 422) and _FILTER_TEXT.search(error.text, 0, MAX_ERROR):
        return FaultKind.FILTERED
    return _kind_of_status(status)


def _kind_of_status(status: int) -> FaultKind:
    if status == 200:
        return FaultKind.MALFORMED
    if status == 429:
        return FaultKind.RATE_LIMIT
    if status == 408:
        return FaultKind.TIMEOUT
    # A conflict and "too early" pass like a server's own faults.
    if status >= 500 or status in (409, 425):
        return FaultKind.SERVER
    return FaultKind.REFUSED


def names_temperature(error: ErrorBody) -> bool:
    """Return whether a refusal complains of the temperature."""
    return error.parameter == "temperature" or _TEMPERATURE.search(error.message, 0, MAX_ERROR) is not None


def names_usage_option(error: ErrorBody) -> bool:
    """Return whether a refusal complains of the wish for a stream's usage."""
    return error.parameter.startswith("stream_options") or "stream_options" in error.text[:MAX_ERROR]


def wants_new_token_parameter(error: ErrorBody) -> bool:
    """Return whether a refusal asks for `max_completion_tokens` in place of `max_tokens`, whatever its size."""
    if _SIZE.search(error.message, 0, MAX_ERROR):
        return False
    if _NEW_TOKEN_PARAMETER.search(error.message, 0, MAX_ERROR):
        return True
    named = error.parameter == "max_tokens" or _TOKEN_PARAMETER.search(error.message, 0, MAX_ERROR) is not None
    return named and _UNKNOWN.search(error.message, 0, MAX_ERROR) is not None


def names_system_role(error: ErrorBody) -> bool:
    """Return whether an error complains of a system message, or of the order of the roles."""
    texts = (error.parameter, error.text)
    return any(_ROLE_PARAMETER.search(text, 0, MAX_ERROR) for text in texts) or (
        _SYSTEM_TEXT.search(error.text, 0, MAX_ERROR) is not None
    )
