"""A chat endpoint on loopback that plays like a built-in model and fails like a real one, on a schedule."""

from __future__ import annotations

import json
import os
import select
import socket
import struct
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal, NamedTuple, Protocol

from protocol.messages import Message, messages_digest
from runner.models.builtin import Builtin
from runner.models.model import Answer
from tests.runner.faults import Reply, completion, error, json_reply
from tests.runner.weather import FAULTS, POOR, Schedule, Weather, clear

DECOY = "Answer: END, Score: 0"
"""Stands in every fault: whoever takes a fault for a reply plays on differently."""
_BREATH = 0.02
"""Seconds between two looks at whether a client is still there."""

Stage = Literal["received", "half sent", "sent"]
Watch = Callable[[Stage, str], None]
"""Hears how far a prompt has come, in the thread that answers it, before anything more is sent."""


class Answers(Protocol):
    """Whoever answers behind the endpoint."""

    def answer(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        """Return a completed reply."""


_OVERFLOWS = (
    error(400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
    error(400, f"the input ({DECOY}) is longer than the model's context length"),
    error(500, "upstream: prompt is too long"),
    Reply(413, b"<html>Request Entity Too Large</html>"),
)


class Count(NamedTuple):
    """What an endpoint has seen."""

    received: Counter[str]
    """Requests by the digest of their messages."""
    completed: Counter[str]
    """Among them those whose reply, no poor one, was sent whole."""
    weather: Counter[Weather]
    overflows: int


class Stormy:
    """The endpoint: it remembers digests and counts, never whole prompts.

    Args:
        model: Who answers: a built-in model by its name, or anyone else.
        schedule: What a request meets.
        largest: Characters of the longest prompt that fits; None for any.
        watch: Who hears of every request.
        slowness: Seconds that a slow reply takes.
    """

    def __init__(
        self,
        model: str | Answers = "greedy",
        schedule: Schedule = clear,
        *,
        largest: int | None = None,
        watch: Watch = lambda stage, digest: None,
        slowness: float = 0.05,
    ) -> None:
        self.model: Answers = Builtin(model) if isinstance(model, str) else model
        self.schedule = schedule
        self.largest = largest
        self.watch = watch
        self.slowness = slowness
        self.ended = threading.Event()
        self.down = False
        self.port = 0
        self._count = Count(Counter(), Counter(), Counter(), 0)
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """Return the base URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def count(self) -> Count:
        """Return a copy of the counts."""
        with self._lock:
            received, completed, weather, overflows = self._count
            return Count(received.copy(), completed.copy(), weather.copy(), overflows)

    def arrives(self, digest: str) -> int:
        """Count a request; return how often its messages were sent by now."""
        with self._lock:
            self._count.received[digest] += 1
            return self._count.received[digest]

    def meets(self, weather: Weather, *, overflow: bool = False) -> None:
        """Count what a request meets."""
        with self._lock:
            self._count.weather[weather] += 1
            self._count = self._count._replace(overflows=self._count.overflows + overflow)

    def completes(self, digest: str) -> None:
        """Count a reply that was sent whole."""
        with self._lock:
            self._count.completed[digest] += 1

    @contextmanager
    def outage(self) -> Iterator[None]:
        """Refuse connections while the context lasts, and reset those that stand."""
        self.down = True
        self._close()
        try:
            yield
        finally:
            self.down = False
            self._open()

    def __enter__(self) -> Stormy:
        self._open()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self._close()

    def _open(self) -> None:
        stormy = self

        class Handler(_Handler):
            endpoint = stormy

        self._http = _Server(("127.0.0.1", self.port), Handler)
        self.port = self._http.server_address[1]
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def _close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: object, client_address: object) -> None:
        """Keep quiet about a client that was killed or went away; tell of anything else."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)  # type: ignore[arg-type]  # passed on as it came


class _Handler(BaseHTTPRequestHandler):
    endpoint: Stormy
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """Answer a chat completion by the schedule."""
        endpoint = self.endpoint
        length = int(self.headers["content-length"])
        data = self.rfile.read(length)
        if endpoint.down or len(data) < length:
            # Half a request is what a killed client leaves behind.
            self._reset()
            return
        body = json.loads(data)
        messages = [Message(each["role"], each["content"]) for each in body["messages"]]
        digest = messages_digest(messages)
        sending = endpoint.arrives(digest)
        endpoint.watch("received", digest)
        weather = endpoint.schedule(digest, sending)
        too_long = endpoint.largest is not None and sum(len(each.content) for each in messages) > endpoint.largest
        overflow = too_long and weather not in FAULTS
        endpoint.meets(weather, overflow=overflow)
        if overflow:
            self._send(_OVERFLOWS[sending % len(_OVERFLOWS)])
            return
        if weather in FAULTS:
            self._fail(weather)
            return
        reply = reply_in(weather, endpoint.model.answer(messages, int(body["max_tokens"])))
        if weather is Weather.SLOW:
            endpoint.ended.wait(endpoint.slowness)
        self._send(reply, digest, chunked=weather is Weather.CHUNKED)
        if weather not in POOR:
            endpoint.completes(digest)
        endpoint.watch("sent", digest)

    def _fail(self, weather: Weather) -> None:
        whole = completion(DECOY)
        if weather is Weather.RESET:
            self._reset()
        elif weather is Weather.CLOSED:
            self.close_connection = True
        elif weather is Weather.CUT:
            self._head(whole, ("content-length", str(len(whole.body))))
            self._break_off(whole.body[: len(whole.body) // 2])
        elif weather is Weather.STREAM_DIES:
            self._head(whole, ("transfer-encoding", "chunked"))
            self._break_off(b"%x\r\n%s\r\n" % (len(whole.body), whole.body))
        elif weather is Weather.HANG:
            self._stay(b"")
        elif weather is Weather.DRIP:
            self._head(whole, ("connection", "close"))
            self._stay(b"\n")
        else:
            self._send(_ANSWERS[weather])

    def _send(self, reply: Reply, digest: str | None = None, *, chunked: bool = False) -> None:
        self._head(reply, ("transfer-encoding", "chunked") if chunked else ("content-length", str(len(reply.body))))
        middle = len(reply.body) // 2
        for part in (reply.body[:middle], reply.body[middle:]):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part) if chunked and part else part)
            self.wfile.flush()
            if digest is not None:
                self.endpoint.watch("half sent", digest)
                digest = None
        if chunked:
            self.wfile.write(b"0\r\n\r\n")
            self.wfile.flush()

    def _head(self, reply: Reply, framing: tuple[str, str]) -> None:
        self.send_response(reply.status)
        for name, value in (*reply.headers, framing):
            self.send_header(name, value)
        self.end_headers()

    def _break_off(self, body: bytes) -> None:
        self.wfile.write(body)
        self.wfile.flush()
        self.close_connection = True

    def _reset(self) -> None:
        """Close at once, so that the client gets a reset and no end of file."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(self.connection.detach())

    def _stay(self, word: bytes) -> None:
        """Say the same word for ever, until the client has gone or the test is over."""
        self.close_connection = True
        with suppress(OSError):
            while not self.endpoint.ended.wait(_BREATH) and not self._gone():
                self.wfile.write(word)
                self.wfile.flush()

    def _gone(self) -> bool:
        readable, _, _ = select.select([self.connection], [], [], 0)
        return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


_ANSWERS = {
    Weather.RATE_LIMIT: error(429, f"slow down; {DECOY}"),
    Weather.RATE_LIMIT_WAIT: error(429, f"slow down; {DECOY}", retry_after="3"),
    Weather.SERVER: Reply(500, DECOY.encode()),
    Weather.GATEWAY: Reply(502, f"<html><body>{DECOY}</body></html>".encode(), (("content-type", "text/html"),)),
    Weather.DOWN: error(503, DECOY, retry_after="1"),
    Weather.BUSY: error(529, f"overloaded; {DECOY}", "overloaded_error"),
    Weather.ERROR_200: json_reply({"error": {"message": f"upstream went away; {DECOY}", "code": 502}}),
    Weather.NO_CHOICES: completion(choices=None, error_text=DECOY),
    Weather.HTML_200: Reply(200, f"<!DOCTYPE html><html><body>{DECOY}</body></html>".encode()),
    Weather.TRUNCATED_200: Reply(200, completion(DECOY).body[:-9]),
    Weather.FILTER_ERROR: error(400, f"filtered by the content management policy; {DECOY}", "content_filter"),
}


def reply_in(weather: Weather, answer: Answer) -> Reply:
    """Return an answer in the form that a weather gives it."""
    tokens_in, tokens_out = answer.usage.tokens_in or 0, answer.usage.tokens_out or 0
    usage: object = {
        "prompt_tokens": tokens_in,
        "completion_tokens": tokens_out,
        "total_tokens": tokens_in + tokens_out,
    }
    if weather is Weather.NO_USAGE:
        usage = None
    if weather is Weather.FILTER_ERROR:
        return _ANSWERS[weather]
    if weather is Weather.FILTER_FINISH:
        return completion(DECOY, "content_filter", usage=usage)
    if weather is Weather.EMPTY:
        return completion(" \n", "stop", usage=usage)
    if weather in (Weather.REASONING, Weather.TOOL_CALLS):
        message: dict[str, object] = {"role": "assistant", "content": None}
        if weather is Weather.REASONING:
            message["reasoning_content"] = DECOY
        else:
            call = {"name": "move", "arguments": json.dumps({"action": DECOY})}
            message["tool_calls"] = [{"id": "1", "type": "function", "function": call}]
        return completion(choices=[{"index": 0, "message": message, "finish_reason": "stop"}], usage=usage)
    content: object = answer.text
    if weather is Weather.PARTS:
        middle = len(answer.text) // 2
        halves = (answer.text[:middle], answer.text[middle:])
        content = [{"type": "thinking", "thinking": DECOY}, *({"type": "text", "text": half} for half in halves)]
    reply = completion(content, answer.finish, usage=usage)
    return Reply(200, b"\n \n" + reply.body) if weather is Weather.BLANKS else reply
