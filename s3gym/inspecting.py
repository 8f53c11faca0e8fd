"""What ``s3gym replay`` does with a bundle that was inspected: finds the episode, lists, shows step by step."""

from __future__ import annotations

import re
import sys
from difflib import get_close_matches

from rich.console import Console
from rich.text import Text

from games.registry import game_named
from protocol.schedule import episode_name
from protocol.strictjson import write_record
from s3gym.output import err, out, plain, write_json
from s3gym.replay_view import ending, heading, page, show_episodes, step_text
from s3gym.replayed import EpisodeLine, StepLine, episode_line, step_lines
from scoring.inspection import Inspected, InspectedEpisode
from scoring.report import Report

_WORDS = re.compile("[a-z]+|[0-9]+", re.ASCII)


def _words(name: str) -> tuple[str, ...]:
    """Return the words and numbers of an episode's name: case, blanks and signs do not matter."""
    return tuple(_WORDS.findall(name.lower()))


def find_episode(episodes: tuple[InspectedEpisode, ...], name: str) -> InspectedEpisode:
    """Return the episode with this name, the game before it or not.

    Raises:
        ValueError: If there is none, or one in several games.
    """
    wanted = _words(name)
    found = [
        episode
        for episode in episodes
        if wanted in (_words(episode_name(episode.record)), _words(f"{episode.game.id} {episode_name(episode.record)}"))
    ]
    games = dict.fromkeys(episode.game.id for episode in found)
    if len(games) > 1:
        raise ValueError(f"episode: expected one of one game, got {name!r} of {', '.join(games)}; add --game")
    if found:
        return found[0]
    names = dict.fromkeys(episode_name(episode.record) for episode in episodes)
    near = get_close_matches(name.lower(), names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else "without --episode they are listed"
    raise ValueError(f"episode: expected one of {len(names)} names in this bundle, got {name[:80]!r}; {hint}")


def _chosen(inspected: Inspected, game: str | None) -> tuple[InspectedEpisode, ...]:
    """Return the episodes of the games that were asked for."""
    if game is None:
        return inspected.episodes
    wanted = game_named(game)
    episodes = tuple(episode for episode in inspected.episodes if episode.game is wanted)
    if not episodes:
        held = ", ".join(dict.fromkeys(episode.game.id for episode in inspected.episodes)) or "none"
        raise ValueError(f"game: expected one that is in this bundle ({held}), got {game!r}")
    return episodes


def _show_verdict(inspected: Inspected) -> None:
    """Say whether the bundle passed, before anything of it is shown."""
    manifest = inspected.manifest
    facts = f"{manifest.entry} by {manifest.team}: {manifest.model}, {manifest.options.pathway}, {manifest.protocol}"
    verdict = "[bold green]accepted[/]" if inspected.accepted else "[bold red]refused[/]"
    out().print(f"{verdict} {plain(facts)}", highlight=False)


def warn_refused(report: Report) -> None:
    """Say on standard error why a bundle was refused that is shown all the same."""
    for fault in report.faults:
        err().print(f"[bold red]refused[/] \\[{fault.code}] {plain(fault.line())}", highlight=False)
    err().print(
        "What follows is what the rules play from its raw replies; nothing of this bundle counts.", style="yellow"
    )


def _show_steps(
    console: Console, episode: EpisodeLine, steps: tuple[StepLine, ...], at: int | None, full: bool
) -> None:
    """Print the steps of an episode; in a terminal, one at a time."""

    def show(index: int) -> None:
        console.print(step_text(steps[index], len(steps), episode.game, full=full))
        if index == len(steps) - 1:
            console.print(ending(episode))

    def ask(words: str) -> str:
        try:
            return console.input(Text(f"{words} > ", style="dim"))
        except KeyboardInterrupt:
            raise EOFError from None
        finally:
            console.print()

    console.print()
    console.print(heading(episode))
    console.print()
    if not steps:
        console.print(ending(episode))
    elif sys.stdin.isatty() and sys.stdout.isatty():
        page(len(steps), at or 0, show, ask)
    else:
        for index in range(len(steps)) if at is None else (at,):
            show(index)


def show_inspected(
    inspected: Inspected, episode: str | None, game: str | None, step: int | None, full: bool, as_json: bool
) -> None:
    """Print what was asked for.

    Raises:
        ValueError: If the bundle has no such episode, game or step.
    """
    episodes = _chosen(inspected, game)
    if episode is None:
        if step is not None:
            raise ValueError(f"step: expected --episode with it, got --step {step} alone")
        lines = [episode_line(inspected, each) for each in episodes]
        if as_json:
            write_json("".join(f"{write_record(line).decode()}\n" for line in lines))
            return
        _show_verdict(inspected)
        show_episodes(out(), lines)
        if lines:
            name = f"{lines[-1].game} {lines[-1].episode}"
            out().print("agree: of the steps with a self-score, those right on whether there is a reward.")
            out().print(f'One of them, step by step: the same command with --episode "{name}"', highlight=False)
        return
    found = find_episode(episodes, episode)
    line, steps = episode_line(inspected, found), step_lines(found)
    if step is not None and not 0 <= step < len(steps):
        has = f"0 to {len(steps) - 1}" if steps else "none, since the episode has no step"
        raise ValueError(f"step: expected {has}, got {step}")
    if as_json:
        chosen = steps if step is None else (steps[step],)
        write_json("".join(f"{write_record(each).decode()}\n" for each in (line, *chosen)))
        return
    _show_verdict(inspected)
    _show_steps(out(), line, steps, step, full)
