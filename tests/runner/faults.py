"""Small scripted endpoints on loopback: they answer as told and keep what they were asked."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal, NamedTuple

from protocol.messages import Message

HELLO = (Message("system", "Rules."), Message("user", "State."))
KEY = "test-key-0123456789abcdef"


class Received(NamedTuple):
    """One request."""

    target: str
    """As in the request line: path and query; a whole URL if it was sent to a proxy."""
    headers: dict[str, str]
    """Names in lower case."""
    body: dict[str, object]
    """Empty in a GET request."""


@dataclass(frozen=True)
class Reply:
    """One answer."""

    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    manner: Literal["whole", "cut", "drip", "hang"] = "whole"
    """`cut`: the connection closes in the middle of the body; `drip`: blanks for ever; `hang`: nothing at all."""


def json_reply(value: object, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Reply:
    return Reply(status, json.dumps(value).encode(), headers)


def completion(content: object = "Answer: UP, Score: 1", finish: object = "stop", **rest: object) -> Reply:
    """Return a chat completion; further fields go beside `choices`, or replace it."""
    message = {"role": "assistant", "content": content}
    choices = [{"index": 0, "message": message, "finish_reason": finish}]
    return json_reply({"id": "chatcmpl-1", "object": "chat.completion", "model": "m", "choices": choices, **rest})


def error(status: int, message: str, code: str | None = None, parameter: str | None = None, **headers: str) -> Reply:
    """Return an error in OpenAI's shape; header names are given with underscores."""
    body = {"error": {"message": message, "type": "some_error", "param": parameter, "code": code}}
    return json_reply(body, status, tuple((name.replace("_", "-"), value) for name, value in headers.items()))


STREAMED = (("content-type", "text/event-stream; charset=utf-8"),)


def stream(*events: object, done: bool = True) -> Reply:
    """Return server-sent events: text as it is, anything else as the data of an event; the last word unless told."""
    lines = [each if isinstance(each, str) else f"data: {json.dumps(each)}\n\n" for each in events]
    return Reply(200, ("".join(lines) + ("data: [DONE]\n\n" if done else "")).encode(), STREAMED)


def piece(content: object = None, finish: str | None = None, **rest: object) -> dict[str, object]:
    """Return a chunk of a streamed completion; further fields go beside `choices`."""
    choice = {"index": 0, "delta": {} if content is None else {"content": content}, "finish_reason": finish}
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "m", "choices": [choice], **rest}


Script = Callable[[Received], Reply]


@dataclass
class ScriptedServer:
    """A running endpoint."""

    script: Script
    received: list[Received] = field(default_factory=list)
    port: int = 0
    ended: threading.Event = field(default_factory=threading.Event)
    """Set when the test is over; what hangs or drips ends then."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def scripted(*replies: Reply | Script) -> Iterator[ScriptedServer]:
    """Serve replies in order, the last one for ever; a function makes its reply from the request."""

    def script(request: Received) -> Reply:
        turn = replies[min(len(server.received), len(replies)) - 1]
        return turn if isinstance(turn, Reply) else turn(request)

    server = ScriptedServer(script)

    class Handler(_Handler):
        scripted = server

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        server.port = http.server_address[1]
        thread = threading.Thread(target=http.serve_forever, args=(0.005,))
        thread.start()
        try:
            yield server
        finally:
            server.ended.set()
            http.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    disable_nagle_algorithm = True
    scripted: ScriptedServer

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers["content-length"]))))

    def _answer(self, body: dict[str, object]) -> None:
        server = self.scripted
        headers = {name.lower(): value for name, value in self.headers.items()}
        received = Received(self.path, headers, body)
        server.received.append(received)
        reply = server.script(received)
        if reply.manner == "hang":
            server.ended.wait()
            return
        self.send_response(reply.status)
        for name, value in reply.headers:
            self.send_header(name, value)
        if reply.manner != "drip":
            self.send_header("content-length", str(len(reply.body)))
        self.end_headers()
        if reply.manner == "drip":
            with suppress(ConnectionError):
                while not server.ended.wait(0.005):
                    self.wfile.write(b"\n")
        elif reply.manner == "cut":
            self.wfile.write(reply.body[: len(reply.body) // 2])
        else:
            self.wfile.write(reply.body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it so
        pass
