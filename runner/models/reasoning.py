"""Whether the reasoning of a reply comes apart from it: a run never reads it, but who sets an endpoint up asks."""

from __future__ import annotations

import json

FIELDS = ("reasoning_content", "reasoning", "reasoning_details", "thinking")
"""Fields beside the text of a reply, or of a piece of it, in which endpoints put reasoning."""
_PARTS = ("thinking", "reasoning")


def reasons_apart(body: str) -> bool:
    """Return whether the body of a chat completion holds reasoning outside its text, or counts tokens of it."""
    try:
        completion: object = json.loads(body)
    except (ValueError, RecursionError):
        return False
    if not isinstance(completion, dict):
        return False
    usage = completion.get("usage")
    details = usage.get("completion_tokens_details") if isinstance(usage, dict) else None
    if isinstance(details, dict) and details.get("reasoning_tokens"):
        return True
    choices = completion.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        return False
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    apart = any(isinstance(part, dict) and part.get("type") in _PARTS for part in parts)
    return apart or any(message.get(field) for field in FIELDS)
