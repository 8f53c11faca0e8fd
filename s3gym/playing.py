"""What ``s3gym run`` does with a plan: plays it to its signed bundle, or estimates it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import typer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from runner.entry import Finished, Plan, play_entry, sound
from runner.ledger import Ledger
from runner.models.model import Model
from runner.retry import Asker, PauseRunError, RetryPolicy, StoppedRunError
from runner.together import Seats
from runner.watcher import Watcher
from s3gym.agreeing import DeclinedError, agree, check_agreed
from s3gym.opening import access_of, open_model
from s3gym.output import INTERRUPTED, PAUSED, board_console, err, plain, warn
from s3gym.preparing import ready
from s3gym.settings import Settings
from s3gym.spending import spent_line
from s3gym.stopping import stoppable
from s3gym.watching import ProgressBoard


async def play(
    plan: Plan, model: Model, folder: Path, key: Ed25519PrivateKey, watcher: Watcher, asker: Asker, seats: Seats
) -> Finished:
    """Play a plan to its signed bundle, and close the model whatever happens."""
    try:
        return await play_entry(plan, model, folder, key, watcher, asker, seats=seats)
    finally:
        await model.close()


def play_settings(settings: Settings, plan: Plan, ledger: Ledger, *, yes: bool) -> Finished:
    """Check all that can be checked, say what will become of the rows, then play.

    Leaves with the exit code of what stopped it.

    Args:
        settings: How it is played.
        plan: What is played.
        ledger: What counts requests and cost.
        yes: Whether a long run is begun without a question.
    """
    needs = ready(settings, plan)
    for warning in needs.warnings:
        warn(warning)
    check_agreed(plan, settings, ledger.prices, needs.folder, yes=yes)
    model = open_model(settings.model, access_of(settings), plan.decoding)
    asker = Asker(RetryPolicy().for_timeout(settings.timeout), pace=settings.requests_per_minute)
    # One loop for both parts: a model keeps its connections, and what it learned of the endpoint.
    with asyncio.Runner() as runner:
        try:
            with ProgressBoard(board_console(), ledger) as board:
                watcher = board.watcher(plan.preset, plan.games)
                sounding = sound(plan, model, needs.folder, watcher, asker, ledger)
                sounded = stoppable(sounding, [asker], runner)
                with board.aside():
                    agree(plan, settings, ledger.prices, sounded, yes=yes)
                seats = Seats(settings.concurrency)
                playing = play_entry(
                    plan,
                    model,
                    needs.folder,
                    needs.key,
                    watcher,
                    asker,
                    seats=seats,
                    ledger=ledger,
                    keep_going=settings.keep_going,
                )
                return stoppable(playing, [asker], runner)
        except (StoppedRunError, KeyboardInterrupt):
            err().print("[bold yellow]stopped:[/] every reply so far is kept; run the same command again to go on.")
            raise typer.Exit(INTERRUPTED) from None
        except DeclinedError:
            err().print("[bold yellow]not begun:[/] run the same command again when you want it.")
            raise typer.Exit(INTERRUPTED) from None
        except PauseRunError as pause:
            err().print(f"[bold yellow]paused:[/] {plain(str(pause))}")
            err().print(f"So far: {plain(spent_line(ledger))}.")
            folder = plain(str(needs.folder))
            err().print(f"Nothing is scored. Every reply so far is kept in {folder}; the run goes on from there.")
            raise typer.Exit(PAUSED) from pause
        finally:
            runner.run(model.close())
