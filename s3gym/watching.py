"""Progress of runs: live bars in a terminal, one line an episode elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from protocol.preset import Preset
from protocol.records import EpisodeRecord, MemoryRecord
from protocol.schedule import Slot, schedule
from s3gym.output import plain


class ProgressBoard:
    """Shows several runs at once; each gets a watcher of its own."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.live = console.is_terminal
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[now]}"),
            console=console,
            disable=not self.live,
        )

    def __enter__(self) -> Self:
        self.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.progress.stop()

    def watcher(self, preset: Preset, games: tuple[str, ...], label: str = "") -> ProgressWatcher:
        """Return a watcher for one entry.

        Args:
            preset: Its protocol.
            games: Its games.
            label: What stands before each game's name, where several entries are played at once.
        """
        return ProgressWatcher(self, preset, games, label)


class ProgressWatcher:
    """Shows how far each game's run of one entry is."""

    def __init__(self, board: ProgressBoard, preset: Preset, games: tuple[str, ...], label: str) -> None:
        self._board = board
        self._label = label
        self._names = {game: f"{label} {game}".strip() for game in games}
        self._totals = {game: len(schedule(preset, game)) for game in games}
        self._done = dict.fromkeys(games, 0)
        self._tasks: dict[str, TaskID] = {
            game: board.progress.add_task(plain(self._names[game]), total=self._totals[game], now="") for game in games
        }

    def waiting(self, what: str, seconds: float, why: str) -> None:
        """Show that a request waits, and why."""
        text = f"waiting {seconds:.0f} s ({why})"
        task = self._tasks.get(what.partition(" ")[0])
        if task is not None and self._board.live:
            self._board.progress.update(task, now=text)
        else:
            self._board.console.print(f"  {plain(f'{self._label} {what}'.strip())}: {text}")

    def warned(self, message: str) -> None:
        """Show a warning among the progress."""
        self._board.console.print(f"  [yellow]warning:[/] {plain(message)}")

    def stepped(self, game: str, slot: Slot, step: int) -> None:
        """Show which step is under way."""
        self._board.progress.update(self._tasks[game], now=f"{slot.name}, step {step + 1}")

    def finished(self, record: EpisodeRecord) -> None:
        """Count an episode."""
        self._done[record.game] += 1
        self._board.progress.update(self._tasks[record.game], completed=self._done[record.game], now="")
        if not self._board.live:
            place = f"explore {record.index}" if record.phase == "explore" else f"strict x={record.checkpoint}"
            outcome = f"{len(record.steps)} steps, {record.end}" if record.end else f"failed: {record.failure}"
            done = f"{self._done[record.game]}/{self._totals[record.game]}"
            self._board.console.print(f"  {plain(self._names[record.game])} {done}  {place}: {outcome}")

    def remembered(self, record: MemoryRecord) -> None:
        """Say when a summary call made no memory."""
        if record.status == "kept":
            name = plain(self._names[record.game])
            self._board.console.print(f"  {name}: summary call {record.index} failed ({record.failure})")
