"""Where prompts go out and outcomes come in: the journal first, the model only for what is not there yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from games.base import State
from protocol.context import ContextOverflowError, Dropped
from protocol.messages import Message
from protocol.records import CutReason
from runner.beginning import Beginning
from runner.errors import JournalError
from runner.findings import Findings
from runner.journal import Billed, Journal, Outcome
from runner.ledger import Ledger
from runner.lengths import Lengths
from runner.models.model import FaultKind, Model, SeesState, TransportFaultError, Usage
from runner.probing import takes_system_role
from runner.retry import Asked, Asker
from runner.watcher import Watcher

CONTEXT_OVERFLOW = "context_overflow"


class Sendable(Protocol):
    """A prompt under way: what is sent now, and how it is cut once more."""

    @property
    def digest(self) -> str:
        """Return the context digest of what would be sent now."""

    @property
    def tokens(self) -> int:
        """Return the estimate of what would be sent now."""

    @property
    def dropped(self) -> Dropped:
        """Return what it leaves out."""

    def messages(self) -> list[Message]:
        """Return what would be sent now."""

    def parts(self) -> list[str]:
        """Return its text in parts, from its start on, as a prefix cache meets it."""

    def shrink(self) -> None:
        """Cut once more."""

    def drop_to(self, dropped: Dropped) -> None:
        """Drop as much as a record says."""


class Known(NamedTuple):
    """An outcome and what was sent for it in all."""

    outcome: Outcome
    requests: int
    billed: tuple[Billed, ...] = ()
    """What was counted of those requests whose replies are not kept."""


class Asks(Protocol):
    """Where the replies of a run come from."""

    async def ask(self, key: str, prompt: Sendable, state: State | None = None, *, summary: bool = False) -> Known:
        """Return the outcome of a step or summary call."""

    def refuse(self, key: str, prompt: Sendable) -> Known:
        """Note that a prompt could not be made to fit, without a request."""


class Desk:
    """Asks for every reply once; what the journal knows is never asked again."""

    def __init__(
        self,
        model: Model,
        journal: Journal,
        asker: Asker,
        output_tokens: int,
        watcher: Watcher,
        ledger: Ledger | None = None,
        *,
        keep_going: bool = False,
    ) -> None:
        self._model = model
        self._journal = journal
        self._asker = asker
        self._output_tokens = output_tokens
        self._watcher = watcher
        self._ledger = ledger or Ledger()
        self._ledger.resume(journal.all_requests, journal.all_billed, journal.outcomes)
        self._beginning = Beginning(model.endpoint, keep_going=keep_going)
        for outcome in journal.outcomes:
            self._beginning.note(outcome)
        self._lengths = Lengths(journal.outcomes)
        if any(outcome.reply is not None for outcome in journal.outcomes):
            asker.resume()
        self.findings = Findings(watcher.warned, journal.adaptations)
        """What the replies of all games betray about the endpoint."""

    async def takes_system_role(self) -> bool:
        """Return whether the endpoint takes a system message: found out once in a run's life.

        Raises:
            PauseRunError: If the endpoint cannot answer now.
        """
        return await takes_system_role(
            self._model, self._journal, self._asker, self._output_tokens, self._ledger, self._watcher
        )

    async def ask(self, key: str, prompt: Sendable, state: State | None = None, *, summary: bool = False) -> Known:
        """Return the outcome of a step or summary call.

        Args:
            key: What is asked for, unique in the run.
            prompt: What is sent.
            state: The true state, for a model that declares that it sees it; no scored model does.
            summary: Whether it is a summary call.

        Raises:
            JournalError: If the journal knows this key with another prompt.
            PauseRunError: If the run cannot go on now; nothing is scored and it can be resumed.
        """
        known = self._journal.outcome(key)
        if known is None:
            known = await self._send(key, prompt, state, summary=summary)
            self._journal.keep(known)
            self._ledger.answered(known)
            self._beginning.note(known)
            self._lengths.note(known)
        else:
            self._agree(known, prompt)
        self.findings.note(known, prompt.messages)
        return Known(known, self._journal.requests(key), self._journal.billed(key))

    def refuse(self, key: str, prompt: Sendable) -> Known:
        """Note that a prompt could not be made to fit, without a request."""
        known = self._journal.outcome(key)
        if known is None:
            known = _outcome(key, prompt, "rule", Asked(None, None, 0, 0.0), CONTEXT_OVERFLOW)
            self._journal.keep(known)
        self.findings.note(known, prompt.messages)
        return Known(known, self._journal.requests(key), self._journal.billed(key))

    async def _send(self, key: str, prompt: Sendable, state: State | None, *, summary: bool) -> Outcome:
        model = self._model
        if state is not None and isinstance(model, SeesState):
            model = model.seeing(state)
        asked = await self._request(model, key, prompt, summary=summary)
        cut: CutReason = "rule"
        silent = asked.answer is not None and self._lengths.may_not_fit(asked.answer, prompt.tokens)
        if silent or (asked.fault is not None and asked.fault.kind is FaultKind.OVERFLOW):
            first, tokens = asked, prompt.tokens
            try:
                prompt.shrink()
            except ContextOverflowError:
                silent = False
            else:
                if first.answer is not None:
                    self._bill(key, tokens, first.answer.usage, first.answer.text)
                cut = "server_overflow"
                asked = await self._request(model, key, prompt, summary=summary)
                asked = asked._replace(seconds=asked.seconds + first.seconds)
        fault = None
        if asked.fault is not None:
            overflow = asked.fault.kind is FaultKind.OVERFLOW
            fault = CONTEXT_OVERFLOW if overflow else asked.fault.kind.value
        return _outcome(key, prompt, cut, asked, fault, self._model.adaptations, silent=silent)

    async def _request(self, model: Model, key: str, prompt: Sendable, *, summary: bool) -> Asked:
        digest = prompt.digest
        messages: Sequence[Message] = prompt.messages()

        def before(_: int) -> None:
            self._beginning.check()
            self._ledger.asking()
            self._journal.asking(key, digest)

        def waiting(seconds: float, fault: TransportFaultError) -> None:
            self._watcher.waiting(key, seconds, fault.kind.words)

        def billed(usage: Usage, text: str | None) -> None:
            self._bill(key, prompt.tokens, usage, text)

        return await self._asker.ask(model, messages, self._output_tokens, before, waiting, billed, summary=summary)

    def _bill(self, key: str, tokens: int, usage: Usage, text: str | None) -> None:
        """Count a request whose reply is not kept."""
        line = Billed.of(key, usage, tokens, text)
        if line is not None:
            self._journal.count(line)
            self._ledger.billed(line)

    @staticmethod
    def _agree(known: Outcome, prompt: Sendable) -> None:
        if known.cut == "server_overflow":
            prompt.drop_to(Dropped(known.dropped_episodes, known.dropped_steps, known.window))
        if known.context != prompt.digest:
            raise JournalError(
                f"journal, {known.key}: expected the prompt {known.context[:12]}..., got {prompt.digest[:12]}...: the "
                "rules or prompts have changed since this run was begun. Begin a new run in another folder."
            )


def _outcome(
    key: str,
    prompt: Sendable,
    cut: CutReason,
    asked: Asked,
    fault: str | None,
    adaptations: tuple[str, ...] = (),
    *,
    silent: bool = False,
) -> Outcome:
    answer = asked.answer
    usage = answer.usage if answer else Usage()
    dropped = prompt.dropped
    return Outcome(
        key=key,
        context=prompt.digest,
        dropped_episodes=dropped.episodes,
        dropped_steps=dropped.steps,
        window=dropped.window,
        cut=cut,
        prompt_tokens=prompt.tokens,
        reply=answer.text if answer else None,
        finish=answer.finish if answer else None,
        fault=fault,
        seconds=asked.seconds,
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        tokens_cached=usage.tokens_cached,
        model=answer.model if answer else None,
        request_id=answer.request_id if answer else None,
        fingerprint=answer.fingerprint if answer else None,
        adaptations=adaptations,
        silent=silent,
    )
