"""What every command that verifies shares: protocols, keys, the report, the time."""

from __future__ import annotations

import time
from pathlib import Path

from rich.table import Table

from s3gym.output import err, out, plain, write_json
from scoring.board import open_board
from scoring.checks.signature import KeyOf
from scoring.crew import Tick
from scoring.registry import KEYS, Registry
from scoring.report import Report
from scoring.signed_registry import REGISTRY, ROOT


def board_of(keys: Path) -> Path:
    """Return the folder that a registry is part of: a board is given whole, or by its folder of keys."""
    return keys.parent if keys.name == KEYS else keys


def open_keys(folder: Path) -> KeyOf:
    """Return who may sign for a team now: by the signed registry of a board, or a folder of keys.

    Raises:
        BundleError: If the signed registry does not hold.
        ValueError: If there is neither.
    """
    if (folder / REGISTRY).exists() or (folder / ROOT).exists():
        board = open_board(folder)
        return board.keyring.at(len(board.lines))
    return Registry(folder)


def tell_report(report: Report, *, as_json: bool) -> None:
    """Print a report for whoever asked: a program, or a person."""
    if as_json:
        write_json(report.to_json())
    else:
        show_report(report)


def show_report(report: Report) -> None:
    """Print a report for people."""
    table = Table(box=None, pad_edge=False)
    for heading in ("step", "check", "status", "what was checked"):
        table.add_column(heading, overflow="fold")
    styles = {"passed": "green", "failed": "bold red", "not run": "yellow"}
    for check in report.checks:
        status = f"[{styles[check.status]}]{check.status}[/]"
        table.add_row(f"{check.number} {check.code}", check.title, status, plain(check.detail))
    console = out()
    console.print(table)
    for fault in report.faults:
        err().print(f"[bold red]refused[/] \\[{fault.code}] {plain(fault.line())}")
    if report.verdict == "accepted":
        console.print(f"[bold green]accepted[/] {plain(report.entry or '')} by {plain(report.team or '')}")


class OutOfTimeError(ValueError):
    """The time that was given for a verification is over."""


def until(seconds: float) -> Tick:
    """Return what raises once so many seconds are over, counted from now."""
    end = time.monotonic() + seconds

    def tick() -> None:
        if time.monotonic() >= end:
            raise OutOfTimeError(
                f"bundle: not checked to the end within {seconds:g} seconds; give it more time, or more workers"
            )

    return tick
