"""The games as a taskset, an environment and a harness of the verifiers library.

A task is one level; an episode is one play of it, on the very prompts of a run. The library finds the classes through
the package that a taskset's id names: the id is ``s3gym``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import verifiers.v1 as vf
from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from pydantic import Field, field_validator, model_validator

from games.base import Config, number, playable
from games.play import Episode, play, turns
from games.registry import AnyGame, game_named
from games.rng import SEED_LIMIT
from protocol.context import RunContext
from protocol.messages import Message
from protocol.preset import preset_named, preset_names
from protocol.prompts import system_text
from protocol.records import Phase
from protocol.reply import canonical_line, read_reply
from protocol.schedule import strict_seeds

TASKSET = "s3gym"


class S3GymData(vf.TaskData):
    """One level."""

    game: str
    config: Phase
    protocol: str
    rules_version: int
    seed: int


class S3GymTask(vf.Task[S3GymData, vf.State, vf.TaskConfig]):
    """One level and how its episode is scored: the actions on record are played again from the seed."""

    @property
    def key(self) -> str:
        """Return the level's name, which does not depend on where it stands in a taskset."""
        data = self.data
        return f"{data.game}-v{data.rules_version} {data.config} {data.protocol} {data.seed}"

    @vf.reward
    async def episode_score(self, trace: vf.Trace) -> float:
        """Return the sum of the verifier rewards."""
        return float(number(_replayed(self.data, [step["action"] for step in trace.info.get("steps", [])]).score))

    @vf.metric
    async def judging(self, trace: vf.Trace) -> dict[str, float]:
        """Return how many steps were played, the share with a self-score, and its mean distance from the reward."""
        steps = trace.info.get("steps", [])
        judged = [abs(step["self_score"] - step["reward"]) for step in steps if step["self_score"] is not None]
        metrics = {"steps": float(len(steps)), "self_scored": len(judged) / len(steps) if steps else 0.0}
        return {**metrics, "judging_error": sum(judged) / len(judged)} if judged else metrics


class S3GymTasksetConfig(vf.TasksetConfig):
    """Which levels are loaded: ``count`` consecutive seeds of one game under one config."""

    game: str = "snake"
    """The id of the game; the library's command line cannot start without a default."""
    config: Phase = "explore"
    protocol: str = "paper-1"
    """The preset whose step limit and input budget hold."""
    first: int = Field(0, ge=0)
    """The first seed."""
    count: int = Field(1000, ge=1)
    """How many seeds there are."""

    @field_validator("game")
    @classmethod
    def _known_game(cls, game: str) -> str:
        return game_named(game).id

    @field_validator("protocol")
    @classmethod
    def _known_protocol(cls, protocol: str) -> str:
        return preset_named(protocol).id

    @model_validator(mode="after")
    def _levels_to_train_on(self) -> S3GymTasksetConfig:
        if self.seeds.stop > SEED_LIMIT:
            raise ValueError(f"first, count: expected seeds below 2^63, got up to {self.seeds.stop - 1}")
        for name in preset_names() if self.config == "strict" else ():
            examined = [seed for seed in _examined(name, self.game) if seed in self.seeds]
            if examined:
                raise ValueError(
                    f"first, count: expected no level that {name} examines entries on, got strict seed {examined[0]}"
                )
        return self

    @property
    def seeds(self) -> range:
        """Return the seeds."""
        return range(self.first, self.first + self.count)


class S3GymTaskset(vf.Taskset[S3GymTask, S3GymTasksetConfig]):
    """Levels of one game."""

    def load(self) -> Iterator[S3GymTask]:
        """Yield one task for each seed; the environment tells the player the level, step by step."""
        chosen = self.config
        game = game_named(chosen.game)
        for seed in chosen.seeds:
            data = S3GymData(
                name=f"{game.id} {chosen.config} {seed}",
                system_prompt=system_text(game.rules),
                game=game.id,
                config=chosen.config,
                protocol=chosen.protocol,
                rules_version=game.rules_version,
                seed=seed,
            )
            yield S3GymTask(data, chosen.task)


class S3GymHarnessConfig(vf.HarnessConfig):
    """What stands in a prompt of the player's own earlier replies."""

    whole_replies: bool = False
    """Keep them whole, as a plain chat does. A run keeps one line of each, so what was thought is not carried."""


class S3GymHarness(vf.Harness[S3GymHarnessConfig]):
    """Asks the model from this process, without tools and without a program of its own."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Ask once."""
        system, prompt = self.resolve_prompt(data)
        first = [vf.SystemMessage(content=system)] if system else []
        rest = [vf.UserMessage(content=prompt)] if isinstance(prompt, str) else prompt or []
        messages = [{"role": message.role, "content": message.content or ""} for message in [*first, *rest]]
        far = endpoint.startswith("https:")  # else it is the library's own server on this machine
        http = DefaultAsyncHttpxClient(trust_env=far, verify=far)
        async with AsyncOpenAI(base_url=endpoint, api_key=secret, http_client=http, timeout=None) as client:
            body = {"model": ctx.model, "messages": messages}
            await client.post("/chat/completions", cast_to=object, body=body)  # `create` walks through every message
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")

    async def resume(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
        messages: vf.Messages,
        tool_interception_url: str | None = None,
    ) -> vf.ProgramResult:
        """Ask with the messages of a step; with whole replies, after all that was said before."""
        if self.config.whole_replies:
            return await super().resume(ctx, trace, runtime, endpoint, secret, mcp_urls, data, messages)
        step = data.model_copy(update={"prompt": messages})
        return await self.launch(ctx, trace, runtime, endpoint, secret, mcp_urls, step)


class S3GymEnvConfig(vf.EnvConfig):
    """Who plays. The player needs no sandbox: a game takes text and runs nothing."""

    player: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class S3GymEnv(vf.Env[S3GymEnvConfig]):
    """Plays a level with the engine, the prompts and the reader of replies that a run has."""

    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        """Play one episode; what was played stands in the trace's ``info`` under ``steps`` and ``end``."""
        game, config = _table(task.data)
        preset = preset_named(task.data.protocol)
        context = RunContext(game, "history", preset.budget(preset.input_tokens)).episode(config)
        harness = agents.player.harness
        as_in_a_run = isinstance(harness, S3GymHarness) and not harness.config.whole_replies
        loop = turns(game, config, task.data.seed)
        self_scores: list[float | None] = []
        async with agents.player.interaction(task) as interaction:
            turn, episode = next(loop), None
            while episode is None:
                context.turn(turn.feedback, turn.observation)
                messages = context.messages()
                segment = await interaction.turn(_typed(messages[1:] if as_in_a_run else messages[-1:]))
                action = None
                if not segment.terminated:
                    reply = read_reply(segment.last_reply)
                    context.answered(canonical_line(reply))
                    self_scores.append(reply.score)
                    action = playable(reply.action)
                try:
                    turn = loop.send(action)
                except StopIteration as stop:
                    episode = stop.value
            interaction.trace.info |= _record(episode, self_scores)


def load_environment(
    game: str, config: Phase = "explore", seeds: range = range(1000), protocol: str = "paper-1"
) -> S3GymEnv:
    """Return the environment of one game.

    Args:
        game: The id of the game.
        config: ``explore``, or ``strict`` on levels that no preset examines.
        seeds: Consecutive seeds, one a task.
        protocol: The preset whose step limit and input budget hold.

    Raises:
        ValueError: If there is no such game or preset, or the seeds are not consecutive or not to be trained on.
    """
    if seeds.step != 1:
        raise ValueError(f"seeds: expected consecutive ones, got {seeds}")
    chosen = S3GymTasksetConfig(
        id=TASKSET, game=game, config=config, protocol=protocol, first=seeds.start, count=len(seeds)
    )
    return S3GymEnv(S3GymEnvConfig(taskset=chosen))


def _examined(protocol: str, game: str) -> tuple[int, ...]:
    preset = preset_named(protocol)
    return strict_seeds(preset, game) if game in preset.games else ()


def _table(data: S3GymData) -> tuple[AnyGame, Config]:
    game = game_named(data.game)
    if game.rules_version != data.rules_version:
        raise ValueError(f"rules_version: expected {game.rules_version} of {game.id}, got {data.rules_version}")
    return game, preset_named(data.protocol).config(game, data.config)


def _replayed(data: S3GymData, actions: Sequence[str]) -> Episode:
    game, config = _table(data)
    return play(game, config, data.seed, lambda turn: actions[turn.step] if turn.step < len(actions) else None)


def _typed(messages: Sequence[Message]) -> vf.Messages:
    kinds = {"user": vf.UserMessage, "assistant": vf.AssistantMessage}
    return [kinds[message.role](content=message.content) for message in messages]


def _record(episode: Episode, self_scores: Sequence[float | None]) -> dict[str, object]:
    steps = [
        {"action": played.action, "self_score": score, "reward": float(number(played.reward))}
        for played, score in zip(episode.steps, self_scores, strict=True)
    ]
    return {"steps": steps, "end": episode.end.value if episode.end else None}
