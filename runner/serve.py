"""An OpenAI-compatible endpoint on this machine that serves the built-in models."""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from protocol.messages import Message
from protocol.players import BUILTIN_NAMES
from protocol.strictjson import MAX_PARTS, Several, is_crowded
from runner.models.builtin import Builtin
from runner.models.model import Answer, TransportFaultError

MAX_BODY = 16 << 20
"""Bytes of a request; a longer one is refused unread."""
MAX_SECONDS = 60
"""How long a connection may say nothing."""
CHAT, MODELS, HEALTH = "/v1/chat/completions", "/v1/models", "/health"


class _ChatMessage(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    role: Literal["system", "user", "assistant"]
    content: str


class _ChatRequest(BaseModel):
    """The fields that are read; others are allowed and ignored, as endpoints do."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")

    model: Annotated[str, Field(max_length=200)]
    messages: Annotated[Several[_ChatMessage], Field(min_length=1)]
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    n: Literal[1] | None = None
    stream: Literal[False] | None = None


class _RefusedError(Exception):
    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = MAX_SECONDS
    disable_nagle_algorithm = True
    """Head and body are two writes, and the second must not wait until the client says that it has the first."""

    def do_GET(self) -> None:
        """Answer the health check and the list of models."""
        if self.path == HEALTH:
            self._send(200, {"status": "ok"})
        elif self.path == MODELS:
            models = [{"id": name, "object": "model", "created": 0, "owned_by": "s3gym"} for name in BUILTIN_NAMES]
            self._send(200, {"object": "list", "data": models})
        else:
            self._refuse(_RefusedError(404, "not_found", f"path: expected {CHAT}, {MODELS} or {HEALTH}"))

    def do_POST(self) -> None:
        """Answer a chat completion."""
        try:
            request = _read(self._body(), self.path)
            self._send(200, _completion(request.model, _ask(request)))
        except _RefusedError as refusal:
            self._refuse(refusal)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what the base class refuses in the shape of every other refusal."""
        self.close_connection = True
        self._refuse(_RefusedError(code, "invalid_request_error", message or explain or "bad request"))

    def log_message(self, *_: object) -> None:
        """Log nothing."""

    def _body(self) -> bytes:
        """Return the body; without a length, or with too great a one, it stays unread and the connection ends."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            self.close_connection = True
            raise _RefusedError(411, "length_required", "Content-Length: expected the bytes of the body")
        if len(length) > 12 or int(length) > MAX_BODY:
            self.close_connection = True
            raise _RefusedError(413, "too_large", f"body: expected at most {MAX_BODY} bytes")
        return self.rfile.read(int(length))

    def _refuse(self, refusal: _RefusedError) -> None:
        error = {"message": str(refusal), "type": "invalid_request_error", "param": None, "code": refusal.code}
        self._send(refusal.status, {"error": error})

    def _send(self, status: int, content: object) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)


def _read(body: bytes, path: str) -> _ChatRequest:
    if path != CHAT:
        raise _RefusedError(404, "not_found", f"path: expected {CHAT}")
    if is_crowded(body):
        raise _RefusedError(400, "invalid_request_error", f"body: expected at most {MAX_PARTS} texts and commas")
    try:
        return _ChatRequest.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "body"
        raise _RefusedError(400, "invalid_request_error", f"{place}: {first['msg']}") from error


def _ask(request: _ChatRequest) -> Answer:
    if request.model not in BUILTIN_NAMES:
        raise _RefusedError(404, "model_not_found", f"model: expected one of {', '.join(BUILTIN_NAMES)}")
    messages = [Message(message.role, message.content) for message in request.messages]
    limit = request.max_completion_tokens or request.max_tokens or MAX_BODY
    try:
        return Builtin(request.model).answer(messages, limit)
    except TransportFaultError as fault:
        raise _RefusedError(400, "invalid_request_error", f"messages: {fault.message}") from fault


def _completion(model: str, answer: Answer) -> dict[str, object]:
    tokens_in, tokens_out = answer.usage.tokens_in or 0, answer.usage.tokens_out or 0
    return {
        "id": "chatcmpl-builtin",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": answer.text},
                "finish_reason": answer.finish,
            }
        ],
        "usage": {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
        },
    }


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Keep quiet about a client that went away; tell of anything else."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)  # type: ignore[arg-type]  # passed on as it came


class BuiltinServer:
    """Serves the built-in models on the loopback address while the context lasts.

    Args:
        port: The port; 0 takes a free one.
    """

    def __init__(self, port: int = 0) -> None:
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def base_url(self) -> str:
        """Return the base URL for clients."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def wait(self) -> None:
        """Wait until the server ends or the process is interrupted."""
        self._thread.join()
