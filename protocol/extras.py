"""What a request may carry beside what the runner sets: fields of its body and headers, bounded, and none of ours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from protocol.errors import BundleError
from protocol.strictjson import read_json, shown

MAX_EXTRAS = 16
"""Fields, and headers."""
MAX_VALUE = 2_000
"""Characters of a value; one field may be a table."""
MAX_DEPTH = 5
"""Tables and lists within each other."""
_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}")
_HEADER = re.compile(r"[a-z0-9][a-z0-9_-]{0,99}")

_PROMPT = "the protocol writes the prompt"
_CUT = "the protocol alone cuts the prompt"
_BUDGET = "the protocol's output budget is sent"
_ONE = "one reply is asked for at a time, and it ends where the model ends it"
_FREE = "a reply is the model's own free text, with nothing that fits or fills it"
_OTHER = "only the model that is named may answer"
_ALONE = "each request stands alone"
_PLACE = "it belongs into base-url"
RESERVED_FIELDS: Mapping[str, str] = {
    "model": "it belongs into model",
    **dict.fromkeys(("messages", "input", "instructions", "prompt", "system"), _PROMPT),
    **dict.fromkeys(("chat_template", "documents", "safe_prompt", "add_generation_prompt"), _PROMPT),
    **dict.fromkeys(("transforms", "truncation", "truncate_prompt_tokens", "context_management"), _CUT),
    **dict.fromkeys(("max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens"), _BUDGET),
    **dict.fromkeys(("n_predict", "num_predict", "min_tokens", "ignore_eos"), _BUDGET),
    **{name: f"it belongs into {name.replace('_', '-')}" for name in ("temperature", "top_p", "reasoning_effort")},
    "seed": "it belongs into sampling-seed",
    **dict.fromkeys(("stream", "stream_options"), "it belongs into stream"),
    **dict.fromkeys(("n", "best_of", "stop", "stop_token_ids", "echo", "logprobs", "top_logprobs"), _ONE),
    **dict.fromkeys(("tools", "tool_choice", "functions", "function_call", "parallel_tool_calls"), _FREE),
    **dict.fromkeys(("max_tool_calls", "web_search_options", "plugins", "modalities", "audio", "prediction"), _FREE),
    **dict.fromkeys(("response_format", "text.format", "structured_outputs", "json_schema", "grammar"), _FREE),
    **dict.fromkeys(("guided_json", "guided_regex", "guided_choice", "guided_grammar", "logit_bias"), _FREE),
    **dict.fromkeys(("regex", "ebnf", "format", "mock_response"), _FREE),
    **dict.fromkeys(("models", "route", "fallbacks"), _OTHER),
    **dict.fromkeys(("previous_response_id", "conversation", "background", "store", "include"), _ALONE),
    **dict.fromkeys(("api_base", "base_url", "api_key", "custom_llm_provider", "extra_headers"), _PLACE),
}
"""Fields that nobody adds, by name or by names with a dot between, and why."""
_KEY_HEADER = "the key is sent there: name another header for it with api-key-header"
_TRANSPORT = "the HTTP client sets it"
RESERVED_HEADERS: Mapping[str, str] = {
    "authorization": _KEY_HEADER,
    **dict.fromkeys(("host", "connection", "keep-alive", "te", "trailer", "upgrade", "expect"), _TRANSPORT),
    **dict.fromkeys(("content-type", "content-length", "content-encoding", "transfer-encoding"), _TRANSPORT),
    **dict.fromkeys(("accept", "accept-encoding", "cookie", "proxy-authorization"), _TRANSPORT),
}
"""Headers that nobody adds, in lower case, and why."""


def check_field(name: str, text: str) -> None:
    """Check a field of a body.

    Args:
        name: Its name.
        text: Its value, as `field_text` gives it.

    Raises:
        ValueError: If the name is none or is the runner's, or the text is not that of a value within the bounds.
    """
    if not _FIELD.fullmatch(name):
        raise ValueError(f"expected the name of a field, at most 100 letters, digits and _.-, got {shown(name)}")
    if len(text) > MAX_VALUE:
        raise ValueError(f"{name}: expected a value of at most {MAX_VALUE:,} characters, got {len(text):,}")
    try:
        value = read_json(text.encode(), name)
    except BundleError as error:
        raise ValueError(f"{name}: expected {error.expected}") from error
    if field_text(name, value) != text:
        raise ValueError(f"{name}: expected JSON without blanks, its keys in order")
    within = [f"{name}.{key}" for key in value] if isinstance(value, dict) else []
    for each in (name, *within):
        if each in RESERVED_FIELDS:
            raise ValueError(f"{each}: no run can set this, since {RESERVED_FIELDS[each]}")


def field_value(text: str) -> object:
    """Return the value that a text stands for; one that was checked."""
    value: object = json.loads(text)
    return value


def field_text(name: str, value: object) -> str:
    """Return a value as the one JSON text that stands for it.

    Raises:
        ValueError: If it is null, or holds what JSON or the bounds do not allow.
    """
    _check_depth(name, value, MAX_DEPTH)
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: expected text, finite numbers, true, false, lists and tables of them") from error


def _check_depth(name: str, value: object, left: int) -> None:
    if value is None:
        raise ValueError(f"{name}: expected no null; leave it out")
    if isinstance(value, (dict, list)):
        if not left:
            raise ValueError(f"{name}: expected at most {MAX_DEPTH} tables and lists within each other, got more")
        for each in value.values() if isinstance(value, dict) else value:
            _check_depth(name, each, left - 1)


def check_header(name: str, value: str | None) -> None:
    """Check a header.

    Args:
        name: Its name, in lower case.
        value: Its value; None where it is not told.

    Raises:
        ValueError: If the name is none or is the runner's, or the value cannot be sent.
    """
    if not _HEADER.fullmatch(name):
        raise ValueError(f"expected the name of a header, such as x-title, got {shown(name)}")
    if name in RESERVED_HEADERS or name.startswith("x-stainless-"):
        raise ValueError(f"{name}: no run can set this, since {RESERVED_HEADERS.get(name, _TRANSPORT)}")
    if value is not None and not (0 < len(value) <= MAX_VALUE and value.isascii() and value.isprintable()):
        raise ValueError(f"{name}: expected 1 to {MAX_VALUE:,} printable ASCII characters")
    if value is not None and value.strip() != value:
        raise ValueError(f"{name}: expected a value without blanks around it")


def check_names(names: Iterable[str]) -> None:
    """Check that names stand in order, each once.

    Raises:
        ValueError: If they do not.
    """
    given = list(names)
    if sorted(set(given)) != given:
        raise ValueError("expected each name once, in the order of the alphabet")
