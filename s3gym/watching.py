"""Progress of a run: live bars in a terminal, one line an episode elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from protocol.preset import Preset
from protocol.records import EpisodeRecord, MemoryRecord
from protocol.schedule import Slot, schedule
from s3gym.output import plain


class ProgressWatcher:
    """Shows how far each game's run is."""

    def __init__(self, preset: Preset, games: tuple[str, ...], console: Console) -> None:
        self._console = console
        self._live = console.is_terminal
        self._progress = Progress(
            TextColumn("{task.description:<12}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[now]}"),
            console=console,
            disable=not self._live,
        )
        self._tasks: dict[str, TaskID] = {}
        self._totals = {game: len(schedule(preset, game)) for game in games}
        self._done = dict.fromkeys(games, 0)
        for game in games:
            self._tasks[game] = self._progress.add_task(game, total=self._totals[game], now="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def stepped(self, game: str, slot: Slot, step: int) -> None:
        """Show which step is under way."""
        self._progress.update(self._tasks[game], now=f"{slot.name}, step {step + 1}")

    def finished(self, record: EpisodeRecord) -> None:
        """Count an episode."""
        self._done[record.game] += 1
        self._progress.update(self._tasks[record.game], completed=self._done[record.game], now="")
        if not self._live:
            place = f"explore {record.index}" if record.phase == "explore" else f"strict x={record.checkpoint}"
            outcome = f"{len(record.steps)} steps, {record.end}" if record.end else f"failed: {record.failure}"
            done = f"{self._done[record.game]}/{self._totals[record.game]}"
            self._console.print(f"{record.game:<12} {done:>7}  {place}: {outcome}")

    def remembered(self, record: MemoryRecord) -> None:
        """Say when a summary call made no memory."""
        if record.status == "kept":
            self._console.print(f"{record.game}: summary call {record.index} failed ({plain(str(record.failure))})")
