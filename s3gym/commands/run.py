"""``s3gym run``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from protocol.budgets import budgets
from protocol.records import Endpoint
from protocol.schedule import schedule
from runner.entry import Finished, Plan, play_entry
from runner.forecast import forecast
from runner.ledger import Ledger
from runner.models.model import Model
from runner.prices import Prices
from runner.retry import Asker, PauseRunError, RetryPolicy, StoppedRunError
from runner.together import Seats
from runner.watcher import Watcher
from s3gym.configuring import read_settings
from s3gym.finishing import finished_json, show_finished
from s3gym.flags import ConfigFile, takes_settings
from s3gym.opening import open_model
from s3gym.output import (
    INTERRUPTED,
    PAUSED,
    board_console,
    err,
    plain,
    plain_errors,
    progress,
    warn,
    write_json,
)
from s3gym.preparing import effective_toml, plan_of, prices_of, ready
from s3gym.settings import Settings
from s3gym.spending import show_forecast, spent_line, write_forecast
from s3gym.stopping import stoppable
from s3gym.watching import ProgressBoard


async def play(
    plan: Plan,
    model: Model,
    folder: Path,
    key: Ed25519PrivateKey,
    watcher: Watcher,
    asker: Asker,
    seats: Seats,
    ledger: Ledger | None = None,
) -> Finished:
    """Play a plan to its signed bundle, and close the model whatever happens."""
    try:
        return await play_entry(plan, model, folder, key, watcher, asker, seats=seats, ledger=ledger)
    finally:
        await model.close()


@takes_settings
def run(
    *,
    config: ConfigFile = None,
    print_config: Annotated[
        bool, typer.Option("--print-config", help="Print the settings that would be used, as TOML; play nothing.")
    ] = False,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Print requests, tokens and price; send nothing, play nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
    **flags: object,
) -> None:
    """Play an entry and write its signed bundle; run the same command again to go on after any interruption.

    Every request is journaled before it is sent, so nothing paid for is lost or asked twice. Exit code 3 means
    paused: the endpoint cannot answer now, nothing is scored, and the same command goes on.

    [bold]Examples[/]

    s3gym run --model builtin:greedy --protocol smoke-1 --key keys/team.key

    s3gym run --model my-model --base-url http://localhost:8000/v1 --protocol pocket-1 --pathway summary

    s3gym run --config run.toml --pathway summary
    """
    with plain_errors():
        settings = read_settings(config, flags)
        plan = plan_of(settings)
        if print_config:
            write_json(effective_toml(settings, plan))
            return
        prices = prices_of(settings)
        if estimate:
            _estimate(plan, settings, prices, as_json=as_json)
            return
        ledger = Ledger(prices, max_requests=settings.max_requests, max_cost=settings.max_cost)
        finished = _play(settings, plan, ledger)
    err().print(f"Took {plain(spent_line(ledger))}.")
    if as_json:
        write_json(finished_json(plan.entry, finished))
    else:
        show_finished(finished)


def _play(settings: Settings, plan: Plan, ledger: Ledger) -> Finished:
    """Check all that can be checked, then play; leave with the exit code of what stopped it."""
    needs = ready(settings, plan)
    for warning in needs.warnings:
        warn(warning)
    model = open_model(
        settings.model,
        settings.base_url,
        settings.api_key_env,
        plan.temperature,
        settings.timeout,
        api_key_header=settings.api_key_header,
        context_tokens=settings.context_tokens,
    )
    asker = Asker(RetryPolicy().for_timeout(settings.timeout), pace=settings.requests_per_minute)
    try:
        with ProgressBoard(board_console(), ledger) as board:
            watcher = board.watcher(plan.preset, plan.games)
            seats = Seats(settings.concurrency)
            playing = play(plan, model, needs.folder, needs.key, watcher, asker, seats, ledger)
            return stoppable(playing, [asker])
    except (StoppedRunError, KeyboardInterrupt):
        err().print("[bold yellow]stopped:[/] every reply so far is kept; run the same command again to go on.")
        raise typer.Exit(INTERRUPTED) from None
    except PauseRunError as pause:
        err().print(f"[bold yellow]paused:[/] {plain(str(pause))}")
        err().print(f"So far: {plain(spent_line(ledger))}.")
        err().print(f"Nothing is scored. Run the same command again to go on from {plain(str(needs.folder))}.")
        raise typer.Exit(PAUSED) from pause


def _estimate(plan: Plan, settings: Settings, prices: Prices | None, *, as_json: bool) -> None:
    reply_tokens = settings.assume_reply_tokens
    endpoint = Endpoint(kind="openai_chat", model=plan.model, context_tokens=settings.context_tokens)
    room = budgets(plan.preset, endpoint)
    episodes = sum(len(schedule(plan.preset, game)) for game in plan.games)
    with progress() as bar:
        task = bar.add_task("rehearsing", total=episodes)
        found = forecast(plan, room, reply_tokens=reply_tokens, told=lambda: bar.advance(task))
    show = write_forecast if as_json else show_forecast
    show(plan, found, prices, reply_tokens)
