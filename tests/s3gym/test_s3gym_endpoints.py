"""Whole runs against endpoints with the faults of real ones: what is played, counted, told and kept."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from protocol.bundle import list_files
from protocol.messages import Message
from protocol.records import EpisodeRecord
from runner.journal import JOURNAL
from runner.models.builtin import Builtin
from runner.models.probe import PROBE_ANSWER, is_probe
from tests.runner.faults import Received, Reply, completion, error, scripted
from tests.s3gym.face import Face, refused

MOVE = "Answer: cheat, Score: 1"
Play = Callable[[list[Message]], Reply]


def greedy(messages: list[Message]) -> Reply:
    return completion(Builtin("greedy").answer(messages, 400).text)


def serving(play: Play) -> Callable[[Received], Reply]:
    """Return an endpoint that answers the probe, and steps as it is told."""

    def answer(request: Received) -> Reply:
        messages = TypeAdapter(list[Message]).validate_python(request.body["messages"])
        return completion(PROBE_ANSWER) if is_probe(messages) else play(messages)

    return answer


def run(face: Face, play: Play, *more: str, games: tuple[str, ...] = ("trust",)) -> dict[str, object]:
    """Play against an endpoint, verify the bundle, and return what `--json` tells."""
    face("keygen", "red", "--registry", "board/keys")
    chosen = [part for game in games for part in ("--game", game)]
    with scripted(serving(play)) as server:
        result = face(
            *["run", "--model", "m", "--base-url", server.url, "--key", "keys/red.key", "--entry", "e", "--json"],
            *chosen,
            *more,
        )
    assert result.exit_code == 0, result.output
    assert face("verify", "runs/e/bundle", "--keys", "board/keys").exit_code == 0
    told: dict[str, object] = json.loads(result.stdout)
    return told


def replies(told: dict[str, object]) -> dict[str, dict[str, int]]:
    """Return by game how many replies of each kind came, kinds without any left out."""
    games = told["games"]
    assert isinstance(games, list)
    return {each["game"]: {kind: count for kind, count in each["replies"].items() if count} for each in games}


def contents() -> dict[str, bytes]:
    """Return every file of the run, unpacked."""
    files = {path.as_posix(): path.read_bytes() for path in Path("runs").rglob("*") if path.is_file()}
    return {name: gzip.decompress(data) if name.endswith(".gz") else data for name, data in files.items()}


def episodes(game: str = "trust") -> list[EpisodeRecord]:
    lines = gzip.decompress(Path(f"runs/e/bundle/episodes/{game}.jsonl.gz").read_bytes()).splitlines()
    return [EpisodeRecord.model_validate_json(line) for line in lines]


def test_EP_18_a_filter_that_stops_one_game_leaves_the_others_alone_and_is_counted_by_game(face: Face) -> None:
    """Four episodes of eight steps a game; a word in every prompt of Trust meets the filter."""

    def filtering(messages: list[Message]) -> Reply:
        if any("cheat" in message.content for message in messages):
            return error(400, "The response was filtered.", "content_filter")
        return greedy(messages)

    told = run(face, filtering, games=("snake", "trust"))
    assert replies(told) == {"snake": {"answered": 32}, "trust": {"filtered": 32}}
    assert all(step.reply == "" and step.action is None for episode in episodes() for step in episode.steps)


def test_EP_18_a_filter_that_stops_one_step_leaves_the_others_alone(face: Face) -> None:
    def filtering(messages: list[Message]) -> Reply:
        seventh = sum(message.role == "assistant" for message in messages) == 6
        return completion(None, "content_filter") if seventh else completion(MOVE)

    assert replies(run(face, filtering)) == {"trust": {"answered": 28, "filtered": 4}}
    assert all(len(episode.steps) == 8 for episode in episodes())


def test_EP_18_the_counts_are_shown_at_the_end_of_a_run(face: Face) -> None:
    face("keygen", "red", "--registry", "board/keys")
    turns = iter(
        [completion(""), completion(None, "content_filter"), completion(None, "length"), completion("I pass.")]
    )
    kinds = iter([0, 0, 0, 1, 1, 1, 2, 3])
    made = list(turns)

    def play(messages: list[Message]) -> Reply:
        kind = next(kinds, None)
        return completion(MOVE) if kind is None else made[kind]

    with scripted(serving(play)) as server:
        result = face(
            *["run", "--model", "m", "--base-url", server.url, "--game", "trust", "--key", "keys/red.key"],
            *["--entry", "e"],
        )
    assert result.exit_code == 0, result.output
    assert "trust: 32 replies: 28 answered, 1 unreadable, 1 truncated, 1 empty, 1 filtered" in result.output
    assert "reached its token limit" in result.output


def test_what_befell_replies_is_counted_and_a_leaking_server_is_warned_of_at_the_end(face: Face) -> None:
    face("keygen", "red", "--registry", "board/keys")
    said = iter([completion(f"Answer: cooperate\n{MOVE}"), completion(MOVE, "length"), completion(f"{MOVE}<|im_end|>")])
    leaking = f"analysisHm. Answer: cooperate, Score: 1.assistantfinal{MOVE}"

    with scripted(serving(lambda messages: next(said, completion(leaking)))) as server:
        result = face(
            *["run", "--model", "m", "--base-url", server.url, "--game", "trust", "--key", "keys/red.key"],
            *["--entry", "e"],
        )
    assert result.exit_code == 0, result.output
    told = " ".join(result.output.split())
    assert "32 answered, 1 cut off after an answer, 1 with another answer before the one played" in told
    assert "the server hands on channels in the text of 29 of 32 replies" in told
    assert "the server hands on tokens of turns in the text of 1 of 32 replies" in told


@pytest.mark.parametrize("message", [{"role": "assistant", "content": None}, {"role": "assistant"}])
def test_EP_25_a_reply_of_tool_calls_alone_is_an_invalid_step_and_the_run_goes_on(
    face: Face, message: dict[str, object]
) -> None:
    calls = [{"id": "1", "type": "function", "function": {"name": "move", "arguments": '{"action": "cheat"}'}}]
    choices = [{"index": 0, "message": {**message, "tool_calls": calls}, "finish_reason": "tool_calls"}]

    def play(messages: list[Message]) -> Reply:
        return completion(MOVE) if len(messages) > 2 else completion(choices=choices)

    assert replies(run(face, play)) == {"trust": {"answered": 28, "empty": 4}}
    assert [episode.steps[0].reply for episode in episodes()] == [""] * 4


def test_EP_28_padding_up_to_the_limit_is_neither_kept_nor_carried(face: Face) -> None:
    """An answer before the padding stands, whatever the finish reason; without one the reply is truncated."""
    seen: list[str] = []

    def play(messages: list[Message]) -> Reply:
        seen.extend(message.content for message in messages)
        answered = len(messages) > 2
        return completion((MOVE if answered else '{"action": "cheat"}') + "\n" * 4_000, "length")

    assert replies(run(face, play)) == {"trust": {"answered": 28, "truncated": 4}}
    assert max(len(step.reply) for episode in episodes() for step in episode.steps) == len(MOVE) + 100
    assert not any("\n" * 50 in text for text in seen)
    assert not any(b"\\n" * 200 in data for data in contents().values())


def test_SX_07_an_endpoint_that_echoes_the_key_beside_any_separator_leaves_it_nowhere(
    face: Face, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "sk-very-secret-0123456789"
    monkeypatch.setenv("MY_KEY", key)
    text = f"You sent {key}\u2028{key}\u0085{key}\x0c{key}\n{MOVE}"
    told = run(face, lambda messages: completion(text, model=key), "--api-key-env", "MY_KEY")
    assert replies(told) == {"trust": {"answered": 32}}
    found = contents()
    assert len(found) == len(list_files(Path("runs/e/bundle"))) + 1
    assert not any(b"very-secret" in data for data in found.values())
    assert all(len(episode.steps) == 8 for episode in episodes())
    assert episodes()[0].steps[0].reply == f"You sent ***\u2028***\u0085***\x0c***\n{MOVE}"


def test_the_endpoints_own_context_bounds_the_prompts(face: Face) -> None:
    run(face, greedy, "--context-tokens", "4096")
    manifest = face("verify", "runs/e/bundle", "--keys", "board/keys", "--json")
    assert manifest.exit_code == 0
    header = json.loads(Path("runs/e", JOURNAL).read_bytes().splitlines()[0])
    assert header["settings"]["budgets"] == f"{(4096 - 400) * 88 // 100} in, 400 out"


def test_a_key_goes_into_the_header_that_is_named(face: Face, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "0123456789abcdef0123")
    face("keygen", "red")
    with scripted(serving(lambda messages: completion(MOVE))) as server:
        url = f"{server.url}/openai/deployments/prod?api-version=2024-10-21"
        result = face(
            *["run", "--model", "prod", "--base-url", url, "--game", "trust", "--key", "keys/red.key", "--entry", "e"],
            *["--api-key-env", "AZURE_OPENAI_API_KEY", "--api-key-header", "api-key"],
        )
    assert result.exit_code == 0, result.output
    assert {request.headers["api-key"] for request in server.received} == {"0123456789abcdef0123"}
    assert {request.target for request in server.received} == {
        "/openai/deployments/prod/chat/completions?api-version=2024-10-21"
    }
    assert not any("authorization" in request.headers for request in server.received)


def test_a_header_that_is_none_is_refused(face: Face) -> None:
    face("keygen", "red")
    arguments = ["run", "--model", "m", "--base-url", "http://127.0.0.1:1", "--key", "keys/red.key"]
    refused(face(*arguments, "--api-key-header", "a b"), 2, "API key header")
