"""What the environment says of certificates and proxies, and whether a client can use it."""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import proxy_bypass

from runner.models.base_url import BaseUrl

_SCHEMES = ("http", "https", "socks5", "socks5h")
_UNSET = "set it right, or unset it"


class Unusable(NamedTuple):
    """A variable of the environment that no client can be opened with."""

    variable: str
    found: str
    """Its value, without secrets, and what is wrong with it."""
    remedy: str = _UNSET

    def __str__(self) -> str:
        return f"{self.variable}: {self.found}; {self.remedy}"


def unusable(where: BaseUrl) -> tuple[Unusable, ...]:
    """Return what of the environment a client for this endpoint would stumble over; none of it holds on loopback."""
    if where.loopback:
        return ()
    found = [_certificates(), *map(_proxy, ("http", "https", "all") if os.environ.get("NO_PROXY") != "*" else ())]
    return tuple(each for each in found if each is not None)


def route(where: BaseUrl) -> str:
    """Return by which proxy an endpoint is reached, for a message; empty if by none."""
    scheme, host = urlsplit(where.url).scheme, urlsplit(where.url).hostname or ""
    variable = _variable(scheme) or _variable("all")
    if where.loopback or variable is None or proxy_bypass(host):
        return ""
    return f" through the proxy {_shown(os.environ[variable])} of {variable}"


def trusted() -> str:
    """Return which certificates are trusted, for a message about one that is not."""
    for variable in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        if os.environ.get(variable):
            return f"trusted are the certificates of {variable}={os.environ[variable]}"
    unread = " (REQUESTS_CA_BUNDLE is not read)" if os.environ.get("REQUESTS_CA_BUNDLE") else ""
    return f"name the file of a certificate of your own in SSL_CERT_FILE{unread}"


@contextmanager
def set_aside(variables: Sequence[str]) -> Iterator[None]:
    """Go on as if these variables were not set."""
    kept = {name: os.environ.pop(name) for name in variables}
    try:
        yield
    finally:
        os.environ.update(kept)


def _certificates() -> Unusable | None:
    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    if file:
        try:
            ssl.create_default_context(cafile=file)
        except (OSError, ValueError) as error:
            reason = error.strerror if not isinstance(error, ssl.SSLError) and isinstance(error, OSError) else None
            return Unusable("SSL_CERT_FILE", f"{file}: expected a file of certificates, got {reason or 'none in it'}")
    elif folder and not any(Path(each).is_dir() for each in folder.split(os.pathsep)):
        return Unusable("SSL_CERT_DIR", f"{folder}: expected a folder of certificates, got none")
    return None


def _proxy(scheme: str) -> Unusable | None:
    variable = _variable(scheme)
    if variable is None:
        return None
    value = os.environ[variable]
    try:
        parts, shown = urlsplit(_whole(value)), _shown(value)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return Unusable(variable, "expected the URL of a proxy, got a value that cannot be read")
    if parts.scheme not in _SCHEMES or not host:
        return Unusable(variable, f"{shown}: expected {', '.join(_SCHEMES)} and a host, as in http://proxy:3128")
    if parts.scheme.startswith("socks") and find_spec("socksio") is None:
        return Unusable(
            variable, f"{shown}: a SOCKS proxy needs the package socksio", "pip install socksio, or unset it"
        )
    return None


def _variable(scheme: str) -> str | None:
    """Return the variable that counts for a scheme: the one in lower case before the other."""
    names = (f"{scheme}_proxy", f"{scheme}_proxy".upper())
    return next((name for name in names if os.environ.get(name)), None)


def _whole(value: str) -> str:
    return value if "://" in value else f"http://{value}"


def _shown(value: str) -> str:
    """Return a proxy's URL without user name, password and query."""
    parts = urlsplit(_whole(value))
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
