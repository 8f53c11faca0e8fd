"""A model whose answers are waited for, in a loop of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from protocol.messages import Message
from protocol.records import Endpoint
from runner.models.model import Answer, Model


class Waiting:
    """The same model for tests that ask one thing after the other."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._runner = asyncio.Runner()

    @property
    def endpoint(self) -> Endpoint:
        return self.model.endpoint

    @property
    def adaptations(self) -> tuple[str, ...]:
        return self.model.adaptations

    def ask(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        return self._runner.run(self.model.ask(messages, max_tokens))

    def ask_at_once(self, prompts: Sequence[Sequence[Message]], max_tokens: int) -> list[Answer | BaseException]:
        async def together() -> list[Answer | BaseException]:
            asks = [self.model.ask(prompt, max_tokens) for prompt in prompts]
            return await asyncio.gather(*asks, return_exceptions=True)

        return self._runner.run(together())

    def close(self) -> None:
        self._runner.run(self.model.close())
        self._runner.close()
        self._runner = asyncio.Runner()
