"""The environment of the verifiers library: a run's prompts, the engine's rewards, rollouts against local servers."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import verifiers.v1 as vf
from pydantic import ValidationError

import s3gym
from games.base import number
from games.play import Episode, play
from games.registry import GAMES, AnyGame, game_named
from games.rng import SEED_LIMIT
from protocol.context import RunContext
from protocol.messages import Message
from protocol.preset import preset_named, preset_names
from protocol.records import Phase
from protocol.schedule import strict_seeds
from runner.models.model import Answer, Usage
from runner.serve import BuiltinServer
from s3gym.adapters.verifiers import (
    S3GymEnv,
    S3GymEnvConfig,
    S3GymHarness,
    S3GymTaskset,
    S3GymTasksetConfig,
    load_environment,
)
from tests.runner.faults import Reply, ScriptedServer, completion, error, scripted
from tests.runner.simulated import play_episode

ROOT = Path(__file__).resolve().parents[3]
THINKING = "<think>Up or left?</think>\nUp is free. **Answer: UP, Score: 0.5**\n"


@pytest.fixture(autouse=True)
def _no_ambient_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.upper().startswith(("OPENAI_", "PRIME_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")):
            monkeypatch.delenv(name)


@pytest.fixture(scope="module")
def builtin() -> Iterator[BuiltinServer]:
    with BuiltinServer() as server:
        yield server


def rolled(env: S3GymEnv, base_url: str, model: str = "m") -> list[vf.Episode]:
    """Play every task of an environment once, as the library's own evaluation does."""

    async def run() -> list[vf.Episode]:
        client = vf.EvalClientConfig(base_url=base_url, api_key_var="S3GYM_NO_KEY")
        context = vf.ModelContext(model=model, client=client, sampling=vf.SamplingConfig())
        async with env.serving():
            slots = [slot for task in env.taskset for slot in env.slots(task)]
            return list(await asyncio.gather(*[env.run_slot(slot, context) for slot in slots]))

    return asyncio.run(run())


def said(text: str) -> Reply:
    """A completion as the library wants it, with the time of its making."""
    return completion(text, created=0)


def only_trace(env: S3GymEnv, server: ScriptedServer) -> vf.Trace:
    (episode,) = rolled(env, f"{server.url}/v1")
    (trace,) = episode.traces
    assert episode.ok, [*episode.errors, *trace.errors]
    return trace


def replayed(game: AnyGame, phase: Phase, seed: int, actions: Sequence[str]) -> Episode:
    config = preset_named("paper-1").config(game, phase)
    return play(game, config, seed, lambda turn: actions[turn.step] if turn.step < len(actions) else None)


@pytest.mark.parametrize(("phase", "model"), [("explore", "greedy"), ("strict", "random")])
@pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])
def test_an_episode_scores_what_the_engine_pays(
    builtin: BuiltinServer, game: AnyGame, phase: Phase, model: str
) -> None:
    (episode,) = rolled(load_environment(game.id, phase, seeds=range(3, 4)), builtin.base_url, model)
    assert episode.ok
    (trace,) = episode.traces
    steps = trace.info["steps"]
    again = replayed(game, phase, 3, [step["action"] for step in steps])
    assert [step["reward"] for step in steps] == [float(number(step.reward)) for step in again.steps]
    assert trace.reward == float(number(again.score))
    assert trace.rewards.keys() == {"episode_score"}
    assert trace.info["end"] == again.end
    assert trace.metrics["steps"] == trace.num_turns == len(steps)
    assert trace.metrics["self_scored"] == 1


class Recorder:
    """Gives the same reply at every step and keeps what it was asked."""

    def __init__(self, reply: str) -> None:
        self.reply = reply
        self.asked: list[list[dict[str, str]]] = []

    def answer(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        self.asked.append([{"role": message.role, "content": message.content} for message in messages])
        return Answer(self.reply, "stop", Usage(1, 1), model="m")


@pytest.mark.parametrize(
    ("phase", "protocol", "reply"), [("explore", "pocket-1", THINKING), ("strict", "paper-1", "I cannot say.")]
)
@pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])
def test_the_prompts_are_those_of_a_run(game: AnyGame, phase: Phase, protocol: str, reply: str) -> None:
    """Rules, reply contract, numbers, form, the lines of earlier replies and what the budget cuts, word for word."""
    preset, recorder = preset_named(protocol), Recorder(reply)
    run = RunContext(game, "history", preset.budget(preset.input_tokens))
    played = play_episode(run, recorder, preset.config(game, phase), 8)
    env = load_environment(game.id, phase, seeds=range(8, 9), protocol=protocol)
    with scripted(said(reply)) as server:
        trace = only_trace(env, server)
    assert [request.body["messages"] for request in server.received] == recorder.asked
    assert {request.target for request in server.received} == {"/v1/chat/completions"}
    assert trace.reward == played.score


def test_a_reply_is_read_as_in_a_run() -> None:
    env = load_environment("snake", seeds=range(1))
    replies = [THINKING, "Answer: LEFT, Score: often", "No idea.", "Answer: END, Score: 0"]
    with scripted(*map(said, replies)) as server:
        trace = only_trace(env, server)
    assert [(step["action"], step["self_score"]) for step in trace.info["steps"]] == [
        ("UP", 0.5),
        ("LEFT", None),
        ("INVALID", None),
        ("END", 0),
    ]
    assert trace.info["end"] == "agent_end"
    assert trace.metrics["self_scored"] == 0.5
    rewards = [step["reward"] for step in trace.info["steps"]]
    assert trace.metrics["judging_error"] == (abs(0.5 - rewards[0]) + abs(0 - rewards[3])) / 2


def test_an_empty_reply_is_an_invalid_action() -> None:
    with scripted(said(""), said("Answer: END, Score: 0")) as server:
        trace = only_trace(load_environment("trust", seeds=range(1)), server)
    assert [step["action"] for step in trace.info["steps"]] == ["INVALID", "END"]


def test_without_a_self_score_no_error_of_judging_is_made_up() -> None:
    with scripted(said("Answer: cheat")) as server:
        trace = only_trace(load_environment("trust", seeds=range(1)), server)
    assert trace.metrics == {"steps": 10, "self_scored": 0}


def test_a_training_sample_is_one_step_or_with_whole_replies_one_episode() -> None:
    replies = [said(f"Thought {step}.\nAnswer: cheat, Score: 3") for step in range(10)]
    with scripted(*replies) as server:
        trace = only_trace(load_environment("trust", seeds=range(1)), server)
    assert (trace.num_turns, trace.num_branches) == (10, 10)
    chosen = S3GymTasksetConfig(id="s3gym", game="trust", count=1)
    player = {"harness": {"id": "s3gym", "whole_replies": True}}
    env = S3GymEnv(S3GymEnvConfig(taskset=chosen, player=player))
    with scripted(*replies) as server:
        whole = only_trace(env, server)
    assert (whole.num_turns, whole.num_branches) == (10, 1)
    assert whole.reward == trace.reward
    last = server.received[-1].body["messages"]
    assert isinstance(last, list)
    assert [message["content"] for message in last if message["role"] == "assistant"] == [
        f"Thought {step}.\nAnswer: cheat, Score: 3" for step in range(9)
    ]
    assert [message["role"] for message in last] == ["system", *["user", "assistant"] * 9, "user"]


def test_a_failed_call_is_an_error_and_never_a_score() -> None:
    env = load_environment("snake", seeds=range(1))
    with scripted(said(THINKING), error(401, "no such key")) as server:
        (episode,) = rolled(env, f"{server.url}/v1")
    assert not episode.ok
    (trace,) = episode.traces
    assert not trace.ok
    assert trace.last_error.type == "ProviderError"
    assert trace.rewards.get("episode_score") is None


def test_a_limit_of_turns_leaves_a_score_of_what_was_played() -> None:
    chosen = S3GymTasksetConfig(id="s3gym", game="trust", count=1)
    env = S3GymEnv(S3GymEnvConfig(taskset=chosen, player={"max_turns": 3}))
    with scripted(said("Answer: collaborate, Score: 2")) as server:
        trace = only_trace(env, server)
    assert (trace.stop_condition, trace.info["end"], len(trace.info["steps"])) == ("max_turns", None, 3)
    assert trace.reward == sum(step["reward"] for step in trace.info["steps"])


def test_a_saved_trace_scores_the_same_again() -> None:
    env = load_environment("trust", seeds=range(1))
    with scripted(said("Answer: cheat, Score: 1")) as server:
        trace = only_trace(env, server)
    saved = vf.WireTrace.model_validate(json.loads(json.dumps(trace.to_record())))
    first = saved.reward
    saved.rewards.clear()
    (task,) = env.taskset
    asyncio.run(task.score(saved))
    assert saved.reward == first == trace.reward


def test_the_library_finds_everything_through_the_taskset_s_id() -> None:
    env = vf.load_environment(vf.resolve_env_config({"taskset": {"id": "s3gym", "game": "trust", "count": 2}}))
    assert type(env) is S3GymEnv
    assert type(env.taskset) is S3GymTaskset
    assert vf.default_harness_id("s3gym") == "s3gym"
    assert type(vf.load_harness(vf.harness_config_type("s3gym")(id="s3gym"))) is S3GymHarness
    assert type(env.config.player.runtime) is vf.SubprocessConfig
    assert [task.data.seed for task in env.taskset] == [0, 1]
    assert {getattr(s3gym, name) for name in s3gym.__all__} == {S3GymEnv, S3GymHarness, S3GymTaskset}


def test_exploration_on_a_thousand_seeds_is_the_default_and_each_task_has_a_name_of_its_own() -> None:
    tasks = list(load_environment("snake").taskset)
    assert [task.data.seed for task in tasks] == list(range(1000))
    assert {task.data.config for task in tasks} == {"explore"}
    assert len({task.key for task in tasks}) == 1000
    assert {task.data.prompt for task in tasks} == {None}


@pytest.mark.parametrize("protocol", preset_names())
@pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])
def test_no_level_that_a_preset_examines_can_be_loaded(game: AnyGame, protocol: str) -> None:
    for seed in strict_seeds(preset_named(protocol), game.id):
        with pytest.raises(ValidationError, match=f"no level that [a-z]+-1 examines entries on.* {seed}"):
            load_environment(game.id, "strict", seeds=range(max(0, seed - 5), seed + 1))
        load_environment(game.id, "explore", seeds=range(seed, seed + 1))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"game": "Snake"}, "game: expected one of .*snake.*, got 'Snake'"),
        ({"protocol": "paper-9"}, "protocol: expected one of paper-1, .*, got 'paper-9'"),
        ({"config": "easy"}, "config"),
        ({"first": -1}, "first"),
        ({"count": 0}, "count"),
        ({"first": SEED_LIMIT - 1, "count": 2}, r"first, count: expected seeds below 2\^63"),
    ],
)
def test_a_wrong_setting_is_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        S3GymTasksetConfig.model_validate({"id": "s3gym", **settings})


def test_seeds_with_gaps_are_refused() -> None:
    with pytest.raises(ValueError, match="seeds: expected consecutive ones"):
        load_environment("snake", seeds=range(0, 10, 2))


def test_a_task_of_other_rules_is_not_played() -> None:
    env = load_environment("snake", seeds=range(1))
    (task,) = env.taskset
    with pytest.raises(ValueError, match=f"rules_version: expected {game_named('snake').rules_version} of snake"):
        asyncio.run(task.with_data(rules_version=99).episode_score(vf.WireTrace.model_construct(info={})))


def test_the_how_to_page_runs_as_it_stands(builtin: BuiltinServer, tmp_path: Path) -> None:
    """Its commands and its Python, with this server's port in place of the one it names."""
    page = (ROOT / "docs" / "how-to" / "use-with-verifiers.md").read_text(encoding="utf-8")
    page = page.replace("http://127.0.0.1:8080/v1", builtin.base_url)
    (command,) = re.findall(r"^\$ (vf-eval (?:.*\\\n)*.*)$", page, flags=re.MULTILINE)
    (block,) = re.findall(r"^```python\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    program, *arguments = shlex.split(command.replace("\\\n", ""))
    environment = {**os.environ, "HOME": str(tmp_path)}
    for started in ([str(Path(sys.executable).with_name(program)), *arguments], [sys.executable, "-c", block]):
        done = subprocess.run(started, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "episode_score" in done.stdout
    (saved,) = tmp_path.glob("outputs/*/traces.jsonl")
    episodes = [json.loads(line) for line in saved.read_text(encoding="utf-8").splitlines()]
    assert all(episode["ok"] for episode in episodes)
