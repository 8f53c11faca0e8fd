"""How long an endpoint asks to wait, in every form in which endpoints say it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from runner.models.chat_faults import MAX_ERROR, ErrorBody

_NUMBER = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,15})?")
_RETRY_INFO = re.compile(r'"retryDelay"\s{0,9}:\s{0,9}"([0-9]{1,9}(?:\.[0-9]{1,9})?)s"')
"""Of `google.rpc.RetryInfo`, which stands in the body."""
_WORDS = re.compile(
    r"\b(?:retry|try again) (?:after|in) (?:(?P<hours>[0-9]{1,4})h)?(?:(?P<minutes>[0-9]{1,6})m(?!s))?"
    r"(?:(?P<number>[0-9]{1,9}(?:\.[0-9]{1,9})?) ?(?P<unit>ms|s|m|h))?",
    re.IGNORECASE,
)
"""`Please retry after 45 seconds`, `Please try again in 6m0s`, `in 450ms`."""
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def wait_asked_for(headers: Mapping[str, str], error: ErrorBody, now: float) -> float | None:
    """Return the seconds that an endpoint asks to wait; None if it does not say, or nothing that makes sense.

    The headers `Retry-After` and `Retry-After-Ms` come first, and of two the longer; without any, what the body says.

    Args:
        headers: Of the response; names in lower case are found.
        error: Its body.
        now: The time, in seconds since 1970.
    """
    milliseconds = headers.get("retry-after-ms", "").strip()
    told = [
        parse_retry_after(headers.get("retry-after"), now),
        float(milliseconds) / 1000 if _NUMBER.fullmatch(milliseconds) else None,
    ]
    known = [seconds for seconds in told if seconds is not None]
    return max(known) if known else _said(error)


def parse_retry_after(value: str | None, now: float) -> float | None:
    """Return the seconds that a `Retry-After` header asks to wait; None if it is missing or makes no sense.

    Args:
        value: Seconds or an HTTP date (RFC 9110, section 10.2.3).
        now: The time, in seconds since 1970.
    """
    if value is None:
        return None
    text = value.strip()
    if _NUMBER.fullmatch(text):
        return float(text)
    try:
        seconds = parsedate_to_datetime(text[:100]).timestamp() - now
    except (ValueError, OverflowError, OSError):
        return None
    return seconds if seconds >= 0 else None


def _said(error: ErrorBody) -> float | None:
    info = _RETRY_INFO.search(error.text, 0, MAX_ERROR)
    if info is not None:
        return float(info[1])
    words = _WORDS.search(error.message, 0, MAX_ERROR)
    if words is None or not any(words.group("hours", "minutes", "number")):
        return None
    seconds = 3600.0 * int(words["hours"] or 0) + 60.0 * int(words["minutes"] or 0)
    return seconds + (float(words["number"]) * _UNITS[words["unit"].lower()] if words["number"] else 0.0)
