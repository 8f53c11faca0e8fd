"""``s3gym carried``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from protocol.preset import Preset, preset_file, preset_named
from runner.carried import Carried, carried_by
from runner.printable import printable
from runner.recording import Recording, read_recording
from s3gym.carried_report import CarriedEpisode, CarriedGame, CarriedMemory, CarriedRun, game_report
from s3gym.durations import short_count
from s3gym.output import out, plain_errors, progress, write_json
from s3gym.picking import complete_game

_COLOURS = {"+": "green", "-": "red", "@": "dim"}


def carried(
    folder: Annotated[Path, typer.Argument(help="A run folder, or a bundle.")],
    game: Annotated[str | None, typer.Option(help="Only this game.", autocompletion=complete_game)] = None,
    at: Annotated[
        int | None,
        typer.Option(min=0, help="Print the whole text that is carried after so many exploration episodes."),
    ] = None,
    protocol_file: Annotated[
        Path | None, typer.Option(help="A preset file (TOML) of a round that does not ship with this release.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all of it as JSON.")] = False,
) -> None:
    """Read what a model carries from episode to episode, while it plays or afterwards.

    For each game: the memories with what changed from one to the next, how much history the prompts left out, how
    long they were, and what a prompt cache served of them, as reported and at best. The run is not disturbed: its
    folder is only read, and nothing is verified.

    [bold]Examples[/]

    s3gym carried runs/my-entry

    s3gym carried runs/my-entry --game snake --at 6
    """
    with plain_errors():
        recording = read_recording(folder, lambda name: _preset(protocol_file, name))
        run = _report(recording, game, at)
        if as_json:
            write_json(run.model_dump_json(indent=1))
            return
        console = out()
        for each in run.games:
            if at is None:
                _show(console, each)
                continue
            if len(run.games) > 1:
                console.print(Text(f"{each.game}, after {at} exploration episodes", "bold"))
            console.print(Text(printable(each.text or "(nothing)\n")), end="")


def _preset(file: Path | None, name: str) -> Preset:
    given = None if file is None else preset_file(file)
    return given if given is not None and given.id == name else preset_named(name)


def _report(recording: Recording, game: str | None, at: int | None) -> CarriedRun:
    plan = recording.plan
    if game is not None and game not in plan.games:
        raise ValueError(f"game: expected one of this run ({', '.join(plan.games)}), got {game!r}")
    names = plan.games if game is None else (game,)
    with progress() as bar:
        task = bar.add_task("going through the run", total=len(recording.outcomes))
        found = [carried_by(recording, name, at=at, told=lambda: bar.advance(task)) for name in names]
    return CarriedRun(
        entry=plan.entry,
        model=plan.model,
        protocol=plan.preset.id,
        pathway=plan.pathway,
        games=tuple(game_report(each, _text(each, at)) for each in found),
    )


def _text(found: Carried, at: int | None) -> str | None:
    if at is None:
        return None
    if at not in found.texts:
        done = sum(record.phase == "explore" for record in found.finished)
        raise ValueError(f"at: expected 0 to {done} exploration episodes of {found.game} so far, got {at}")
    return found.texts[at]


def _show(console: Console, game: CarriedGame) -> None:
    now = f", next: {', '.join(game.under_way)}" if game.under_way else ""
    console.print(Text.assemble((game.game, "bold"), f"  {game.episodes_done} of {game.episodes} episodes{now}"))
    console.print(Text(f"  {_totals(game)}"))
    if game.carried:
        console.print(_table(game.carried))
    for memory in game.memories:
        _show_memory(console, memory)
    console.print()


def _totals(game: CarriedGame) -> str:
    tokens = f"{short_count(game.tokens_estimated)} tokens estimated"
    if game.tokens_in is not None:
        tokens = f"{short_count(game.tokens_in)} tokens"
    possible = "-" if game.share_possible is None else f"{game.share_possible:.0%}"
    served = "nothing reported" if game.share_served is None else f"{game.share_served:.0%} served"
    return f"{game.prompts:,} prompts, {tokens}; prompt cache: {served}, {possible} possible"


def _table(rows: tuple[CarriedEpisode, ...]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("episode", no_wrap=True)
    for heading in ("prompts", "longest", "served", "possible"):
        table.add_column(heading, justify="right")
    table.add_column("left out")
    table.add_column("outcome", no_wrap=True)
    for row in rows:
        table.add_row(
            row.name,
            f"{row.prompts}",
            f"{row.prompt_tokens:,}",
            _percent(row.tokens_cached, row.tokens_in),
            _percent(row.tokens_cacheable, row.tokens_estimated),
            _left_out(row),
            row.outcome,
        )
    return table


def _percent(part: int | None, whole: int | None) -> str:
    return "-" if part is None or not whole else f"{part / whole:.0%}"


def _left_out(row: CarriedEpisode) -> str:
    parts = [
        f"{count} {name}"
        for count, name in (
            (row.dropped_episodes, "episodes"),
            (row.dropped_steps, "steps"),
            (row.dropped_window, "own steps"),
        )
        if count
    ]
    return ", ".join(parts)


def _show_memory(console: Console, memory: CarriedMemory) -> None:
    made = f"from {len(memory.sources)} episodes" if memory.status == "made" else f"call failed: {memory.failure}"
    console.print(Text.assemble("\n  ", (f"memory {memory.index}", "bold"), f"  {made}, {memory.tokens:,} tokens"))
    if memory.status == "made" and not memory.changes:
        console.print(Text("    as before", "dim"))
    for line in memory.changes:
        console.print(Text(f"    {printable(line)}", _COLOURS.get(line[:1], "")))
