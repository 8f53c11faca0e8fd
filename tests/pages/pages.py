"""What the generated pages say, made from the code that they describe."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from typer.core import TyperArgument, TyperGroup, TyperOption

from games.registry import GAMES
from protocol.context import RunContext
from protocol.exact import MAX_EXACT
from protocol.preset import Preset, preset_named, preset_names
from protocol.summary import SummaryPrompt
from s3gym.cli import COMMANDS, app, command_named
from s3gym.flags import default_text
from s3gym.settings import Settings, key_of
from s3gym.toml_text import toml_value
from scoring.results import results_schema
from tests.pages.calibration import calibration_page
from tests.pages.papers_numbers import papers_numbers_page
from tests.pages.results import results_page
from tests.pages.simulation import simulation_page
from tests.pages.verification import refusals_page, report_schema

if TYPE_CHECKING:
    from typer._click import Command

ROOT = Path(__file__).resolve().parents[2]
NOTE = "<!-- Generated: python -m tests.pages record -->\n\n"


def cli_page() -> str:
    """Return the reference of the command line, from the commands themselves."""
    command = typer.main.get_command(app)
    assert isinstance(command, TyperGroup)
    head = f"{NOTE}# The command line\n\n{_prose(command.help)}\n\n{_prose(command.epilog)}\n"
    return "\n".join([head, *_commands({name: command_named(name) for name in COMMANDS}, "s3gym")])


def _commands(commands: Mapping[str, Command], prefix: str) -> list[str]:
    parts: list[str] = []
    for name, command in sorted(commands.items()):
        full = f"{prefix} {name}"
        if isinstance(command, TyperGroup):
            parts += _commands(command.commands, full)
            continue
        arguments = [
            (each.metavar or each.name or "").upper() for each in command.params if isinstance(each, TyperArgument)
        ]
        parts.append(f"## {full}\n\n`{' '.join([full, *arguments])}`\n\n{_prose(command.help)}\n")
        options = [each for each in command.params if isinstance(each, TyperOption) and each.help]
        if full == "s3gym doctor":
            parts.append("Its settings are those of s3gym run: [every key and flag](config.md). Beside them:\n")
            options = [each for each in options if each.name not in Settings.model_fields]
        rows = [_option(each) for each in options]
        if rows:
            parts.append("| option | meaning | default |\n| --- | --- | --- |\n" + "\n".join(rows) + "\n")
    return parts


def _option(option: TyperOption) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    # Options whose default lies elsewhere tell it as text.
    default = option.show_default if isinstance(option.show_default, str) else option.default
    shown = "" if default is None or default is False or not str(default) else f"`{default}`"
    meaning = _prose(option.help).replace("|", "\\|")
    return f"| {names} | {meaning} | {shown} |"


def _prose(text: str | None) -> str:
    """Return help text as Markdown: console markup becomes Markdown's."""
    return re.sub(r"\[/?(bold)[^\]]*\]|\[/\]", "**", (text or "").strip())


def presets_page() -> str:
    """Return the table of the presets, from their files."""
    presets = [preset_named(name) for name in preset_names()]
    lines = [
        f"{NOTE}# Presets\n",
        "A preset is a frozen protocol, a data file under `protocol/presets/`. A released preset never changes; a new",
        "round is a new preset: `s3gym round new`.\n",
        "| | " + " | ".join(f"`{preset.id}`" for preset in presets) + " |",
        "| --- " * (len(presets) + 1) + "|",
    ]
    rows: list[tuple[str, list[object]]] = [
        ("title", [preset.title for preset in presets]),
        ("ranked", ["yes" if preset.rankable else "never" for preset in presets]),
        ("exploration episodes", [preset.explore_episodes for preset in presets]),
        ("checkpoints at x =", [_steps(preset.checkpoints) for preset in presets]),
        ("strict episodes a checkpoint", [preset.strict_episodes for preset in presets]),
        ("repeats of x = 0", [preset.baseline_repeats for preset in presets]),
        ("steps an episode, at most", [preset.max_steps for preset in presets]),
        ("input budget, estimated tokens", [f"{preset.input_tokens:,}" for preset in presets]),
        ("new tokens a reply", [f"{preset.output_tokens:,}" for preset in presets]),
        ("memory, at most", [_memory(preset.memory_percent, preset.memory_tokens) for preset in presets]),
        (
            "temperature",
            ["the model's default" if preset.temperature is None else f"{preset.temperature:g}" for preset in presets],
        ),
        ("failed explorations allowed", [preset.limits.failed_explorations for preset in presets]),
        ("failed checkpoints allowed", [preset.limits.failed_checkpoints for preset in presets]),
        ("digest", [f"`{preset.digest[:12]}`" for preset in presets]),
    ]
    lines += [f"| {name} | " + " | ".join(map(str, values)) + " |" for name, values in rows]
    lines += [
        "\nA game keeps its own smaller limit of steps (Trust has 10 rounds).\n",
        *_variants(presets),
        "## Judging ranges\n",
        "The lowest and highest immediate reward of each game; self-scores and rewards are scaled by it.\n",
        "| game | rules version | range |\n| --- | --- | --- |",
    ]
    for name, game in presets[0].games.items():
        low, high = game.judging_range
        lines.append(f"| {name} | {game.rules_version} | {low:g} to {high:g} |")
    return "\n".join(lines) + "\n"


def _variants(presets: list[Preset]) -> list[str]:
    return [
        "## Variants\n",
        "A **variant** of a game is a pair of configs, one to explore under and one to be examined under. Every game",
        "has the `standard` one, whose numbers are the paper's as far as they are known; a game may have others, and a",
        "preset names one for each of its games. A game's page holds the numbers of all its variants. A seed stands",
        "for another level in another variant.\n",
        "| game | " + " | ".join(f"`{preset.id}`" for preset in presets) + " |",
        "| --- " * (len(presets) + 1) + "|",
        *[
            f"| {name} | " + " | ".join(preset.games[name].variant for preset in presets) + " |"
            for name in presets[0].games
        ],
        "",
    ]


def _steps(xs: tuple[int, ...]) -> str:
    return ", ".join(map(str, xs)) if len(xs) <= 2 else f"{xs[0]}, {xs[1]}, .., {xs[-1]}"


def _memory(percent: int, tokens: int) -> str:
    return f"{percent}% of the input budget, {tokens:,} tokens"


def prompts_page() -> str:
    """Return what a model sees, shown on real prompts of each pathway."""
    parts = [
        f"{NOTE}# What the model sees\n",
        "These are real prompts, built by the code that builds them in a run. The system message holds the rules in",
        "words that fit every config and the reply contract; the first user message holds what is carried, this",
        "config's numbers and the state. No prompt ever holds a verifier reward, a score or a strict episode.\n",
    ]
    for game in GAMES:
        parts += _prompts(game.id, game.title)
    return "\n".join(parts)


def _prompts(game_id: str, title: str) -> list[str]:
    game = next(game for game in GAMES if game.id == game_id)
    preset = preset_named("paper-1")
    run = RunContext(game, "history", preset.budget(preset.input_tokens))
    explore = run.episode(game.explore)
    state = game.start(game.explore, 1)
    explore.turn("", game.observe(state), game.recall(state))
    action = game.baselines["idle"](game.observe(state), lambda _: 0).action
    explore.answered(f"Answer: {action}, Score: 0")
    step = game.step(state, action)
    explore.turn(step.feedback, game.observe(step.state), game.recall(step.state))
    messages = explore.messages()
    run.explored(explore, step.feedback)
    strict = run.episode(game.strict)
    strict.turn("", game.observe(game.start(game.strict, 8)))
    memory = RunContext(game, "summary", preset.budget(preset.input_tokens))
    memory.carry.add(explore.pieces(step.feedback))
    summary = SummaryPrompt(memory)
    blocks = [(f"{message.role}, exploration, step 2", message.content) for message in messages]
    blocks.append(("user, strict episode, History ICL", strict.messages()[1].content))
    blocks.append(("user, summary call", summary.messages()[0].content))
    parts = [f"## {title}\n"]
    for heading, content in blocks:
        parts.append(f"**{heading}**\n\n```text\n{content}\n```\n")
    return parts


def game_page(game_id: str) -> str:
    """Return a game's README as a page, with its links as they lead from there."""
    readme = (ROOT / "games" / game_id / "README.md").read_text(encoding="utf-8")
    return NOTE + readme.replace("](../../docs/reference/", "](../").replace("](../../docs/", "](../../")


CONFIG_HEAD = """\
# Settings of a run

Every setting of `s3gym run` and `s3gym doctor` is a key of a TOML file (`--config FILE`) and a flag of the same name; a
flag wins over the file. What is not set has its default. [How to configure a run](../how-to/configure-a-run.md) shows
both at work.

| key | type | default | meaning |
| --- | --- | --- | --- |"""


def config_page() -> str:
    """Return the reference of the settings, from the settings themselves."""
    schemas = Settings.model_json_schema()["properties"]
    rows, examples = [], []
    for name, field in Settings.model_fields.items():
        default = default_text(field)
        shown = f"`{default}`" if default else ""
        meaning = _prose(field.description).replace("|", "\\|")
        rows.append(f"| `{key_of(name)}` | {_kind(schemas[name])} | {shown} | {meaning} |")
        examples.append(f"{key_of(name)} = {toml_value((field.examples or [''])[0])}")
    whole = "\n".join(["\n## Every key, as an example\n", "```toml", *examples, "```"])
    return f"{NOTE}{CONFIG_HEAD}\n" + "\n".join(rows) + f"\n{whole}\n"


def _kind(schema: Mapping[str, object]) -> str:
    """Return a type in the words of TOML, with its bounds."""
    options = schema.get("anyOf")
    first = options[0] if isinstance(options, list) else None
    known = first if isinstance(first, dict) else schema
    names = known.get("enum")
    if isinstance(names, list):
        return " or ".join(f"`{each}`" for each in names)
    low, more, high = known.get("minimum"), known.get("exclusiveMinimum"), known.get("maximum")
    bounds = [f"from {low:,g}"] if isinstance(low, (int, float)) else []
    bounds += [f"above {more:,g}"] if isinstance(more, (int, float)) else []
    bounds += [f"up to {high:,.0f}"] if isinstance(high, (int, float)) and high < MAX_EXACT else []
    return f"{_WORDS[str(known['type'])]} {' '.join(bounds)}".strip()


_WORDS = {
    "string": "text",
    "array": "list of texts",
    "boolean": "true or false",
    "integer": "whole number",
    "object": "table",
    "number": "number",
}


PAGES: dict[str, Callable[[], str]] = {
    "reference/cli.md": cli_page,
    "reference/config.md": config_page,
    "reference/presets.md": presets_page,
    "reference/calibration.md": calibration_page,
    "reference/refusals.md": lambda: NOTE + refusals_page(),
    "reference/report.schema.json": report_schema,
    "reference/results.schema.json": results_schema,
    "reference/results.md": lambda: NOTE + results_page(),
    "explanation/what-the-model-sees.md": prompts_page,
    "explanation/how-sure-is-it.md": simulation_page,
    "explanation/the-papers-numbers.md": papers_numbers_page,
    **{f"reference/games/{game.id}.md": partial(game_page, game.id) for game in GAMES},
}
