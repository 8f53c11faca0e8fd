"""Reads the base URL that a user gives."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

_ENDING = "/chat/completions"
_HOST = re.compile(
    r"(?P<host>localhost|[0-9]{1,3}(\.[0-9]{1,3}){3}|[a-z0-9-]{1,40}(\.[a-z0-9-]{1,40}){0,5}\.[a-z]{2,10}(?=[:/])|"
    r"[a-z0-9-]{1,20}(?=:))(?P<port>:[0-9]{1,5})?(/[a-z0-9._/-]{0,40})?",
    re.ASCII,
)
"""A host as people write it without a scheme; nothing that a key looks like."""
_ADVICE = "give it as in http://localhost:8000/v1"


class BaseUrl(NamedTuple):
    """Where an endpoint is."""

    url: str
    """Up to and without `/chat/completions`; no query, no trailing slash."""
    shown: str
    """The same without user name and password, for messages."""
    query: tuple[tuple[str, str], ...]
    """Sent with every request."""
    loopback: bool
    """Whether the host is this machine; no proxy stands in between then."""
    secrets: tuple[str, ...]
    """What in the URL must never be shown: the password, or a user name alone, and the values of the query."""


def read_base_url(text: str) -> BaseUrl:
    """Return a base URL in one form.

    `.../v1`, `.../v1/` and `.../v1/chat/completions` are the same place. A host without any path means its `/v1`;
    any other path is taken as it is, for not every endpoint ends in `/v1`.

    Raises:
        ValueError: If it is no http or https URL with a host; the message repeats nothing of it that may be secret.
    """
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise ValueError(f"base URL: expected a URL, but it cannot be read; {_ADVICE}") from error
    if parts.scheme not in ("http", "https") or not host:
        meant = _meant(text.strip())
        advice = _ADVICE if meant is None else f"did you mean {meant}?"
        raise ValueError(f"base URL: expected http:// or https:// and a host, got neither or one; {advice}")
    info, name = _authority(parts, host, port)
    path = _path(parts.path)
    query = tuple(parse_qsl(parts.query, keep_blank_values=True))
    return BaseUrl(
        url=urlunsplit(SplitResult(parts.scheme, info + name, path, "", "")),
        shown=urlunsplit(SplitResult(parts.scheme, name, path, "", "")),
        query=query,
        loopback=_is_loopback(host),
        secrets=(*_user_secrets(parts), *(value for _, value in query if value)),
    )


def _meant(text: str) -> str | None:
    """Return the URL that a host without a scheme stands for; None for whatever else, which may be a secret."""
    found = _HOST.fullmatch(text)
    if found is None:
        return None
    here = found["host"] == "localhost" or found["host"].replace(".", "").isdigit()
    return f"{'http' if here or found['port'] else 'https'}://{text}"


def _path(path: str) -> str:
    path = path.rstrip("/")
    if path.endswith(_ENDING):
        return path.removesuffix(_ENDING).rstrip("/")
    return path or "/v1"


def _authority(parts: SplitResult, host: str, port: int | None) -> tuple[str, str]:
    info = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    name = f"[{host}]" if ":" in host else host
    return info, name if port is None else f"{name}:{port}"


def _user_secrets(parts: SplitResult) -> tuple[str, ...]:
    secret = parts.password or parts.username
    return (secret, unquote(secret)) if secret else ()


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
