"""``s3gym run``."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from games.registry import GAMES
from protocol.context import Pathway, SummaryMode
from protocol.names import MAX_NAME
from protocol.preset import Preset, preset_file, preset_named
from protocol.records import Endpoint
from protocol.schedule import schedule
from protocol.signing import load_key
from runner.entry import BUNDLE, Finished, Plan, budgets, play_entry, playable_games
from runner.forecast import forecast
from runner.ledger import Ledger
from runner.models.base_url import read_base_url
from runner.models.builtin import BUILTIN_NAMES, Builtin
from runner.models.model import Model
from runner.models.oracle import Oracle
from runner.prices import Prices, read_prices
from runner.retry import Asker, PauseRunError, RetryPolicy, StoppedRunError
from runner.together import Seats
from runner.watcher import Watcher
from s3gym.finishing import finished_json, show_finished
from s3gym.output import INTERRUPTED, PAUSED, err, fail, plain, plain_errors, write_json
from s3gym.spending import show_forecast, spent_line, write_forecast
from s3gym.stopping import stoppable
from s3gym.watching import ProgressBoard

EMBEDDED = "embedded:smollm2"
_OURS = ("builtin:", "embedded:")
_LIKE_OURS = ("builtin-", "embedded-")
_DIGITS = 8


def open_model(
    name: str,
    base_url: str | None,
    api_key_env: str,
    temperature: float | None,
    timeout: float,
    *,
    api_key_header: str | None = None,
    context_tokens: int | None = None,
) -> Model:
    """Return the model that a name stands for.

    Raises:
        ValueError: If the name stands for none, or what it needs is missing.
    """
    if name.startswith("builtin:"):
        kind = name.removeprefix("builtin:")
        if kind == "oracle":
            return Oracle()
        return Builtin(kind)
    if name == EMBEDDED:
        from runner.models.embedded import Embedded

        return Embedded()
    if base_url is None:
        builtins = ", ".join(f"builtin:{each}" for each in (*BUILTIN_NAMES, "oracle"))
        raise ValueError(
            f"model: expected {EMBEDDED}, one of {builtins}, or the name of a model and its --base-url, got {name!r}"
        )
    from runner.models.openai_chat import OpenAIChat

    return OpenAIChat(
        base_url=base_url,
        model=name,
        api_key=os.environ.get(api_key_env) or "none",
        api_key_header=api_key_header,
        context_tokens=context_tokens,
        temperature=temperature,
        timeout=timeout,
    )


def entry_id(model: str, pathway: str, protocol: str) -> str:
    """Return an entry id made from what is played: safe as a file name on every system, no two for the same.

    What a safe name cannot tell stands in it as a digest: signs, capital letters, an end that was too long.
    """
    text = f"{model}-{pathway}-{protocol}"
    slug = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    ours = model.startswith(_OURS)
    if len(slug) <= MAX_NAME and (ours or (slug == text and not slug.startswith(_LIKE_OURS))):
        return slug
    digest = hashlib.sha256(f"{model}\n{pathway}\n{protocol}".encode()).hexdigest()[:_DIGITS]
    return f"{slug[: MAX_NAME - _DIGITS - 1].strip('-')}-{digest}".strip("-")


def default_games(preset: Preset) -> tuple[str, ...]:
    """Return every game of a protocol that this release plays."""
    return tuple(game.id for game in GAMES if game.id in preset.games)


async def play(
    plan: Plan,
    model: Model,
    folder: Path,
    key_file: Path,
    watcher: Watcher,
    asker: Asker,
    seats: Seats,
    ledger: Ledger | None = None,
) -> Finished:
    """Play a plan to its signed bundle, and close the model whatever happens."""
    try:
        key = load_key(key_file.read_bytes())
        return await play_entry(plan, model, folder, key, watcher, asker, seats=seats, ledger=ledger)
    finally:
        await model.close()


def run(
    model: Annotated[
        str,
        typer.Option(
            help="embedded:smollm2 (a small packaged model), builtin:random|idle|greedy|learner|oracle, or the name "
            "of a model at --base-url."
        ),
    ] = EMBEDDED,
    base_url: Annotated[
        str | None, typer.Option(help="Any OpenAI-compatible endpoint, such as http://localhost:8000/v1.")
    ] = None,
    protocol: Annotated[str, typer.Option(help="A preset id, or a preset file (TOML).")] = "smoke-1",
    game: Annotated[list[str] | None, typer.Option(help="A game; repeat for more. Default: all.")] = None,
    pathway: Annotated[str, typer.Option(help="history (History ICL) or summary (Summary Memory).")] = "history",
    key: Annotated[Path, typer.Option(help="The team's private key (s3gym keygen).")] = Path("keys/team.key"),
    team: Annotated[str | None, typer.Option(help="Team name; by default the name of the key file.")] = None,
    entry: Annotated[str | None, typer.Option(help="Entry id; by default made from model, pathway, protocol.")] = None,
    folder: Annotated[
        Path | None, typer.Option("--out", help="Run folder: journal and bundle. Default: runs/ENTRY.")
    ] = None,
    temperature: Annotated[
        float | None, typer.Option(help="Sent as it is; by default what the protocol fixes, else the server's.")
    ] = None,
    summary_mode: Annotated[str, typer.Option(help="rebuild (from raw history) or recursive.")] = "rebuild",
    system_role: Annotated[
        bool | None,
        typer.Option(
            help="Whether prompts have a system message. By default one small request finds out whether the endpoint "
            "takes one.",
            show_default=False,
        ),
    ] = None,
    context_tokens: Annotated[
        int | None,
        typer.Option(min=1, help="The endpoint's context, where it is smaller than the protocol's budgets together."),
    ] = None,
    api_key_env: Annotated[str, typer.Option(help="Environment variable that holds the key.")] = "OPENAI_API_KEY",
    api_key_header: Annotated[
        str | None,
        typer.Option(help="Header that holds the key alone, such as api-key. Default: Authorization: Bearer KEY."),
    ] = None,
    timeout: Annotated[float, typer.Option(help="Seconds to wait for one reply.")] = 300.0,
    concurrency: Annotated[
        int, typer.Option(min=1, max=256, help="Episodes played at once: games, and strict episodes of a checkpoint.")
    ] = 1,
    requests_per_minute: Annotated[
        float | None, typer.Option(min=0.1, help="Send no more requests a minute than this.")
    ] = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Print requests, tokens and price; send nothing, play nothing.")
    ] = False,
    assume_reply_tokens: Annotated[
        int, typer.Option(min=1, help="For --estimate: output tokens of a reply, reasoning included.")
    ] = 400,
    prices: Annotated[
        Path | None,
        typer.Option(help='TOML table: a section ["MODEL"] with input, cached_input, output a million tokens.'),
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="Stop, resumably, when so much is spent (needs --prices).")
    ] = None,
    max_requests: Annotated[
        int | None, typer.Option(min=1, help="Stop, resumably, after so many requests, all sittings together.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
) -> None:
    """Play an entry and write its signed bundle; run the same command again to go on after any interruption.

    Every request is journaled before it is sent, so nothing paid for is lost or asked twice. Exit code 3 means
    paused: the endpoint cannot answer now, nothing is scored, and the same command goes on.

    [bold]Examples[/]

    s3gym run --model builtin:greedy --protocol smoke-1 --key keys/team.key

    s3gym run --model my-model --base-url http://localhost:8000/v1 --protocol pocket-1 --pathway summary
    """
    with plain_errors():
        preset = preset_file(Path(protocol)) if protocol.endswith(".toml") else preset_named(protocol)
        plan = Plan(
            entry=entry or entry_id(model, pathway, preset.id),
            team=team or key.stem,
            model=model,
            preset=preset,
            games=tuple(game) if game else default_games(preset),
            pathway=_pathway(pathway),
            summary_mode=_summary_mode(summary_mode),
            system_role=system_role,
            temperature=preset.temperature if temperature is None else temperature,
            address=_address(model, base_url),
        )
        playable_games(plan)
        table = None if prices is None else read_prices(prices, model)
        if estimate:
            _estimate(plan, context_tokens, table, assume_reply_tokens, as_json=as_json)
            return
        ledger = Ledger(table, max_requests=max_requests, max_cost=max_cost)
        where = folder or Path("runs") / plan.entry
        if (where / BUNDLE).exists():
            fail(f"{where / BUNDLE}: expected no bundle yet, found one: this run is finished. Choose another --out.")
        if not key.is_file():
            fail(f"{key}: expected the team's private key, found none. Make one: s3gym keygen TEAM")
        opened = open_model(
            model,
            base_url,
            api_key_env,
            plan.temperature,
            timeout,
            api_key_header=api_key_header,
            context_tokens=context_tokens,
        )
        asker = Asker(RetryPolicy().for_timeout(timeout), pace=requests_per_minute)
        try:
            with ProgressBoard(err()) as board:
                watcher = board.watcher(plan.preset, plan.games)
                playing = play(plan, opened, where, key, watcher, asker, Seats(concurrency), ledger)
                finished = stoppable(playing, [asker])
        except (StoppedRunError, KeyboardInterrupt):
            err().print("[bold yellow]stopped:[/] every reply so far is kept; run the same command again to go on.")
            raise typer.Exit(INTERRUPTED) from None
        except PauseRunError as pause:
            err().print(f"[bold yellow]paused:[/] {plain(str(pause))}")
            err().print(f"So far: {plain(spent_line(ledger))}.")
            err().print(f"Nothing is scored. Run the same command again to go on from {plain(str(where))}.")
            raise typer.Exit(PAUSED) from pause
    err().print(f"Took {plain(spent_line(ledger))}.")
    if as_json:
        write_json(finished_json(plan.entry, finished))
    else:
        show_finished(finished)


def _address(model: str, base_url: str | None) -> str | None:
    """Return where a model is asked, without user name, password and query; None if it is played here."""
    if base_url is None or model == EMBEDDED or model.startswith(_OURS):
        return None
    return read_base_url(base_url).shown


def _estimate(
    plan: Plan, context_tokens: int | None, prices: Prices | None, reply_tokens: int, *, as_json: bool
) -> None:
    room = budgets(plan.preset, Endpoint(kind="openai_chat", model=plan.model, context_tokens=context_tokens))
    episodes = sum(len(schedule(plan.preset, game)) for game in plan.games)
    with Progress(console=err(), transient=True) as progress:
        task = progress.add_task("rehearsing", total=episodes)
        found = forecast(plan, room, reply_tokens=reply_tokens, told=lambda: progress.advance(task))
    show = write_forecast if as_json else show_forecast
    show(plan, found, prices, reply_tokens)


def _pathway(name: str) -> Pathway:
    if name == "history":
        return "history"
    if name == "summary":
        return "summary"
    raise ValueError(f"pathway: expected history or summary, got {name!r}")


def _summary_mode(name: str) -> SummaryMode:
    if name == "rebuild":
        return "rebuild"
    if name == "recursive":
        return "recursive"
    raise ValueError(f"summary-mode: expected rebuild or recursive, got {name!r}")
