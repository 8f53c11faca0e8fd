"""What a player sees of a run where there is no terminal: lines, one for each thing that matters."""

import io

from rich.console import Console

from protocol.preset import preset_named
from s3gym.watching import ProgressBoard


def lines(*labels: str) -> list[str]:
    """Return what two waits and a warning print."""
    text = io.StringIO()
    with ProgressBoard(Console(file=text, width=200)) as board:
        watcher = board.watcher(preset_named("smoke-1"), ("trust",), *labels)
        watcher.waiting("trust explore 3 step 5", 54.0, "rate limit")
        watcher.waiting("probe", 2.0, "server")
        watcher.warned("a [bold]model\x1b[2J changed")
    return text.getvalue().splitlines()


def test_EP_27_waits_are_told_while_they_last() -> None:
    assert lines()[:2] == ["  trust explore 3 step 5: waiting 54 s (rate limit)", "  probe: waiting 2 s (server)"]
    assert lines("model a")[0] == "  model a trust explore 3 step 5: waiting 54 s (rate limit)"


def test_SX_06_a_warning_with_an_endpoints_words_drives_no_terminal() -> None:
    assert lines()[2] == r"  warning: a [bold]model\x1b[2J changed"


def test_in_a_terminal_a_wait_stands_beside_the_bar_of_its_game() -> None:
    text = io.StringIO()
    with ProgressBoard(Console(file=text, width=200, force_terminal=True)) as board:
        watcher = board.watcher(preset_named("smoke-1"), ("trust",))
        watcher.waiting("trust explore 3 step 5", 54.0, "rate limit")
        assert board.progress.tasks[0].fields["now"] == "waiting 54 s (rate limit)"
