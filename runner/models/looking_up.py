"""What an endpoint tells of itself: its models and the sizes of their contexts, by GET requests that cost nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from runner.models.base_url import read_base_url
from runner.models.chat_client import HTTP_ERROR, INVALID_URL, open_http
from runner.models.openai_chat import NO_KEY

MAX_BODY = 8 << 20
"""Bytes of an answer; large endpoints list thousands of models."""
_OTHER_PATHS = ("/v1", "/api/v1", "/openai/v1", "/v1beta/openai", "/api/openai/v1")
_CONTEXT_KEYS = ("loaded_context_length", "max_model_len", "context_length", "context_window", "max_context_length")
"""The context of a model in lists of models (LM Studio; vLLM and SGLang; OpenRouter and Ollama; Groq; Mistral)."""
_MAX_CONTEXT = 100_000_000


class Looked(NamedTuple):
    """What came of a GET request."""

    status: int
    value: object
    """Its JSON; None if it is none."""
    date: str | None
    """When the endpoint says that it is."""


class KnownModel(NamedTuple):
    """A model of an endpoint's list."""

    id: str
    context: int | None


class Context(NamedTuple):
    """The size of a context and where it is told."""

    tokens: int
    source: str


class LookUps:
    """Asks an endpoint about itself; nothing raises, for none of it has to be there.

    Args:
        base_url: As for the chat.
        api_key: As for the chat.
        api_key_header: As for the chat.
        timeout: Seconds for one answer.
    """

    def __init__(
        self, base_url: str, api_key: str = NO_KEY, *, api_key_header: str | None = None, timeout: float = 30.0
    ) -> None:
        where = read_base_url(base_url)
        self._where = where
        self._timeout = timeout
        key = api_key.strip() or NO_KEY
        self._headers = {"Authorization": f"Bearer {key}", "Accept": "application/json"}
        self._client = open_http(where, key, timeout, api_key_header)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def models(self, base: str | None = None) -> Looked | None:
        """Return the list of models; None if nothing answers."""
        return await self._get(f"{base or self._where.url}/models")

    async def other_base(self) -> str | None:
        """Return another base URL on this host that has a list of models, as it may be shown; None if none has."""
        for path in _OTHER_PATHS:
            looked = await self.models(self._at_host(self._where.url, path))
            if looked is not None and known_models(looked.value):
                return self._at_host(self._where.shown, path)
        return None

    async def context(self, model: str) -> Context | None:
        """Return the context of a model that is loaded, as some servers tell it beside the list of models."""
        for path, source in (("/props", "llama.cpp"), ("/api/ps", "Ollama"), ("/api/v0/models", "LM Studio")):
            looked = await self._get(self._at_host(self._where.url, path))
            tokens = None if looked is None or looked.status != 200 else _context_of(looked.value, model)
            if tokens is not None:
                return Context(tokens, f"{source}, {path}")
        return None

    @staticmethod
    def _at_host(url: str, path: str) -> str:
        return urlunsplit(urlsplit(url)._replace(path=path))

    async def _get(self, url: str) -> Looked | None:
        query = dict(self._where.query)
        try:
            async with (
                asyncio.timeout(self._timeout),
                self._client.stream("GET", url, headers=self._headers, params=query) as response,
            ):
                body = bytearray()
                async for chunk in response.aiter_bytes():
                    body += chunk
                    if len(body) > MAX_BODY:
                        break
                return Looked(response.status_code, _json(bytes(body)), response.headers.get("date"))
        except (TimeoutError, HTTP_ERROR, INVALID_URL, OSError):
            return None


def known_models(value: object) -> tuple[KnownModel, ...]:
    """Return the models of a list of models, whatever else stands in it; none if it is no such list."""
    if isinstance(value, dict):
        value = value.get("data") or value.get("models")
    entries = value if isinstance(value, list) else []
    found = []
    for entry in entries:
        name = _name(entry)
        if isinstance(entry, dict) and name:
            found.append(KnownModel(name, _first_count(entry, _CONTEXT_KEYS)))
    return tuple(found)


def _name(entry: object) -> str:
    if not isinstance(entry, dict):
        return ""
    for key in ("id", "name", "model"):
        name: object = entry.get(key)
        if isinstance(name, str) and name:
            return name[:200]
    return ""


def _context_of(value: object, model: str) -> int | None:
    """Return the context in llama.cpp's properties, or of a model in a list."""
    if isinstance(value, dict) and isinstance(settings := value.get("default_generation_settings"), dict):
        return _first_count(settings, ("n_ctx",))
    for known in known_models(value):
        if known.id in (model, f"{model}:latest"):
            return known.context
    return None


def _first_count(table: Mapping[str, object], keys: tuple[str, ...]) -> int | None:
    for key in keys:
        value = table.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MAX_CONTEXT:
            return value
    return None


def _json(body: bytes) -> object:
    try:
        value: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value


def clock_ahead(date: str | None, now: float) -> float | None:
    """Return by how many seconds this machine's clock is ahead of an endpoint's; None if the endpoint tells no time.

    Args:
        date: The `Date` header.
        now: This machine's time, in seconds since 1970.
    """
    try:
        return now - parsedate_to_datetime((date or "")[:100]).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
