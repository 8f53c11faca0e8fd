"""How the servers that people use put their answers; after their public documentation and bug reports.

Each entry is one body of one server, cut to what this project reads or must not stumble over.
"""

from typing import NamedTuple

from runner.models.model import Usage

MOVE = "Answer: UP, Score: 1"
THOUGHT = "Perhaps.\nAnswer: DOWN, Score: 9"
"""Reasoning that holds an answer line of its own: it must never be played."""


class Answered(NamedTuple):
    """A completed reply and what is read from it."""

    server: str
    body: dict[str, object]
    text: str = MOVE
    finish: str = "stop"
    usage: Usage = Usage()


def chat(
    message: dict[str, object],
    usage: dict[str, object] | None = None,
    finish: object = "stop",
    choice: dict[str, object] | None = None,
    **rest: object,
) -> dict[str, object]:
    """Return a chat completion; further fields go beside `choices`."""
    whole = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish, **(choice or {})}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [whole],
        "usage": usage,
        **rest,
    }


def count(tokens_in: int, tokens_out: int, total: int | None = None, **rest: object) -> dict[str, object]:
    """Return a usage in OpenAI's words."""
    told = tokens_in + tokens_out if total is None else total
    return {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": told, **rest}


ANSWERED = [
    Answered(
        "openai",
        chat(
            {"content": MOVE, "refusal": None, "annotations": []},
            count(
                2000,
                30,
                prompt_tokens_details={"cached_tokens": 1920, "audio_tokens": 0},
                completion_tokens_details={"reasoning_tokens": 20},
            ),
            service_tier="default",
            system_fingerprint="fp_1",
        ),
        usage=Usage(2000, 30, 1920),
    ),
    Answered(
        "openai, declined",
        chat({"content": None, "refusal": "I can't help with that."}, count(9, 8)),
        text="I can't help with that.",
        finish="refusal",
        usage=Usage(9, 8),
    ),
    Answered(
        "azure",
        chat(
            {"content": MOVE},
            count(50, 9, prompt_tokens_details={"cached_tokens": 0}),
            choice={"content_filter_results": {"violence": {"filtered": False, "severity": "safe"}}, "logprobs": None},
            prompt_filter_results=[{"prompt_index": 0, "content_filter_results": {}}],
        ),
        usage=Usage(50, 9, 0),
    ),
    Answered(
        "azure, completion filtered",
        chat({"content": ""}, count(50, 1), "content_filter"),
        text="",
        finish="content_filter",
        usage=Usage(50, 1),
    ),
    Answered(
        "vllm, up to 0.10",
        chat(
            {"reasoning_content": THOUGHT, "content": MOVE, "tool_calls": []},
            count(40, 60, prompt_tokens_details=None),
            choice={"logprobs": None, "stop_reason": None},
        ),
        usage=Usage(40, 60),
    ),
    Answered(
        "vllm, from 0.11",
        chat({"reasoning": THOUGHT, "content": MOVE, "refusal": None, "function_call": None}, count(40, 60)),
        usage=Usage(40, 60),
    ),
    Answered(
        "vllm, no reasoning parser",
        chat({"content": f"<think>\n{THOUGHT}\n</think>\n\n{MOVE}"}, count(40, 60)),
        text=f"<think>\n{THOUGHT}\n</think>\n\n{MOVE}",
        usage=Usage(40, 60),
    ),
    Answered(
        "vllm, thinking up to the limit",
        chat({"reasoning": THOUGHT, "content": None}, count(40, 400), "length"),
        text="",
        finish="length",
        usage=Usage(40, 400),
    ),
    Answered(
        "llama.cpp",
        chat(
            {"reasoning_content": THOUGHT, "content": MOVE},
            count(24, 12, prompt_tokens_details={"cached_tokens": 20}),
            system_fingerprint="b8681-1",
            timings={"cache_n": 20, "prompt_n": 4, "predicted_n": 12},
        ),
        usage=Usage(24, 12, 20),
    ),
    Answered(
        "ollama",
        chat({"content": MOVE, "reasoning": THOUGHT}, count(30, 50), system_fingerprint="fp_ollama"),
        usage=Usage(30, 50),
    ),
    Answered(
        "ollama, all in the reasoning",
        chat({"content": "", "reasoning": THOUGHT}, count(30, 50)),
        text="",
        usage=Usage(30, 50),
    ),
    Answered(
        "lm studio",
        chat(
            {"content": MOVE, "reasoning_content": THOUGHT, "tool_calls": []},
            count(30, 50),
            choice={"logprobs": None},
            stats={},
            system_fingerprint="m",
        ),
        usage=Usage(30, 50),
    ),
    Answered("lm studio, nothing counted", chat({"content": "", "reasoning_content": THOUGHT}, count(0, 0)), text=""),
    Answered(
        "gemini, thoughts left out of the completion's tokens",
        chat({"content": MOVE}, count(30, 8, total=438)),
        usage=Usage(30, 408),
    ),
    Answered(
        "gemini, thoughts asked for",
        chat(
            {"content": f"<thought>{THOUGHT}</thought>{MOVE}", "extra_content": {"google": {"thought": True}}},
            count(30, 8, total=438),
        ),
        text=f"<thought>{THOUGHT}</thought>{MOVE}",
        usage=Usage(30, 408),
    ),
    Answered(
        "gemini, thinking up to the limit",
        chat({}, {"prompt_tokens": 30, "total_tokens": 430}, "length"),
        text="",
        finish="length",
        usage=Usage(30, 400),
    ),
    Answered(
        "gemini, filtered in its own words",
        chat({}, {"prompt_tokens": 30, "total_tokens": 30}, "PROHIBITED_CONTENT"),
        text="",
        finish="content_filter",
        usage=Usage(30),
    ),
    Answered(
        "gemini, filtered, with a reason",
        chat({}, None, "content_filter: RECITATION"),
        text="",
        finish="content_filter",
    ),
    Answered(
        "deepseek",
        chat(
            {"content": MOVE, "reasoning_content": THOUGHT},
            count(100, 30, prompt_cache_hit_tokens=64, prompt_cache_miss_tokens=36),
        ),
        usage=Usage(100, 30, 64),
    ),
    Answered(
        "moonshot",
        chat({"content": MOVE, "reasoning_content": THOUGHT}, count(100, 30, cached_tokens=64)),
        usage=Usage(100, 30, 64),
    ),
    Answered(
        "anthropic, compatible",
        chat({"content": MOVE}, count(100, 30, prompt_tokens_details={}), "stop"),
        usage=Usage(100, 30),
    ),
    Answered(
        "a gateway with anthropic's words",
        chat(
            {"content": [{"type": "thinking", "thinking": THOUGHT}, {"type": "text", "text": MOVE}]},
            {"input_tokens": 10, "output_tokens": 30, "cache_read_input_tokens": 80, "cache_creation_input_tokens": 10},
            "end_turn",
        ),
        usage=Usage(100, 30, 80),
    ),
    Answered(
        "a gateway that leaves cached tokens out of the prompt's",
        chat({"content": MOVE}, count(10, 30, prompt_tokens_details={"cached_tokens": 90})),
        usage=Usage(100, 30, 90),
    ),
    Answered(
        "mistral",
        chat(
            {
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]},
                    {"type": "text", "text": MOVE},
                ],
                "prefix": False,
            },
            count(20, 10),
            "model_length",
        ),
        finish="length",
        usage=Usage(20, 10),
    ),
    Answered(
        "openrouter",
        chat(
            {"content": MOVE, "reasoning": THOUGHT, "reasoning_details": [{"text": THOUGHT}]},
            count(20, 10, cost=0.1),
            choice={"native_finish_reason": "STOP"},
            provider="p",
        ),
        usage=Usage(20, 10),
    ),
]
