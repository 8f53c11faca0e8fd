"""Any OpenAI-compatible endpoint, through the `openai` SDK: chat completions, or the Responses API."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from openai import APIConnectionError, APIStatusError, APITimeoutError, OpenAIError

from protocol.decoding import decoding_at
from protocol.extras import field_value
from protocol.messages import Message
from protocol.records import Decoding, Endpoint
from runner.models.api import Answering, Api, Request
from runner.models.base_url import read_base_url
from runner.models.chat_api import ChatApi
from runner.models.chat_client import HTTP_ERROR, HTTP_TIMEOUT, open_client
from runner.models.chat_faults import (
    ErrorBody,
    kind_of,
    names_system_role,
    names_temperature,
    names_usage_option,
    read_error,
    wants_new_token_parameter,
)
from runner.models.chat_reply import NoCompletionError, read_reply, read_usage, scrub
from runner.models.chat_waits import wait_asked_for
from runner.models.event_stream import Events, Joiner
from runner.models.masking import Masker
from runner.models.model import TEMPERATURE_LEFT, Answer, FaultKind, TransportFaultError
from runner.models.surroundings import route, trusted

NO_KEY = "none"
"""What is sent as the key where an endpoint needs none; no secret."""
MAX_BODY = 8 * 2**20
"""Bytes of a reply's body; a longer one is no reply of at most 14,000 tokens."""
DEFAULT_TIMEOUT = 300.0
SERVER_DEFAULTS = decoding_at(None)
NOTHING_HIDDEN: Mapping[str, str] = {}
_HEADER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_REFUSED_PARAMETERS = (400, 422)
_REFUSES_ALL = (401, 403, 404, 405, 410)
_NEW_TOKENS = "max_completion_tokens sent in place of max_tokens, which the endpoint refuses"
_NO_USAGE = "stream_options not sent, which the endpoint refuses"


@dataclass(frozen=True, slots=True)
class _Form:
    """How requests are put; an endpoint's refusals may change it."""

    decoding: Decoding
    limit: str
    """The name of the parameter that bounds new tokens."""
    usage: bool = True
    """Whether a stream is asked for its usage."""
    adaptations: tuple[str, ...] = ()


class _RefusedError(TransportFaultError):
    """A refusal that another form of the request may mend."""

    def __init__(self, fault: TransportFaultError, form: _Form) -> None:
        super().__init__(fault.kind, fault.message, retry_after=fault.retry_after)
        self.form = form


class OpenAIChat:
    """A model behind an OpenAI-compatible endpoint.

    One call of `ask` sends one request, follows no redirect and retries nothing, save that a request refused for its
    form (the name of the token limit, a temperature, the wish for a stream's usage) is sent again at once in the other
    form, once each in this object's life; what was learned is kept unless the other form is refused as well. How an
    endpoint must be asked is read from its answers alone, never from the model's name.

    Args:
        base_url: `http://host/v1` or `http://host/v1/chat/completions`; may carry a user name, a password, a query.
        model: The model's name at the endpoint.
        api_key: The key; "none" or nothing where the endpoint needs none.
        api_key_header: The header that holds the key alone; by default `Authorization: Bearer KEY`.
        decoding: Sent as it is; what is not set is left to the server.
        hidden: The values of those headers of the decoding that have none there, by name.
        api: By which API; by default chat completions.
        timeout: Seconds for one request: to wait for a next byte, and for the body to be complete.
        context_tokens: The context of the endpoint, where it is known.
        heard: Called with the body of every answer, as it came: who asks about an endpoint reads more than a run does.

    Raises:
        ValueError: If an argument cannot be sent; the message holds no secret.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str = NO_KEY,
        *,
        api_key_header: str | None = None,
        decoding: Decoding = SERVER_DEFAULTS,
        hidden: Mapping[str, str] = NOTHING_HIDDEN,
        api: Api | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        context_tokens: int | None = None,
        heard: Callable[[str], None] = lambda _body: None,
    ) -> None:
        if not 0 < len(model) <= 200:
            raise ValueError(f"model: expected a name of 1 to 200 characters, got {len(model)}")
        if not 0 < timeout <= 86_400:
            raise ValueError(f"timeout: expected seconds above 0 and up to 86,400, got {timeout}")
        key = api_key.strip() or NO_KEY
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise ValueError("API key: expected printable ASCII without blanks, got other characters; check its value")
        if api_key_header is not None and not _HEADER_NAME.fullmatch(api_key_header):
            raise ValueError("API key header: expected the name of a header, such as api-key, got something else")
        where = read_base_url(base_url)
        self._api = api or ChatApi()
        self._headers = {
            each.name: hidden[each.name] if each.value is None else each.value for each in decoding.extra_headers
        }
        self._extra = {each.name: field_value(each.value) for each in decoding.extra_body}
        self._endpoint = Endpoint(kind=self._api.kind, model=model, context_tokens=context_tokens)
        self._where = where
        self._masker = Masker([*([key] if key != NO_KEY else []), *where.secrets, *hidden.values()])
        self._timeout = timeout
        self._heard = heard
        self._form = _Form(decoding, self._api.limit)
        self._tried: set[str] = set()
        self._client = open_client(where, key, timeout, api_key_header)

    @property
    def endpoint(self) -> Endpoint:
        """Return what the manifest says of this model."""
        return self._endpoint

    @property
    def adaptations(self) -> tuple[str, ...]:
        """Return how requests had to differ from what was asked for, in words."""
        return self._form.adaptations

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def ask(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        """Send one request and return its completed reply.

        Raises:
            TransportFaultError: If no completed reply came.
        """
        before = form = self._form
        while True:
            try:
                return await self._send(messages, max_tokens, form)
            except _RefusedError as refused:
                self._form = form = refused.form
            except TransportFaultError as fault:
                if fault.kind is not FaultKind.REFUSED:
                    raise
                if self._form not in (before, form):
                    # Another request has learned meanwhile how this endpoint must be asked.
                    before = form = self._form
                    continue
                self._form = before
                raise

    async def _send(self, messages: Sequence[Message], max_tokens: int, form: _Form) -> Answer:
        fields = self._api.fields(form.decoding, usage=form.usage)
        body = {form.limit: max_tokens, **fields, **self._extra}
        request = Request(self._endpoint.model, messages, body, self._headers)
        try:
            # Only the body is read in pieces, so that its size can be bounded; the reply is read when it is whole. The
            # time is bounded as a whole too: a gateway that keeps the connection alive with blanks, or a stream with
            # comments, never runs into the read timeout.
            async with asyncio.timeout(self._timeout), self._api.send(self._client, request) as response:
                said = await self._read(response, streamed=form.decoding.stream)
                request_id = response.headers.get("x-request-id")
        except APIStatusError as error:
            raise self._refused(error, form) from None
        except (TimeoutError, APITimeoutError, HTTP_TIMEOUT):
            raise self._timed_out() from None
        except (APIConnectionError, HTTP_ERROR, OSError) as error:
            cause = error.__cause__ or error
            reason = self._masker.shown(str(cause)) or type(cause).__name__
            by = route(self._where)
            trust = f"; {trusted()}" if "CERTIFICATE_VERIFY_FAILED" in reason else ""
            message = f"{self._where.shown}: no connection{by}: {reason}{trust}"
            raise TransportFaultError(FaultKind.CONNECTION, message) from None
        except OpenAIError as error:
            raise TransportFaultError(FaultKind.MALFORMED, self._masker.shown(str(error))) from None
        except NoCompletionError as error:
            raise self._malformed(error, "") from None
        completion = self._api.completion(said)
        self._heard(completion)
        return self._answer(completion, request_id)

    async def _read(self, response: Answering, *, streamed: bool) -> str:
        """Return the body of an answer; an endpoint that does not stream may answer a wish for it with a whole one."""
        if streamed and "event-stream" in response.headers.get("content-type", ""):
            return await _joined(response.iter_bytes, self._api.joiner())
        return await self._whole(response.iter_bytes)

    async def _whole(self, chunks: Callable[[], AsyncIterator[bytes]]) -> str:
        body = bytearray()
        async for chunk in chunks():
            body += chunk
            if len(body) > MAX_BODY:
                limit = f"expected a body of at most {MAX_BODY} bytes, got more"
                raise TransportFaultError(FaultKind.MALFORMED, f"{self._where.shown}: {limit}")
        return body.decode("utf-8-sig", errors="replace")

    def _answer(self, body: str, request_id: str | None) -> Answer:
        try:
            answer = read_reply(body)
        except NoCompletionError as error:
            raise self._malformed(error, read_error(body).message) from None
        told = answer.model, request_id[:200] if request_id else answer.request_id, answer.fingerprint
        text, model, request, fingerprint = (
            scrub(self._masker.without_keys(each)) if each else each for each in (answer.text, *told)
        )
        return answer._replace(text=text or "", model=model, request_id=request, fingerprint=fingerprint)

    def _malformed(self, error: NoCompletionError, said: str) -> TransportFaultError:
        words = f": {self._masker.shown(said)}" if said else ""
        message = f"{self._where.shown}: expected {self._api.noun}, got {error}{words}"
        return TransportFaultError(error.kind, message, advice=error.advice, usage=error.usage)

    def _timed_out(self) -> TransportFaultError:
        return TransportFaultError(
            FaultKind.TIMEOUT, f"{self._where.shown}: expected a reply within {self._timeout:g} s, got none"
        )

    def _refused(self, error: APIStatusError, form: _Form) -> TransportFaultError:
        status = error.status_code
        said = read_error(error.response.text)
        kind = kind_of(status, said)
        moved = f"it redirects to {error.response.headers.get('location', 'nowhere')}; give that as the base URL"
        words = moved if status < 400 else said.message
        fault = TransportFaultError(
            kind,
            f"{self._where.shown}: HTTP {status}: {self._masker.shown(words)}",
            retry_after=wait_asked_for(error.response.headers, said, time.time()),
            refuses_all=status in _REFUSES_ALL or status < 400,
            refuses_system=names_system_role(said),
            # A chat template that fails on a prompt is a bare 500; 502, 503, 529 and their kind tell of no prompt.
            blames_itself=kind is FaultKind.SERVER and status != 500,
            usage=read_usage(error.response.text),
        )
        if kind is not FaultKind.REFUSED or status not in _REFUSED_PARAMETERS:
            return fault
        return self._adapted(fault, said, form) or fault

    def _adapted(self, fault: TransportFaultError, said: ErrorBody, form: _Form) -> _RefusedError | None:
        """Return the fault with the form of request that may mend it; None if none is left to try."""
        temperature = form.decoding.temperature
        if temperature is not None and names_temperature(said) and self._first("temperature"):
            words = f"{TEMPERATURE_LEFT}, which refuses {temperature:g}"
            decoding = form.decoding.model_copy(update={"temperature": None})
            return _RefusedError(fault, replace(form, decoding=decoding, adaptations=(*form.adaptations, words)))
        if form.limit == "max_tokens" and wants_new_token_parameter(said) and self._first("max_tokens"):
            adapted = (*form.adaptations, _NEW_TOKENS)
            return _RefusedError(fault, replace(form, limit="max_completion_tokens", adaptations=adapted))
        if form.decoding.stream and form.usage and names_usage_option(said) and self._first("stream_options"):
            return _RefusedError(fault, replace(form, usage=False, adaptations=(*form.adaptations, _NO_USAGE)))
        return None

    def _first(self, parameter: str) -> bool:
        fresh = parameter not in self._tried
        self._tried.add(parameter)
        return fresh


async def _joined(chunks: Callable[[], AsyncIterator[bytes]], joiner: Joiner) -> str:
    """Return the body that a stream stands for; what comes after its last event is not waited for."""
    events = Events()
    async for chunk in chunks():
        if any(map(joiner.take, events.feed(chunk))):
            return joiner.body()
    any(map(joiner.take, events.end()))
    return joiner.body()
