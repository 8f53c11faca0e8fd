"""Opens the `openai` SDK's client so that nothing in it retries, redirects, or logs what is secret."""

from __future__ import annotations

import logging
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from importlib import import_module
from typing import Protocol

import openai

from runner.models.base_url import BaseUrl
from runner.models.masking import Masker
from runner.models.surroundings import unusable

_CONNECT_SECONDS = 30.0
_URL_LOGGERS = ("httpx", "httpx2", "httpcore", "httpcore2", "openai")


def open_client(where: BaseUrl, key: str, timeout: float, key_header: str | None) -> openai.AsyncOpenAI:
    """Return a client for an endpoint.

    Args:
        where: The endpoint.
        key: The key.
        timeout: Seconds to wait for a next byte.
        key_header: The header that holds the key alone; None for `Authorization: Bearer KEY`.

    Raises:
        ValueError: If the URL or the proxy environment cannot be used; the message holds no secret.
    """
    with _usable(where):
        return openai.AsyncOpenAI(
            api_key=key,
            base_url=where.url,
            default_query=dict(where.query),
            timeout=_limits(timeout),
            max_retries=0,
            http_client=open_http(where, key, timeout, key_header),
        )


def open_http(where: BaseUrl, key: str, timeout: float, key_header: str | None) -> openai.DefaultAsyncHttpxClient:
    """Return the HTTP client under it; the arguments are the same.

    Raises:
        ValueError: If the URL or the proxy environment cannot be used; the message holds no secret.
    """
    if where.secrets:
        for name in _URL_LOGGERS:
            # At lower levels they log whole URLs.
            logging.getLogger(name).setLevel(logging.WARNING)
    with _usable(where):
        # A redirect would carry prompts, and a key in a header of its own, to wherever the endpoint points.
        return openai.DefaultAsyncHttpxClient(
            timeout=_limits(timeout),
            trust_env=not where.loopback,
            follow_redirects=False,
            event_hooks={"request": [] if key_header is None else [_KeyAlone(key_header, key)]},
        )


def _limits(timeout: float) -> openai.Timeout:
    return openai.Timeout(timeout, connect=min(timeout, _CONNECT_SECONDS))


@contextmanager
def _usable(where: BaseUrl) -> Iterator[None]:
    for found in unusable(where):
        raise ValueError(f"{where.shown}: expected an environment that a client can be opened in, got {found}")
    try:
        yield
    except (ImportError, INVALID_URL, OSError, ValueError) as error:
        reason = Masker(where.secrets).shown(str(error))
        raise ValueError(f"{where.shown}: expected a usable URL and proxy environment, got: {reason}") from None


class _Request(Protocol):
    headers: MutableMapping[str, str]


class _KeyAlone:
    """Moves the key from `Authorization` to a header of its own, in whatever way the SDK's version has set it."""

    def __init__(self, header: str, key: str) -> None:
        self._header = header
        self._key = key

    async def __call__(self, request: _Request) -> None:
        request.headers.pop("authorization", None)
        request.headers[self._header] = self._key


def _http_fault(name: str) -> type[Exception]:
    """Return an exception type of the HTTP library under the SDK: httpx, or httpx2 since SDK 3."""
    library = openai.DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0]
    fault: object = getattr(import_module(library), name)
    assert isinstance(fault, type)
    assert issubclass(fault, Exception)
    return fault


HTTP_TIMEOUT = _http_fault("TimeoutException")
HTTP_ERROR = _http_fault("HTTPError")
INVALID_URL = _http_fault("InvalidURL")
