"""A small endpoint that plays as a built-in player does, with the manners that a test gives it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from protocol.messages import Message
from protocol.tokens import MESSAGE_OVERHEAD, estimate
from runner.models.builtin import Builtin
from tests.runner.faults import Received, Reply, ScriptedServer, completion, error, json_reply, scripted

CHAT = "/v1/chat/completions"


def tokens(messages: Sequence[Message]) -> int:
    return sum(estimate(message.content) + MESSAGE_OVERHEAD for message in messages)


def messages_of(request: Received) -> list[Message]:
    given = request.body["messages"]
    assert isinstance(given, list)
    return [Message(each["role"], each["content"]) for each in given]


def limit_of(request: Received) -> int:
    limit = request.body.get("max_tokens", request.body.get("max_completion_tokens"))
    assert isinstance(limit, int)
    return limit


def played(request: Received, **more: object) -> Reply:
    """Return the greedy player's reply with its usage."""
    messages = messages_of(request)
    answer = Builtin("greedy").answer(messages, limit_of(request))
    usage = {"prompt_tokens": tokens(messages), "completion_tokens": estimate(answer.text)}
    return completion(answer.text, answer.finish, **{"usage": usage, **more})


@dataclass
class Manners:
    """How an endpoint behaves; by default well."""

    models: object = field(default_factory=lambda: {"data": [{"id": "m"}]})
    """Its list of models; None for none."""
    pages: dict[str, object] = field(default_factory=dict)
    """What other GET requests are answered with, by path."""
    chat: Callable[[Received], Reply] = played

    def __call__(self, request: Received) -> Reply:
        path = request.target.partition("?")[0]
        if request.body:
            return self.chat(request) if path == CHAT else error(404, "no such path")
        if path == "/v1/models" and self.models is not None:
            return json_reply(self.models)
        return json_reply(self.pages[path]) if path in self.pages else error(404, "no such path")

    def serve(self) -> AbstractContextManager[ScriptedServer]:
        return scripted(self)


def chats(server: ScriptedServer) -> list[Received]:
    """Return the completions that were asked for."""
    return [request for request in server.received if request.body]
