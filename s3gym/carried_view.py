"""What ``s3gym carried`` shows of a run."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from runner.carried import Carried, carried_by
from runner.printable import printable
from runner.recording import Recording
from s3gym.carried_report import CarriedEpisode, CarriedGame, CarriedMemory, CarriedRun, game_report
from s3gym.durations import short_count
from s3gym.output import progress

_COLOURS = {"+": "green", "-": "red", "@": "dim"}


def carried_report(recording: Recording, game: str | None, at: int | None) -> CarriedRun:
    """Return what a run carried, of all its games or one."""
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


def show_carried(console: Console, game: CarriedGame) -> None:
    """Print what a run carried in a game."""
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
