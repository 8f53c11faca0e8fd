"""How the servers that people use put their errors; after their public documentation and bug reports."""

from typing import NamedTuple

from runner.models.model import FaultKind
from tests.runner.faults import Reply, json_reply
from tests.runner.shapes import chat


class Refused(NamedTuple):
    """An error and the kind that it is."""

    server: str
    reply: Reply
    kind: FaultKind
    retry_after: float | None = None


_GEMINI_QUOTA = {
    "code": 429,
    "message": "You exceeded your current quota, please check your plan and billing details. Please retry in 36.5s.",
    "status": "RESOURCE_EXHAUSTED",
}


def _gemini(metric: str, delay: str) -> Reply:
    details = [
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": metric}]},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay},
    ]
    return json_reply([{"error": {**_GEMINI_QUOTA, "details": details}}], 429)


def _google(status: int, message: str, name: str) -> Reply:
    return json_reply([{"error": {"code": status, "message": message, "status": name}}], status)


def _plain(
    status: int, message: str, kind: str = "invalid_request_error", code: object = None, **headers: str
) -> Reply:
    body = {"error": {"message": message, "type": kind, "param": None, "code": code}}
    return json_reply(body, status, tuple((name.replace("_", "-"), value) for name, value in headers.items()))


REFUSED = [
    Refused(
        "openai, rate",
        _plain(
            429,
            "Rate limit reached for m on requests per min (RPM): Limit 3, Used 3, Requested "
            "1. Please try again in 20s.",
            "requests",
            "rate_limit_exceeded",
        ),
        FaultKind.RATE_LIMIT,
        20.0,
    ),
    Refused(
        "openai, rate, in its headers",
        _plain(
            429,
            "Slow down. Please try again in 1.2s.",
            "tokens",
            "rate_limit_exceeded",
            retry_after_ms="1193",
            retry_after="2",
        ),
        FaultKind.RATE_LIMIT,
        2.0,
    ),
    Refused(
        "openai, a day's rate",
        _plain(
            429,
            "Rate limit reached for m on requests per day (RPD): Limit 200, Used 200, "
            "Requested 1. Please try again in 7m12s.",
            "requests",
            "rate_limit_exceeded",
        ),
        FaultKind.QUOTA,
        432.0,
    ),
    Refused(
        "openai, a rate below one prompt",
        _plain(
            429,
            "Request too large for m on tokens per min (TPM): Limit 30000, "
            "Requested 30601. The input or output tokens must be reduced.",
            "tokens",
            "rate_limit_exceeded",
        ),
        FaultKind.QUOTA,
    ),
    Refused(
        "groq, the same",
        _plain(
            413,
            "Request too large for model `m` on tokens per minute (TPM): Limit 6000, "
            "Requested 7000, please reduce your message size and try again.",
            "tokens",
            "rate_limit_exceeded",
        ),
        FaultKind.QUOTA,
    ),
    Refused(
        "openai, credit",
        _plain(429, "You exceeded your current quota.", "insufficient_quota", "insufficient_quota"),
        FaultKind.QUOTA,
    ),
    Refused("openai, key", _plain(401, "Incorrect API key provided.", code="invalid_api_key"), FaultKind.REFUSED),
    Refused(
        "openai, down", _plain(503, "The server is overloaded or not ready yet.", "server_error"), FaultKind.SERVER
    ),
    Refused(
        "azure, key",
        json_reply(
            {
                "error": {
                    "code": "401",
                    "message": "Access denied due to invalid subscription key or wrong API endpoint.",
                }
            },
            401,
        ),
        FaultKind.REFUSED,
    ),
    Refused(
        "azure, deployment",
        json_reply(
            {
                "error": {
                    "code": "DeploymentNotFound",
                    "message": "The API deployment for this resource does not exist.",
                }
            },
            404,
        ),
        FaultKind.REFUSED,
    ),
    Refused(
        "azure, rate",
        json_reply(
            {
                "error": {
                    "code": "429",
                    "message": "Requests to the ChatCompletions_Create "
                    "Operation under Azure OpenAI API version 2024-10-21 have exceeded token "
                    "rate limit. Please retry after 45 seconds.",
                }
            },
            429,
        ),
        FaultKind.RATE_LIMIT,
        45.0,
    ),
    Refused(
        "azure, prompt filtered",
        json_reply(
            {
                "error": {
                    "message": "The response was filtered due to the prompt triggering Azure OpenAI's content "
                    "management policy.",
                    "type": None,
                    "param": "prompt",
                    "code": "content_filter",
                    "status": 400,
                    "innererror": {"code": "ResponsibleAIPolicyViolation"},
                }
            },
            400,
        ),
        FaultKind.FILTERED,
    ),
    Refused(
        "vllm, too long",
        json_reply(
            {
                "object": "error",
                "message": "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
                "type": "BadRequestError",
                "param": None,
                "code": 400,
            },
            400,
        ),
        FaultKind.OVERFLOW,
    ),
    Refused(
        "vllm, too long, later form",
        json_reply(
            {
                "error": {
                    "message": "This model's maximum context length is 4096 tokens. However, your request has "
                    "5000 input tokens.",
                    "type": "BadRequestError",
                    "param": "input_tokens",
                    "code": 400,
                }
            },
            400,
        ),
        FaultKind.OVERFLOW,
    ),
    Refused(
        "vllm, model",
        json_reply(
            {
                "error": {
                    "message": "The model `x` does not exist.",
                    "type": "NotFoundError",
                    "param": "model",
                    "code": 404,
                }
            },
            404,
        ),
        FaultKind.REFUSED,
    ),
    Refused(
        "llama.cpp, loading",
        json_reply({"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}, 503),
        FaultKind.SERVER,
    ),
    Refused(
        "llama.cpp, too long",
        json_reply(
            {
                "error": {
                    "code": 400,
                    "message": "request (9000 tokens) exceeds the available context size (8192 "
                    "tokens), try increasing it",
                    "type": "exceed_context_size_error",
                    "n_prompt_tokens": 9000,
                    "n_ctx": 8192,
                }
            },
            400,
        ),
        FaultKind.OVERFLOW,
    ),
    Refused(
        "llama.cpp, template",
        json_reply(
            {
                "error": {
                    "code": 500,
                    "message": "Error: Jinja Exception: System role not supported",
                    "type": "server_error",
                }
            },
            500,
        ),
        FaultKind.SERVER,
    ),
    Refused("ollama, model", _plain(404, 'model "x" not found, try pulling it first', "api_error"), FaultKind.REFUSED),
    Refused(
        "ollama, crashed",
        _plain(500, "llama runner process has terminated: signal: killed", "api_error"),
        FaultKind.SERVER,
    ),
    Refused(
        "lm studio, too long",
        json_reply({"error": "Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)"}, 400),
        FaultKind.OVERFLOW,
    ),
    Refused(
        "lm studio, too long, elder form",
        json_reply(
            {
                "error": "Trying to keep the first 15857 tokens when context the overflows. However, the model is "
                "loaded with context length of only 4096 tokens, which is not enough."
            },
            400,
        ),
        FaultKind.OVERFLOW,
    ),
    Refused(
        "lm studio, too long, with 200", json_reply({"error": "Context size has been exceeded."}), FaultKind.OVERFLOW
    ),
    Refused(
        "lm studio, path",
        Reply(200, b'{"error":"Unexpected endpoint or method. (POST /chat/completions)"}'),
        FaultKind.MALFORMED,
    ),
    Refused(
        "gemini, rate",
        _gemini("GenerateContentInputTokensPerModelPerMinute-FreeTier", "36s"),
        FaultKind.RATE_LIMIT,
        36.0,
    ),
    Refused(
        "gemini, a day's quota",
        _gemini("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "39s"),
        FaultKind.QUOTA,
        39.0,
    ),
    Refused(
        "gemini, key",
        _google(400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT"),
        FaultKind.REFUSED,
    ),
    Refused(
        "gemini, too long",
        _google(
            400,
            "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).",
            "INVALID_ARGUMENT",
        ),
        FaultKind.OVERFLOW,
    ),
    Refused(
        "gemini, busy",
        _google(503, "The model is overloaded. Please try again later.", "UNAVAILABLE"),
        FaultKind.SERVER,
    ),
    Refused("deepseek, balance", _plain(402, "Insufficient Balance", "unknown_error"), FaultKind.QUOTA),
    Refused(
        "deepseek, broken off",
        json_reply(chat({"content": "Answer: U"}, None, "insufficient_system_resource")),
        FaultKind.MALFORMED,
    ),
    Refused(
        "anthropic, busy",
        json_reply({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, 529),
        FaultKind.SERVER,
    ),
    Refused(
        "openrouter, no provider",
        json_reply({"error": {"message": "Provider returned error", "code": 502}}),
        FaultKind.MALFORMED,
    ),
]

SYSTEM_REFUSALS = {
    "openai": json_reply(
        {
            "error": {
                "message": "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
                "type": "invalid_request_error",
                "param": "messages[0].role",
                "code": "unsupported_value",
            }
        },
        400,
    ),
    "gemini": _google(400, "Developer instruction is not enabled for models/m", "INVALID_ARGUMENT"),
    "vllm": json_reply(
        {
            "object": "error",
            "message": "System role not supported",
            "type": "BadRequestError",
            "param": None,
            "code": 400,
        },
        400,
    ),
    "vllm, alternation": json_reply(
        {"error": {"message": "Conversation roles must alternate user/assistant/user/assistant/... ", "code": 400}}, 400
    ),
    "llama.cpp": json_reply(
        {
            "error": {
                "code": 500,
                "message": "\n------------\nWhile executing CallExpression at line 1\n"
                "Error: Jinja Exception: System role not supported",
                "type": "server_error",
            }
        },
        500,
    ),
    "lm studio": json_reply(
        {"error": 'Error rendering prompt with jinja template: "Only user and assistant roles are supported!".'}, 400
    ),
    "bedrock": _plain(400, "This model doesn't support system messages. Try again without system messages."),
    "a strict schema": json_reply(
        {
            "detail": [
                {
                    "loc": ["body", "messages", 0, "role"],
                    "type": "literal_error",
                    "msg": "Input should be 'user' or 'assistant'",
                }
            ]
        },
        422,
    ),
}
"""What servers say whose model or template knows no system message."""
