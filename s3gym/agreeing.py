"""What is said of a run before its first step and at its end, and the question before a long one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from games.registry import game_named
from protocol.budgets import budgets
from protocol.comparable import Comparability, comparability, outside, whose
from protocol.players import BUILTIN
from protocol.preset import is_released
from protocol.records import Endpoint
from protocol.schedule import schedule
from runner.entry import Finished, Plan, Sounded
from runner.forecast import forecast, most_requests
from runner.journal import JOURNAL, read_journal
from runner.prices import Prices
from s3gym.output import err, plain, progress
from s3gym.settings import Settings
from s3gym.spending import TOKENS_A_SECOND, Estimate, estimate_line

MANY = 1_000
"""Requests of a run beyond which its player is asked first."""
_HOW = "give --yes to begin without a question, or look first: --estimate"


class DeclinedError(Exception):
    """Whoever was asked does not want this run."""


def estimated(plan: Plan, settings: Settings, prices: Prices | None, sounded: Sounded | None = None) -> Estimate:
    """Return what a plan would take, found by playing it offline.

    Args:
        plan: What is to be played.
        settings: What it rests on.
        prices: What tokens cost, if that is known.
        sounded: What is known of the endpoint; None before anything was sent.
    """
    reply_tokens = min(settings.assume_reply_tokens, plan.preset.output_tokens)
    seconds = reply_tokens / TOKENS_A_SECOND
    heard = None if sounded is None else sounded.seconds
    if heard is not None and sounded is not None:
        seconds = heard + max(0, reply_tokens - sounded.tokens) / TOKENS_A_SECOND
    room = budgets(plan.preset, _endpoint(plan, settings))
    episodes = sum(len(schedule(plan.preset, game)) for game in plan.games)
    with progress() as bar:
        task = bar.add_task("rehearsing", total=episodes)
        found = forecast(plan, room, reply_tokens=reply_tokens, told=lambda: bar.advance(task))
    return Estimate(
        plan,
        tuple(found),
        prices,
        reply_tokens,
        settings.assume_reply_seconds or seconds,
        measured=heard is not None and settings.assume_reply_seconds is None,
        concurrency=settings.concurrency,
        requests_per_minute=settings.requests_per_minute,
    )


def check_agreed(plan: Plan, settings: Settings, prices: Prices | None, folder: Path, *, yes: bool) -> None:
    """Check before anything is sent that a long run can be asked about, or was agreed to.

    Raises:
        ValueError: If nobody can be asked; the message says what the run would take.
    """
    if yes or _may_ask() or not _is_long(plan, settings) or _is_begun(folder):
        return
    line = estimate_line(estimated(plan, settings, prices))
    raise ValueError(f"run: expected --yes, since nobody can be asked here: {line}; {_HOW}")


def agree(plan: Plan, settings: Settings, prices: Prices | None, sounded: Sounded, *, yes: bool) -> None:
    """Say what will become of the run's rows, and ask before a long one.

    Raises:
        DeclinedError: If the answer is no.
    """
    console = err()
    for line in before(plan, settings, sounded):
        console.print(plain(line), highlight=False)
    if sounded.begun or not _is_long(plan, settings):
        return
    line = estimate_line(estimated(plan, settings, prices, sounded))
    console.print(plain(f"This takes {line}."), highlight=False)
    if not yes and not _asked():
        raise DeclinedError


def before(plan: Plan, settings: Settings, sounded: Sounded) -> Iterator[str]:
    """Yield what is known of a run's rows before its first step, and who can verify it."""
    preset = plan.preset
    if is_released(preset):
        yield f"Protocol {preset.id}, {whose(preset)}: anyone with this release can verify it."
    else:
        yield (
            f"Protocol {preset.id} is not released: only who has {settings.protocol} (digest {preset.digest[:12]}) can "
            "verify or score this run, and only a board that holds it takes it. Keep that file as it is."
        )
    yield from _adapted(sounded.adaptations)
    found = comparability(preset, sounded.declared)
    yield _comparable(plan, found, "if its replies and checkpoints stay within the protocol's limits")
    yield from _marks(found)
    apart = outside(preset, plan.games)
    if apart is not None and found.reason is None:
        yield f"Outside the main table: {apart}."


def after(plan: Plan, finished: Finished) -> Iterator[str]:
    """Yield what became of a run's rows, those of one fate together."""
    yield from _adapted(finished.adaptations)
    fates: dict[Comparability, list[str]] = {}
    for each in finished.tallies:
        fates.setdefault(each.row, []).append(each.game)
    for found, games in fates.items():
        which = "" if len(fates) == 1 else f"{', '.join(games)}: "
        yield f"{which}{_comparable(plan, found, '')}"
        yield from (f"{which}{line}" for line in _marks(found))


def _comparable(plan: Plan, found: Comparability, unless: str) -> str:
    table = f"{plan.preset.id}, {plan.pathway}"
    if found.reason is None:
        return f"Comparable: yes, ranked with the rows of {table}{f', {unless}' if unless else ''}."
    if not plan.preset.rankable:
        return f"Comparable: no, {found.reason}."
    return f"Comparable: no, {found.reason}. The row is marked, not ranked with those of {table}."


def _adapted(adaptations: tuple[str, ...]) -> Iterator[str]:
    yield from (f"Adapted to the endpoint: {each}." for each in adaptations)


def _marks(found: Comparability) -> Iterator[str]:
    if found.marks:
        yield f"Marks on the row: {'; '.join(found.marks)}."


def _endpoint(plan: Plan, settings: Settings) -> Endpoint:
    return Endpoint(kind="openai_chat", model=plan.model, context_tokens=settings.context_tokens)


def _is_long(plan: Plan, settings: Settings) -> bool:
    """Return whether a run may send more requests than are sent without a question; built-in players send none."""
    if settings.model.startswith(BUILTIN):
        return False
    return sum(most_requests(plan, game_named(game)) for game in plan.games) > MANY


def _is_begun(folder: Path) -> bool:
    journal = folder / JOURNAL
    return journal.is_file() and bool(read_journal(journal).outcomes)


def _may_ask() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _asked() -> bool:
    """Ask, and return whether the answer is yes; the end of the input is none."""
    err().print("Begin? [y/N] ", end="", markup=False, highlight=False)
    try:
        return input().strip().lower() in ("y", "yes")
    except EOFError:
        return False
