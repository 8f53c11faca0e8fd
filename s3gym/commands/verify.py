"""``s3gym verify``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from protocol.preset import Preset, preset_file, preset_named, preset_names
from s3gym.caching import usable_cache
from s3gym.output import ACCEPTED, REFUSED, err, out, plain, plain_errors, write_file, write_json
from scoring.accepting import accept
from scoring.board import open_board
from scoring.checks.signature import KeyOf
from scoring.crew import MAX_WORKERS, Alone, Tick, Workers, never
from scoring.registry import Registry
from scoring.report import Report
from scoring.signed_registry import REGISTRY as REGISTRY_FILE
from scoring.signed_registry import ROOT
from scoring.verify import PresetOf, RefusedError

REGISTRY = Path("submissions/keys")
Keys = Annotated[
    Path, typer.Option("--keys", help="Folder of registered team keys (TEAM.json), or a board with a signed registry.")
]
Protocols = Annotated[
    list[Path] | None,
    typer.Option("--protocol-file", help="A preset file (TOML) of a round that does not ship with this release."),
]


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
    if (folder / REGISTRY_FILE).exists() or (folder / ROOT).exists():
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


def verify(
    bundle: Annotated[Path, typer.Argument(help="The bundle folder.")],
    keys: Keys = REGISTRY,
    protocol_file: Protocols = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    report_file: Annotated[Path | None, typer.Option("--report", help="Also write the JSON report here.")] = None,
    workers: Annotated[
        int, typer.Option(min=1, max=MAX_WORKERS, help="Replay games in so many processes; the report is the same.")
    ] = 1,
    time_limit: Annotated[
        float | None,
        typer.Option(min=0, help="Give up after so many seconds: exit code 2, which refuses nothing."),
    ] = None,
    cached: Annotated[
        bool,
        typer.Option(
            "--cache", help="Take the report of this very bundle from your cache where it was accepted before."
        ),
    ] = False,
) -> None:
    """Verify a bundle offline: signature, files, records, completeness, separation, replay, contexts, claims.

    Every episode is played again from the raw replies, and every reward, score and prompt digest is recomputed.
    Exit code 0: accepted; 1: refused, with the step, file, episode and step number; 2: it could not be checked.
    """
    with plain_errors():
        try:
            accepted = accept(
                bundle,
                open_keys(keys),
                presets(protocol_file),
                usable_cache(wanted=cached),
                crew=Alone() if workers == 1 else Workers(workers),
                tick=never if time_limit is None else until(time_limit),
            )
            report, known = accepted.numbers.report, accepted.known
        except RefusedError as refusal:
            report, known = refusal.report, False
        if report_file is not None:
            write_file(report_file, report.to_json())
        if as_json:
            write_json(report.to_json())
        else:
            show_report(report)
            if known:
                out().print("from the cache: signature and file digests were checked now, the rest when first accepted")
    raise typer.Exit(ACCEPTED if report.verdict == "accepted" else REFUSED)
