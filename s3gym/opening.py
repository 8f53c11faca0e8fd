"""From a model's name to the model."""

from __future__ import annotations

import os
from collections.abc import Callable

from protocol.players import BUILTIN, BUILTIN_NAMES
from runner.models.builtin import Builtin
from runner.models.model import Model
from runner.models.oracle import Oracle
from s3gym.settings import EMBEDDED

OURS = (BUILTIN, "embedded:")
"""How the names of models begin that are played on this machine without an endpoint."""


def open_model(
    name: str,
    base_url: str | None,
    api_key_env: str,
    temperature: float | None,
    timeout: float,
    *,
    api_key_header: str | None = None,
    context_tokens: int | None = None,
    heard: Callable[[str], None] = lambda _body: None,
) -> Model:
    """Return the model that a name stands for.

    Args:
        name: Its name.
        base_url: The endpoint, for the name of a model there.
        api_key_env: The environment variable with its key.
        temperature: Sent as it is; None leaves it to the server.
        timeout: Seconds for one reply.
        api_key_header: The header that holds the key alone.
        context_tokens: The endpoint's context, where it is known.
        heard: Called with the body of every answer of an endpoint.

    Raises:
        ValueError: If the name stands for none, or what it needs is missing.
    """
    if name.startswith(BUILTIN):
        kind = name.removeprefix(BUILTIN)
        if kind == "oracle":
            return Oracle()
        return Builtin(kind)
    if name == EMBEDDED:
        from runner.models.embedded import Embedded

        return Embedded()
    if base_url is None:
        builtins = ", ".join(f"{BUILTIN}{each}" for each in (*BUILTIN_NAMES, "oracle"))
        raise ValueError(
            f"model: expected {EMBEDDED}, one of {builtins}, or the name of a model and its --base-url, got {name!r}"
        )
    from runner.models.openai_chat import OpenAIChat

    return OpenAIChat(
        base_url=base_url,
        model=name,
        api_key=os.environ.get(api_key_env) or "none",
        api_key_header=api_key_header,
        context_tokens=context_tokens,
        temperature=temperature,
        timeout=timeout,
        heard=heard,
    )
