"""What ``s3gym run`` is told: one key of a configuration file, one flag, one field here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from protocol.asking import BodyField, Effort, Header, SamplingSeed, Temperature, TopP
from protocol.exact import MAX_EXACT
from protocol.extras import MAX_EXTRAS
from s3gym.extras import body_fields, headers

EMBEDDED = "embedded:smollm2"


def key_of(name: str) -> str:
    """Return the key of a field."""
    return name.replace("_", "-")


def flag_of(name: str) -> str:
    """Return the flag of a field: its key; one header at a time is given by a flag."""
    return "--extra-header" if name == "extra_headers" else f"--{key_of(name)}"


class Settings(BaseModel):
    """All settings of a run; every one has a default."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    model: Annotated[
        str,
        Field(
            min_length=1,
            max_length=200,
            description="embedded:smollm2 (a small packaged model), builtin:random|idle|blind|greedy|learner|oracle, "
            "or the name of a model at --base-url.",
            examples=["my-model"],
        ),
    ] = EMBEDDED
    base_url: Annotated[
        str | None,
        Field(
            description="Any OpenAI-compatible endpoint, such as http://localhost:8000/v1.",
            examples=["http://localhost:8000/v1"],
        ),
    ] = None
    api_key_env: Annotated[
        str,
        Field(
            pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$",
            description="Environment variable that holds the endpoint's API key.",
            examples=["MY_KEY"],
        ),
    ] = "OPENAI_API_KEY"
    api_key_header: Annotated[
        str | None,
        Field(
            description="Header that holds the key alone, such as api-key. Default: Authorization: Bearer KEY.",
            examples=["api-key"],
        ),
    ] = None
    context_tokens: Annotated[
        int | None,
        Field(
            ge=1,
            le=MAX_EXACT,
            description="The endpoint's context, where it is smaller than the protocol's budgets together.",
            examples=[32_768],
        ),
    ] = None
    protocol: Annotated[
        str, Field(min_length=1, description="A preset id, or a preset file (TOML).", examples=["pocket-1"])
    ] = "smoke-1"
    game: Annotated[
        tuple[str, ...], Field(strict=False, description="A game; repeat for more. Default: all.", examples=[["snake"]])
    ] = ()
    pathway: Annotated[
        Literal["history", "summary"],
        Field(description="history (History ICL) or summary (Summary Memory).", examples=["summary"]),
    ] = "history"
    summary_mode: Annotated[
        Literal["rebuild", "recursive"],
        Field(description="rebuild (from raw history) or recursive.", examples=["recursive"]),
    ] = "rebuild"
    system_role: Annotated[
        bool | None,
        Field(
            description="Whether prompts have a system message. By default one small request finds out whether the "
            "endpoint takes one.",
            examples=[False],
        ),
    ] = None
    temperature: Annotated[
        Temperature | None,
        Field(description="Sent as it is; by default what the protocol fixes, else the server's.", examples=[0.7]),
    ] = None
    top_p: Annotated[
        TopP | None, Field(description="Nucleus sampling. Sent as it is; by default the server's.", examples=[0.95])
    ] = None
    sampling_seed: Annotated[
        SamplingSeed | None,
        Field(
            description="Sent as `seed`, for the endpoint's sampling. The seeds of episodes are the protocol's.",
            examples=[7],
        ),
    ] = None
    reasoning_effort: Annotated[
        Effort | None,
        Field(
            description="How much a reasoning model thinks, in the endpoint's own word: none, minimal, low, medium, "
            "high or another.",
            examples=["high"],
        ),
    ] = None
    extra_body: Annotated[
        tuple[BodyField, ...],
        BeforeValidator(body_fields, json_schema_input_type=dict[str, object]),
        Field(
            max_length=MAX_EXTRAS,
            description="Further fields of every request, NAME=JSON on the command line; repeat for more. The bundle "
            "tells them.",
            examples=[{"top_k": 20, "chat_template_kwargs": {"enable_thinking": False}}],
        ),
    ] = ()
    extra_headers: Annotated[
        tuple[Header, ...],
        BeforeValidator(headers, json_schema_input_type=dict[str, str]),
        Field(
            max_length=MAX_EXTRAS,
            description="Further headers of every request, NAME=VALUE on the command line; repeat for more. The bundle "
            "tells them; env:NAME takes a secret value from an environment variable, and the bundle tells the header "
            "alone.",
            examples=[{"x-title": "s3gym", "x-gateway-key": "env:GATEWAY_KEY"}],
        ),
    ] = ()
    stream: Annotated[
        bool,
        Field(
            description="Have replies streamed: where a gateway ends connections that are silent for long.",
            examples=[True],
        ),
    ] = False
    api: Annotated[
        Literal["chat", "responses"],
        Field(
            description="chat (chat completions) or responses (for models that only the Responses API has).",
            examples=["responses"],
        ),
    ] = "chat"
    timeout: Annotated[
        float, Field(gt=0, le=86_400, description="Seconds to wait for one reply.", examples=[600.0])
    ] = 300.0
    key: Annotated[
        Path,
        Field(
            strict=False,
            description="The file of the team's private key (s3gym keygen).",
            examples=["keys/red.key"],
        ),
    ] = Path("keys/team.key")
    team: Annotated[
        str | None, Field(description="Team name; by default the name of the key file.", examples=["red"])
    ] = None
    entry: Annotated[
        str | None,
        Field(description="Entry id; by default made from model, pathway, protocol.", examples=["my-entry"]),
    ] = None
    out: Annotated[
        Path | None,
        Field(
            strict=False,
            description="Run folder: journal and bundle. Default: runs/ENTRY.",
            examples=["runs/my-entry"],
        ),
    ] = None
    concurrency: Annotated[
        int,
        Field(
            ge=1,
            le=256,
            description="Episodes played at once: games, and strict episodes of a checkpoint.",
            examples=[4],
        ),
    ] = 1
    requests_per_minute: Annotated[
        float | None, Field(ge=0.1, le=1e6, description="Send no more requests a minute than this.", examples=[60.0])
    ] = None
    prices: Annotated[
        Path | None,
        Field(
            strict=False,
            description='TOML table: a section ["MODEL"] with input, cached_input, output a million tokens.',
            examples=["prices.toml"],
        ),
    ] = None
    max_cost: Annotated[
        float | None,
        Field(
            ge=0,
            allow_inf_nan=False,
            description="Stop, resumably, when so much is spent (needs --prices). Requests under way are "
            "still paid, at most as many as --concurrency.",
            examples=[20.0],
        ),
    ] = None
    max_requests: Annotated[
        int | None,
        Field(
            ge=1,
            le=MAX_EXACT,
            description="Stop, resumably, after so many requests, all sittings together.",
            examples=[5000],
        ),
    ] = None
    keep_going: Annotated[
        bool,
        Field(
            description="Go on though eight of the first ten replies of an endpoint hold no answer.",
            examples=[True],
        ),
    ] = False
    assume_reply_tokens: Annotated[
        int,
        Field(
            ge=1,
            le=1_000_000,
            description="For estimates: output tokens of a reply, reasoning included.",
            examples=[2000],
        ),
    ] = 400
    assume_reply_seconds: Annotated[
        float | None,
        Field(
            gt=0,
            le=86_400,
            allow_inf_nan=False,
            description="For estimates: seconds of a reply. Default: its tokens at 50 a second, and before a run what "
            "the endpoint took to answer a small prompt.",
            examples=[12.0],
        ),
    ] = None


KEYS = tuple(key_of(name) for name in Settings.model_fields)
"""Every key, in the order of the reference."""
