"""From a model's name to the model."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from games.near import nearest
from protocol.decoding import decoding_at
from protocol.players import BUILTIN, BUILTIN_NAMES
from protocol.records import Decoding
from runner.models.builtin import Builtin
from runner.models.model import Model
from runner.models.oracle import Oracle
from s3gym.extras import hidden
from s3gym.settings import EMBEDDED, Settings

OURS = (BUILTIN, "embedded:")
"""How the names of models begin that are played on this machine without an endpoint."""


@dataclass(frozen=True, slots=True)
class Access:
    """How an endpoint is reached; what it is asked with is the decoding."""

    base_url: str | None = None
    api: Literal["chat", "responses"] = "chat"
    api_key_env: str = "OPENAI_API_KEY"
    """The environment variable with its key."""
    api_key_header: str | None = None
    """The header that holds the key alone."""
    hidden: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The values of headers that the decoding does not tell, by name."""
    context_tokens: int | None = None
    """The endpoint's context, where it is known."""
    timeout: float = 300.0
    """Seconds for one reply."""


def access_of(settings: Settings) -> Access:
    """Return how the endpoint of settings is reached.

    Raises:
        ValueError: If an environment variable that holds the value of a header is not set.
    """
    return Access(
        base_url=settings.base_url,
        api=settings.api,
        api_key_env=settings.api_key_env,
        api_key_header=settings.api_key_header,
        hidden=hidden(settings.extra_headers),
        context_tokens=settings.context_tokens,
        timeout=settings.timeout,
    )


def open_model(
    name: str,
    access: Access | None = None,
    decoding: Decoding | None = None,
    heard: Callable[[str], None] = lambda _body: None,
) -> Model:
    """Return the model that a name stands for.

    Args:
        name: Its name.
        access: How its endpoint is reached, for the name of a model there.
        decoding: What it is asked with; by default all is left to the server.
        heard: Called with the body of every answer of an endpoint.

    Raises:
        ValueError: If the name stands for none, or what it needs is missing.
    """
    access = access or Access()
    if name.startswith(BUILTIN):
        kind = name.removeprefix(BUILTIN)
        if kind == "oracle":
            return Oracle()
        return Builtin(kind)
    if name == EMBEDDED:
        from runner.models.embedded import Embedded

        return Embedded()
    if access.base_url is None:
        names = {each: f"{BUILTIN}{each}" for each in (*BUILTIN_NAMES, "oracle")}
        found = nearest(name, (*names, *names.values(), EMBEDDED))
        meant = "" if found is None else f"; did you mean {names.get(found, found)}?"
        raise ValueError(
            f"model: expected {EMBEDDED}, one of {', '.join(names.values())}, or the name of a model and its "
            f"--base-url, got {name!r}{meant}"
        )
    from runner.models.chat_api import ChatApi
    from runner.models.openai_chat import OpenAIChat
    from runner.models.responses_api import ResponsesApi

    return OpenAIChat(
        base_url=access.base_url,
        model=name,
        api_key=os.environ.get(access.api_key_env) or "none",
        api_key_header=access.api_key_header,
        context_tokens=access.context_tokens,
        decoding=decoding or decoding_at(None),
        hidden=access.hidden,
        api=ResponsesApi() if access.api == "responses" else ChatApi(),
        timeout=access.timeout,
        heard=heard,
    )
