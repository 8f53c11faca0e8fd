"""`embedded:smollm2`: a small packaged model on this machine; no key, no network."""

from __future__ import annotations

from collections.abc import Sequence

from protocol.decoding import decoding_at
from protocol.messages import Message
from protocol.records import Endpoint
from runner.models.llama_server import LlamaServer, ServerStartError
from runner.models.model import Answer
from runner.models.openai_chat import OpenAIChat
from runner.models.weights import EmbeddedUnavailableError, find_embedded

CONTEXT_TOKENS = 8192
_NAME = "smollm2"
_MODEL = "SmolLM2-135M-Instruct, Q4_1"


class Embedded:
    """SmolLM2-135M-Instruct behind llama.cpp's server, asked through the same client as any other endpoint.

    Temperature 0. Equal prompts give equal replies but for near-ties, which the server's prompt cache may turn.

    Args:
        timeout: Seconds for one reply.

    Raises:
        EmbeddedUnavailableError: If it is not installed or does not start.
    """

    def __init__(self, *, timeout: float = 300.0) -> None:
        weights = find_embedded()
        try:
            self._server = LlamaServer(weights, _NAME, CONTEXT_TOKENS)
        except ServerStartError as error:
            raise EmbeddedUnavailableError(f"embedded model: {error}") from error
        address = self._server.address
        self._chat = OpenAIChat(address.base_url, _NAME, address.api_key, decoding=decoding_at(0.0), timeout=timeout)

    @property
    def endpoint(self) -> Endpoint:
        """Return what the manifest says of this model."""
        return Endpoint(kind="embedded", model=_MODEL, context_tokens=CONTEXT_TOKENS)

    @property
    def adaptations(self) -> tuple[str, ...]:
        """Return how requests had to differ from what was asked for: in no way, ever."""
        return self._chat.adaptations

    async def ask(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        """Send one request and return its completed reply.

        Raises:
            TransportFaultError: If no completed reply came.
        """
        return await self._chat.ask(messages, max_tokens)

    async def close(self) -> None:
        """Shut the server down."""
        await self._chat.close()
        self._server.close()
