"""What every command that verifies shares: protocols, keys, the report, the time."""

from __future__ import annotations

import time
from pathlib import Path

from rich.table import Table

from protocol.preset import Preset, preset_file, preset_named, preset_names
from s3gym.output import err, out, plain
from scoring.board import open_board
from scoring.checks.signature import KeyOf
from scoring.crew import Tick
from scoring.registry import Registry
from scoring.report import Report
from scoring.signed_registry import REGISTRY, ROOT
from scoring.verify import PresetOf


def presets(files: list[Path] | None) -> PresetOf:
    """Return where protocols are looked up: the given files first, then the shipped presets.

    Raises:
        ValueError: If a file holds none, or another one under the id of a shipped one.
    """
    own: dict[str, Preset] = {}
    for file in files or ():
        preset = preset_file(file)
        if preset.id in preset_names() and preset.digest != preset_named(preset.id).digest:
            raise ValueError(f"{file}: expected another id than {preset.id!r}: a released preset never changes")
        own[preset.id] = preset

    def preset_of(name: str) -> Preset:
        return own[name] if name in own else preset_named(name)

    return preset_of


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
