"""What is seen of a run while it plays: in a narrow terminal, without colours, and in a log."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from protocol.preset import preset_named
from protocol.records import EpisodeRecord, MemoryRecord
from protocol.schedule import Slot, schedule
from runner.journal import Outcome
from runner.ledger import Ledger
from runner.prices import Prices
from s3gym.durations import duration, short_count
from s3gym.watching import ProgressBoard, spent_briefly
from tests.s3gym.face import Face
from tests.s3gym.terminal import sit

PRESET = preset_named("smoke-1")
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COLOUR = re.compile(r"\x1b\[(?:[0-9;]*;)?(?:3[0-7]|9[0-7]|38;[0-9;]+)m")


class Clock:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def episode(game: str, slot: Slot, *, steps: int = 0, failed: bool = False) -> EpisodeRecord:
    """Return a record with as much as a watcher looks at."""
    step = {
        "reply": "",
        "action": None,
        "score": None,
        "reward": 0.0,
        "finish": "stop",
        "context": "0" * 64,
        "dropped_episodes": 0,
        "dropped_steps": 0,
        "window": 0,
        "cut": "rule",
    }
    return EpisodeRecord.model_validate(
        {
            "game": game,
            "phase": slot.phase,
            "checkpoint": slot.checkpoint,
            "index": slot.index,
            "replicate": slot.replicate,
            "seed": "1",
            "start_digest": "0" * 64,
            "layout_digest": "0" * 64,
            "status": "failed" if failed else "valid",
            "failure": "transport" if failed else None,
            "end": None if failed else "won",
            "score": None if failed else 0.0,
            "steps": (step,) * steps,
        },
        strict=False,
    )


def kept(game: str, index: int) -> MemoryRecord:
    return MemoryRecord(
        game=game,
        index=index,
        status="kept",
        failure="transport",
        mode="rebuild",
        sources=(),
        context=None,
        dropped_episodes=0,
        dropped_steps=0,
        cut="rule",
        reply=None,
        finish=None,
        memory=None,
    )


def answered(ledger: Ledger, count: int) -> None:
    """Have so many requests answered: 100 prompt tokens, half of them cached, and 10 new ones each."""
    for number in range(count):
        ledger.asking()
        ledger.answered(
            Outcome(
                key=f"{number}",
                context="0" * 64,
                dropped_episodes=0,
                dropped_steps=0,
                window=0,
                cut="rule",
                prompt_tokens=90,
                reply="",
                finish="stop",
                fault=None,
                seconds=0.0,
                tokens_in=100,
                tokens_out=10,
                tokens_cached=50,
                model=None,
                request_id=None,
                fingerprint=None,
                adaptations=(),
            )
        )


def log(play: Callable[[ProgressBoard, Clock], None], ledger: Ledger | None = None) -> list[str]:
    """Return the lines of a run whose output is no terminal."""
    stream, clock = io.StringIO(), Clock()
    with ProgressBoard(Console(file=stream, width=60), ledger, clock=clock) as board:
        play(board, clock)
    return stream.getvalue().splitlines()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (53.2, "54 s"),
        (119, "119 s"),
        (120, "2 min"),
        (119 * 60, "119 min"),
        (2 * 3600, "2 h"),
        (3 * 3600 + 1200, "3 h 20 min"),
        (50 * 3600, "2 d 2 h"),
    ],
)
def test_times_are_told_in_their_largest_units(seconds: float, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("count", "words"), [(0, "0"), (9_999, "9,999"), (12_345, "12 k"), (3_420_000, "3.4 M"), (290_000_000, "290 M")]
)
def test_counts_are_short(count: int, words: str) -> None:
    assert short_count(count) == words


def test_what_is_spent_fits_sixty_columns() -> None:
    ledger = Ledger(Prices(input=2.0, output=8.0, cached_input=1.0))
    answered(ledger, 4)
    assert spent_briefly(ledger) == "4 requests, 400 in (50% cached), 40 out, 0.0009 USD"
    assert spent_briefly(Ledger()) == "0 requests, 0 in, 0 out"


def test_time_left_goes_by_the_requests_of_this_sitting() -> None:
    """Two seconds a request; of 4 episodes one is done in 6 steps, so 18 steps are left: 36 seconds."""
    ledger, clock = Ledger(), Clock()
    answered(ledger, 50)
    ledger.earlier = ledger.spent
    board = ProgressBoard(Console(file=io.StringIO()), ledger, clock=clock)
    watcher = board.watcher(PRESET, ("snake",))
    first, second, *_ = schedule(PRESET, "snake")
    assert board.time_left() is None
    for _ in range(7):
        clock.now += 2
        answered(ledger, 1)
        board.time_left()
    watcher.finished(episode("snake", first, steps=6))
    assert board.time_left() == pytest.approx(36)
    watcher.stepped("snake", second, 3)
    assert board.time_left() == pytest.approx(30)
    assert board.status() == ["57 requests, 5,700 in (50% cached), 570 out", "14 s gone, about 30 s left"]


def test_a_wait_is_counted_down_with_its_reason() -> None:
    clock = Clock()
    board = ProgressBoard(Console(file=io.StringIO()), clock=clock)
    board.waiting(54, "rate limit")
    assert board.status()[-1] == "waiting 54 s: rate limit"
    clock.now = 10
    board.waiting(2, "server fault")
    assert board.status()[-1] == "waiting 44 s: rate limit (2 requests)"
    clock.now = 54
    assert board.status() == ["54 s gone"]


def test_a_log_has_one_line_an_episode_with_all_that_happened_in_it() -> None:
    slots = schedule(PRESET, "trust")

    def play(board: ProgressBoard, clock: Clock) -> None:
        watcher = board.watcher(PRESET, ("trust",))
        for step in range(3):
            watcher.stepped("trust", slots[0], step)
        watcher.waiting("trust strict x=0 #0 step 2", 18.0, "rate limit")
        watcher.waiting("trust strict x=0 #0 step 2", 6.0, "rate limit")
        watcher.finished(episode("trust", slots[0], steps=3))
        watcher.remembered(kept("trust", 1))
        watcher.finished(episode("trust", slots[1], failed=True))

    assert log(play) == [
        "  trust 1/4  strict x=0 #0: 3 steps, won; waited 24 s: rate limit",
        "  trust 2/4  explore 0: failed: transport; summary call 1 failed (transport)",
    ]


@pytest.mark.parametrize("label", ["", "model a"])
def test_EP_27_a_long_wait_is_told_while_it_lasts(label: str) -> None:
    def play(board: ProgressBoard, clock: Clock) -> None:
        watcher = board.watcher(PRESET, ("trust",), label)
        watcher.waiting("trust explore 3 step 5", 54.0, "rate limit")
        watcher.waiting("probe", 2.0, "server")

    assert log(play) == [f"  {f'{label} trust'.strip()} explore 3 step 5: waiting 54 s (rate limit)"]


def test_SX_06_a_warning_with_an_endpoints_words_drives_no_terminal() -> None:
    def play(board: ProgressBoard, clock: Clock) -> None:
        board.watcher(PRESET, ("trust",)).warned("a [bold]model\x1b[2J changed")

    assert log(play) == [r"  warning: a [bold]model\x1b[2J changed"]


def test_a_log_tells_the_time_left_where_it_is_long() -> None:
    """A minute a request, 3 episodes of 6 steps to come."""
    ledger = Ledger()

    def play(board: ProgressBoard, clock: Clock) -> None:
        watcher = board.watcher(PRESET, ("trust",))
        for _ in range(6):
            clock.now += 60
            answered(ledger, 1)
            board.time_left()
        watcher.finished(episode("trust", schedule(PRESET, "trust")[0], steps=6))

    assert log(play, ledger) == ["  trust 1/4  strict x=0 #0: 6 steps, won; about 18 min left"]


def screen(width: int, *, colour: bool = True) -> str:
    """Return everything that a terminal of this width is sent while several episodes are under way."""
    stream = io.StringIO()
    preset, games = preset_named("paper-1"), ("minesweeper", "snake")
    console = Console(file=stream, force_terminal=True, width=width, no_color=not colour, color_system="standard")
    ledger = Ledger(Prices(input=2.0, output=8.0))
    answered(ledger, 20)
    with ProgressBoard(console, ledger) as board:
        watcher = board.watcher(preset, games)
        for slot in schedule(preset, "snake")[:3]:
            watcher.stepped("snake", slot, 4 + slot.index)
        watcher.stepped("minesweeper", schedule(preset, "minesweeper")[5], 11)
        board.waiting(54, "rate limit")
    return stream.getvalue()


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_lines_are_never_longer_than_the_terminal(width: int) -> None:
    lines = [ANSI.sub("", line) for line in re.split(r"[\r\n]+", screen(width))]
    assert max(map(len, lines)) <= width


def test_sixty_columns_show_everything() -> None:
    shown = ANSI.sub("", screen(60))
    for words in (
        "minesweeper",
        "explore 2, step 12",
        "strict x=0, steps 5 6 7",
        "0/63",
        "20 requests",
        "waiting 54 s",
    ):
        assert words in shown


def test_no_colour_is_sent_where_none_is_wanted() -> None:
    assert COLOUR.search(screen(80))
    assert not COLOUR.search(screen(80, colour=False))


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_run_in_a_terminal_of_sixty_columns(face: Face, variables: dict[str, str]) -> None:
    """In a real terminal; a dumb one gets the lines of a log."""
    face("keygen", "red")
    arguments = ["run", "--model", "builtin:greedy", "--game", "trust", "--key", "keys/red.key", "--entry", "e"]
    sitting = sit(arguments, [], prompt="never", columns=60, **variables)
    assert sitting.code == 0, sitting.screen
    assert not COLOUR.search(sitting.screen)
    bars = [ANSI.sub("", line) for line in re.split(r"[\r\n]+", sitting.screen) if "━" in line]
    assert bool(bars) is ("TERM" not in variables)
    assert all(len(line) <= 60 for line in bars)
    assert ("trust 4/4  strict x=2 #0" in sitting.screen) is ("TERM" in variables)
    assert Path("runs/e/bundle").is_dir()
