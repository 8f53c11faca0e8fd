"""Finds out, before the first step of a run, whether an endpoint takes a system message."""

from __future__ import annotations

from collections.abc import Sequence

from protocol.messages import Message, messages_digest, tokens_of
from protocol.records import Endpoint
from runner.journal import Billed, Found, Journal
from runner.ledger import Ledger
from runner.models.model import Answer, FaultKind, Model, TransportFaultError
from runner.models.probe import WITH_SYSTEM, WITHOUT_SYSTEM
from runner.retry import Asker, completed
from runner.watcher import Watcher

PROBE = "probe"
"""The key of the probe's requests in the journal."""
_REFUSALS = (FaultKind.REFUSED, FaultKind.SERVER)
"""A chat template that knows no system message fails with a 400, a 422 or a 500."""


async def takes_system_role(
    model: Model, journal: Journal, asker: Asker, max_tokens: int, ledger: Ledger, watcher: Watcher
) -> bool:
    """Return whether the endpoint takes a system message; asked once in a run's life, and then read from the journal.

    The layout of every prompt hangs on the answer, so a resumed run never finds another one. It is told from what the
    endpoint answers to a small prompt, never from the model's name: a system message is not taken if a prompt with one
    is refused and the same words without one are answered. A refusal that does not complain of the system message has
    to be met twice, before and after that answer.

    Raises:
        PauseRunError: If the endpoint answers neither form, or cannot answer now.
    """
    if journal.found is None:
        probing = _Probing(model, asker, journal, ledger)
        asked = await asker.ask(
            probing,
            WITH_SYSTEM,
            max_tokens,
            lambda _: None,
            lambda seconds, fault: watcher.waiting(PROBE, seconds, fault.kind.words),
        )
        journal.find(
            Found(
                system_role=probing.system_role is not False,
                adaptations=model.adaptations,
                seconds=asked.seconds / max(1, asked.requests),
                tokens_out=None if asked.answer is None else asked.answer.usage.tokens_out,
            )
        )
    return journal.found is None or journal.found.system_role


class _Probing:
    """A model that is asked one thing, in either form."""

    def __init__(self, model: Model, asker: Asker, journal: Journal, ledger: Ledger) -> None:
        self._model = model
        self._asker = asker
        self._journal = journal
        self._ledger = ledger
        self.system_role: bool | None = None
        """What was found; None until then."""

    @property
    def endpoint(self) -> Endpoint:
        """Return what the manifest says of the model."""
        return self._model.endpoint

    @property
    def adaptations(self) -> tuple[str, ...]:
        """Return how requests had to differ."""
        return self._model.adaptations

    async def ask(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        """Ask in the form that is known to be taken, or find out which one is.

        Raises:
            TransportFaultError: If neither form was answered.
        """
        if self.system_role is False:
            return await self._send(WITHOUT_SYSTEM, max_tokens)
        try:
            answer = await self._send(messages, max_tokens)
        except TransportFaultError as fault:
            if fault.refuses_all or not _may_refuse_the_role(fault):
                raise
            return await self._compare(fault, max_tokens)
        self.system_role = True
        return answer

    async def close(self) -> None:
        """Hold nothing of its own."""

    async def _compare(self, fault: TransportFaultError, max_tokens: int) -> Answer:
        await self._asker.turn()
        try:
            answer = await self._send(WITHOUT_SYSTEM, max_tokens)
        except TransportFaultError:
            raise fault from None
        if not fault.refuses_system:
            await self._asker.turn()
            try:
                answer = await self._send(WITH_SYSTEM, max_tokens)
            except TransportFaultError as again:
                if not _may_refuse_the_role(again):
                    raise
            else:
                self.system_role = True
                return answer
        self.system_role = False
        return answer

    async def _send(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        self._ledger.asking()
        self._journal.asking(PROBE, messages_digest(messages))
        got = await completed(self._model, messages, max_tokens)
        billed = Billed.of(PROBE, got.usage, tokens_of(messages), got.text if isinstance(got, Answer) else None)
        if billed is not None:
            self._journal.count(billed)
            self._ledger.billed(billed)
        if isinstance(got, Answer):
            return got
        raise got


def _may_refuse_the_role(fault: TransportFaultError) -> bool:
    return fault.kind in _REFUSALS and (fault.refuses_system or not fault.blames_itself)
