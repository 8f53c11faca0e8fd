"""Replayed episodes as text: a table of them, the steps of one, and a pager in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from protocol.outcomes import ReplyKind
from runner.printable import printable
from s3gym.boards import painted
from s3gym.played import action_text, judging_line, number_text
from s3gym.replayed import EpisodeLine, StepLine

_HEAD, _TAIL = 600, 1_800
"""Characters of a long reply that are shown; its end holds the answer."""

_ON = ("", "n", "next")
_BACK = ("b", "back", "p")


def show_episodes(console: Console, episodes: Iterable[EpisodeLine]) -> None:
    """Print episodes as tables, one a game."""
    tables: dict[str, Table] = {}
    for episode in episodes:
        if episode.game not in tables:
            tables[episode.game] = _episode_table()
        ending = episode.end or episode.failure or "cut"
        tables[episode.game].add_row(
            episode.episode,
            str(episode.steps),
            ending,
            number_text(episode.score),
            f"{episode.judged.agreeing}/{episode.judged.steps}" if episode.judged.steps else "-",
            episode.seed,
            style="red" if episode.differs else "",
        )
    for game, table in tables.items():
        console.print(Text(f"\n{game}", style="bold"))
        console.print(table)
    console.print()


def _episode_table() -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("episode", no_wrap=True)
    table.add_column("steps", justify="right", no_wrap=True)
    table.add_column("end", no_wrap=True)
    table.add_column("score", justify="right", no_wrap=True)
    table.add_column("agree", justify="right", no_wrap=True)
    table.add_column("seed", justify="right", overflow="fold")
    return table


def heading(episode: EpisodeLine) -> Text:
    """Return the heading of one episode."""
    count = f"{episode.steps} step{'' if episode.steps == 1 else 's'}"
    return Text.assemble((f"{episode.game} {episode.episode}", "bold"), f"  {count}, seed {episode.seed}")


def ending(episode: EpisodeLine) -> Text:
    """Return how one episode ended, with the claims that replay does not bear out."""
    if episode.failure is not None:
        shown = Text.assemble(("failed", "bold"), f": no reply came ({episode.failure}); there is no score")
    else:
        shown = Text.assemble((episode.end or "cut before its end", "bold"), f", score {number_text(episode.score)}")
    if "end" in episode.differs:
        shown.append(f"  (recorded end: {episode.recorded_end or 'none'})", "bold red")
    if "score" in episode.differs:
        shown.append(f"  (recorded score: {number_text(episode.recorded_score)})", "bold red")
    return shown.append(f"\n{judging_line(episode.judged)}")


def step_text(step: StepLine, count: int, game: str, *, full: bool) -> Text:
    """Return one step for people: state, raw reply, what was read of it, reward and feedback.

    Args:
        step: The step.
        count: How many steps the episode has.
        game: The game, for the colours of its boards.
        full: Whether a long reply is shown whole.
    """
    parts = [Text(f"step {step.step}", style="bold").append(f"  ({step.step + 1} of {count})\n\n", "not bold")]
    if step.observation is None:
        parts.append(Text("The episode has ended before this step; the rules do not play it.\n", style="bold red"))
    else:
        parts.append(painted(f"{step.observation}\n", game))
    parts.append(Text("\nreply", style="bold").append(_finish(step), "not bold"))
    parts += [Text.assemble(("| ", "dim"), line, "\n") for line in _reply_lines(step.reply, full)]
    recorded = step.recorded
    for name, value, claim in (
        ("action", action_text(step.action), action_text(recorded.action)),
        ("self-score", Text(number_text(step.self_score)), Text(number_text(recorded.self_score))),
        ("reward", Text(number_text(step.reward)), Text(number_text(recorded.reward))),
    ):
        parts += [Text(f"\n{name:<12}", style="bold"), value]
        if name in step.differs:
            parts.append(Text.assemble("  (recorded: ", claim, ")", style="bold red"))
    parts += [Text(f"\n{'feedback':<12}", style="bold"), Text(printable(step.feedback or "-"))]
    return Text("").join(parts).append("\n")


def _finish(step: StepLine) -> str:
    """Return what is to be said of a reply beside its text."""
    said = [] if step.reply_kind is ReplyKind.ANSWERED else [str(step.reply_kind)]
    if step.finish != "stop":
        said.append(f"finish: {step.finish}")
    return f"  ({', '.join(said)})\n" if said else "\n"


def _reply_lines(reply: str, full: bool) -> list[str]:
    shown = printable(reply.replace("\r\n", "\n"))
    if not full and len(shown) > _HEAD + _TAIL:
        left = len(shown) - _HEAD - _TAIL
        shown = f"{shown[:_HEAD]}\n[... {left:,} characters left out; --full shows them ...]\n{shown[-_TAIL:]}"
    return shown.split("\n")


def page(count: int, start: int, show: Callable[[int], None], ask: Callable[[str], str]) -> None:
    """Show one page at a time and go where the reader says.

    Args:
        count: How many pages there are.
        start: The first page to show.
        show: Shows the page of a number.
        ask: Asks for a line; raises EOFError when there is no more.
    """
    place = start
    show(place)
    while True:
        on = "Enter: next" if place < count - 1 else "Enter: leave"
        try:
            word = ask(f"{on}, b: back, 0 to {count - 1}: that step, q: leave").strip().lower()
        except EOFError:
            return
        target = _target(word, place)
        if word in ("q", "quit") or (target == count and word in _ON):
            return
        if target is not None and 0 <= target < count:
            place = target
            show(place)


def _target(word: str, place: int) -> int | None:
    """Return the page that a word asks for; None if it asks for none."""
    if word in _ON:
        return place + 1
    if word in _BACK:
        return place - 1
    return int(word) if word.isascii() and word.isdecimal() and len(word) < 10 else None
