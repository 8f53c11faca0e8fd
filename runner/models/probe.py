"""The small prompt that finds out how an endpoint must be asked, before the first step of a run."""

from __future__ import annotations

from collections.abc import Sequence

from protocol.messages import Message

PROBE_ANSWER = "OK"
_SYSTEM = "This request only tries the connection."
_USER = f"Reply with the word {PROBE_ANSWER} and nothing else."

WITH_SYSTEM = (Message("system", _SYSTEM), Message("user", _USER))
WITHOUT_SYSTEM = (Message("user", f"{_SYSTEM}\n\n{_USER}"),)


def is_probe(messages: Sequence[Message]) -> bool:
    """Return whether the messages are those of a probe, in either form."""
    return tuple(messages) in (WITH_SYSTEM, WITHOUT_SYSTEM)
