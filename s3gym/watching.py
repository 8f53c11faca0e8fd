"""Progress of runs: live bars in a terminal, one line an episode elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.table import Column
from rich.text import Text

from games.registry import game_named
from protocol.preset import Preset
from protocol.records import EpisodeRecord, MemoryRecord
from protocol.schedule import Slot, episode_name, schedule
from runner.ledger import Ledger, money
from runner.printable import printable
from s3gym.durations import duration, short_count
from s3gym.output import plain

_WIDE = 80
_ENOUGH = 5
"""Requests of this sitting from which on the time left is told."""
_SOON = 60.0
"""Seconds; no line of a log tells of less time left."""
_LONG = 30.0
"""Seconds; a longer wait has a line of its own in a log, while it lasts."""


@dataclass(slots=True)
class _Line:
    """How far one game's run is."""

    name: str
    episodes: int
    longest: int
    """Steps of an episode at most."""
    done: int = 0
    steps: int = 0
    """Steps of the episodes that are done."""
    active: dict[str, int] = field(default_factory=dict)
    """Step under way, by episode."""

    @property
    def left(self) -> float:
        """Return how many steps are to come, if episodes go on to be as long as they were."""
        usual = self.steps / self.done if self.done else self.longest
        return max(0.0, (self.episodes - self.done) * usual - sum(self.active.values()))

    @property
    def now(self) -> str:
        """Return what is under way."""
        if not self.active:
            return "done" if self.done == self.episodes else ""
        if len(self.active) == 1:
            ((name, step),) = self.active.items()
            return f"{name}, step {step + 1}"
        steps = " ".join(str(step + 1) for step in self.active.values())
        together = {name.partition(" #")[0] for name in self.active}
        return f"{together.pop() if len(together) == 1 else 'several'}, steps {steps}"


class _Bars(Progress):
    """The bars, with lines below them that are made anew each time they are shown."""

    def __init__(self, below: Callable[[], Iterable[str]], console: Console, *, live: bool) -> None:
        self._below = below
        cut = Column(no_wrap=True, overflow="ellipsis")
        super().__init__(
            TextColumn("{task.description}", table_column=cut),
            BarColumn(bar_width=20 if console.width >= _WIDE else 8),
            MofNCompleteColumn(),
            TextColumn("{task.fields[now]}", table_column=cut, markup=False),
            console=console,
            refresh_per_second=4,
            disable=not live,
        )

    def get_renderables(self) -> Iterable[RenderableType]:
        """Return what is shown now."""
        yield self.make_tasks_table(self.tasks)
        for line in self._below():
            yield Text(line, style="dim")


class ProgressBoard:
    """Shows several runs at once; each gets a watcher of its own.

    Args:
        console: Where to.
        ledger: What counts requests, tokens and cost, if it is to be shown.
        clock: Seconds from any fixed point.
    """

    def __init__(
        self, console: Console, ledger: Ledger | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.console = console
        self.live = console.is_terminal and not console.is_dumb_terminal
        self._ledger = ledger
        self._clock = clock
        self._start = clock()
        self._lines: list[_Line] = []
        self._waits: list[tuple[float, str]] = []
        """Until when is waited, and why."""
        self._first: tuple[float, int] | None = None
        """When this sitting's requests began, and how many were sent then."""
        # Last, since the bars ask for the status as soon as they are made.
        self.bars = _Bars(self.status, console, live=self.live)

    def __enter__(self) -> Self:
        if self.live:
            self.bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.live:
            self.bars.stop()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Show no bars while something is said or asked."""
        if self.live:
            self.bars.live.transient = True
            self.bars.stop()
            self.bars.live.transient = False
        yield
        if self.live:
            self.bars.start()

    def watcher(
        self, preset: Preset, games: tuple[str, ...], label: str = "", *, episodes: int | None = None
    ) -> ProgressWatcher:
        """Return a watcher for one entry.

        Args:
            preset: Its protocol.
            games: Its games.
            label: What stands before each game's name, where several entries are played at once.
            episodes: How many episodes of each game are played; by default all of the protocol's.
        """
        lines = {}
        for name in games:
            game = game_named(name)
            longest = max(preset.config(game, phase).max_steps for phase in ("explore", "strict"))
            count = len(schedule(preset, name)) if episodes is None else episodes
            lines[name] = _Line(f"{label} {name}".strip(), count, longest)
        self._lines += lines.values()
        return ProgressWatcher(self, label, lines)

    def waiting(self, seconds: float, reason: str) -> None:
        """Hear that a request is waited with."""
        now = self._clock()
        self._waits = [wait for wait in self._waits if wait[0] > now] + [(now + seconds, reason)]

    def status(self) -> list[str]:
        """Return the lines below the bars."""
        now = self._clock()
        lines = [] if self._ledger is None else [spent_briefly(self._ledger)]
        left = self.time_left()
        gone = f"{duration(now - self._start)} gone"
        lines.append(gone if left is None else f"{gone}, about {duration(left)} left")
        waits = sorted(wait for wait in tuple(self._waits) if wait[0] > now)
        if waits:
            until, reason = waits[-1]
            more = f" ({len(waits)} requests)" if len(waits) > 1 else ""
            lines.append(f"waiting {duration(until - now)}: {reason}{more}")
        return lines

    def time_left(self) -> float | None:
        """Return about how many seconds the runs still take, at this sitting's pace; None while that is not known."""
        if self._ledger is None:
            return None
        sent = self._ledger.spent.requests - self._ledger.earlier.requests
        now = self._clock()
        if self._first is None and sent:
            self._first = (now, sent)
        if self._first is None or sent - self._first[1] < _ENOUGH:
            return None
        seconds = (now - self._first[0]) / (sent - self._first[1])
        return seconds * sum(line.left for line in tuple(self._lines))


class ProgressWatcher:
    """Shows how far each game's run of one entry is."""

    def __init__(self, board: ProgressBoard, label: str, lines: dict[str, _Line]) -> None:
        self._board = board
        self._label = label
        self._lines = lines
        self._failed: dict[str, str] = {}
        """A summary call that made no memory, by game, until it is told."""
        self._waited: dict[str, dict[str, float]] = {}
        """Seconds of short waits, by game and reason, until they are told."""
        self._tasks: dict[str, TaskID] = {
            game: board.bars.add_task(plain(line.name), total=line.episodes, now="") for game, line in lines.items()
        }

    def stepped(self, game: str, slot: Slot, step: int) -> None:
        """Show which step is under way."""
        self._lines[game].active[slot.name] = step
        self._show(game)

    def finished(self, record: EpisodeRecord) -> None:
        """Count an episode."""
        line = self._lines[record.game]
        line.active.pop(episode_name(record), None)
        line.done += 1
        line.steps += len(record.steps)
        self._show(record.game)
        if not self._board.live:
            self._tell(record, line)

    def remembered(self, record: MemoryRecord) -> None:
        """Say when a summary call made no memory."""
        if record.status != "kept":
            return
        words = f"summary call {record.index} failed ({record.failure})"
        if self._board.live:
            self._board.console.print(f"  {plain(self._lines[record.game].name)}: {words}")
        else:
            self._failed[record.game] = words

    def waiting(self, what: str, seconds: float, why: str) -> None:
        """Show a wait below the bars; in a log, a long one at once and a short one with its episode."""
        self._board.waiting(seconds, why)
        if seconds < _LONG:
            waited = self._waited.setdefault(what.partition(" ")[0], {})
            waited[why] = waited.get(why, 0.0) + seconds
        elif not self._board.live:
            self._line(f"  {f'{self._label} {what}'.strip()}: waiting {duration(seconds)} ({why})")

    def warned(self, message: str) -> None:
        """Show a warning among the progress."""
        self._line(f"  warning: {message}")

    def _line(self, text: str) -> None:
        self._board.console.print(Text(printable(text)), soft_wrap=True)

    def _show(self, game: str) -> None:
        line = self._lines[game]
        self._board.bars.update(self._tasks[game], completed=line.done, now=line.now)

    def _tell(self, record: EpisodeRecord, line: _Line) -> None:
        """Print the one line of an episode, with what else has happened since the last one."""
        outcome = f"{len(record.steps)} steps, {record.end}" if record.end else f"failed: {record.failure}"
        left = self._board.time_left()
        waited = [f"{duration(each)}: {why}" for why, each in self._waited.pop(record.game, {}).items()]
        more = [
            self._failed.pop(record.game, ""),
            f"waited {', '.join(waited)}" if waited else "",
            f"about {duration(left)} left" if left is not None and left > _SOON else "",
        ]
        text = f"  {line.name} {line.done}/{line.episodes}  {episode_name(record)}: {outcome}"
        self._line("; ".join([text, *(each for each in more if each)]))


def spent_briefly(ledger: Ledger) -> str:
    """Return what a run has taken so far in at most 60 characters."""
    spent = ledger.spent
    cached = f" ({spent.tokens_cached / spent.tokens_in:.0%} cached)" if spent.tokens_cached else ""
    words = f"{short_count(spent.requests)} requests, {short_count(spent.tokens_in)} in{cached}"
    words += f", {short_count(spent.tokens_out)} out"
    if ledger.prices is not None and ledger.cost is not None:
        words += f", {money(ledger.cost)} {ledger.prices.currency}"
    return words
