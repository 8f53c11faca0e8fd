"""What ``s3gym run`` does with a plan: plays it to its signed bundle, or estimates it."""

from __future__ import annotations

from pathlib import Path

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
from s3gym.opening import access_of, open_model
from s3gym.output import INTERRUPTED, PAUSED, board_console, err, plain, progress, warn
from s3gym.preparing import ready
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
    *,
    keep_going: bool = False,
) -> Finished:
    """Play a plan to its signed bundle, and close the model whatever happens."""
    try:
        return await play_entry(
            plan, model, folder, key, watcher, asker, seats=seats, ledger=ledger, keep_going=keep_going
        )
    finally:
        await model.close()


def play_settings(settings: Settings, plan: Plan, ledger: Ledger) -> Finished:
    """Check all that can be checked, then play; leave with the exit code of what stopped it."""
    needs = ready(settings, plan)
    for warning in needs.warnings:
        warn(warning)
    model = open_model(settings.model, access_of(settings), plan.decoding)
    asker = Asker(RetryPolicy().for_timeout(settings.timeout), pace=settings.requests_per_minute)
    try:
        with ProgressBoard(board_console(), ledger) as board:
            watcher = board.watcher(plan.preset, plan.games)
            seats = Seats(settings.concurrency)
            going = settings.keep_going
            playing = play(plan, model, needs.folder, needs.key, watcher, asker, seats, ledger, keep_going=going)
            return stoppable(playing, [asker])
    except (StoppedRunError, KeyboardInterrupt):
        err().print("[bold yellow]stopped:[/] every reply so far is kept; run the same command again to go on.")
        raise typer.Exit(INTERRUPTED) from None
    except PauseRunError as pause:
        err().print(f"[bold yellow]paused:[/] {plain(str(pause))}")
        err().print(f"So far: {plain(spent_line(ledger))}.")
        err().print(f"Nothing is scored. Run the same command again to go on from {plain(str(needs.folder))}.")
        raise typer.Exit(PAUSED) from pause


def estimate(plan: Plan, settings: Settings, prices: Prices | None, *, as_json: bool) -> None:
    """Print what a plan would take; nothing is sent."""
    reply_tokens = settings.assume_reply_tokens
    endpoint = Endpoint(kind="openai_chat", model=plan.model, context_tokens=settings.context_tokens)
    room = budgets(plan.preset, endpoint)
    episodes = sum(len(schedule(plan.preset, game)) for game in plan.games)
    with progress() as bar:
        task = bar.add_task("rehearsing", total=episodes)
        found = forecast(plan, room, reply_tokens=reply_tokens, told=lambda: bar.advance(task))
    show = write_forecast if as_json else show_forecast
    show(plan, found, prices, reply_tokens)
