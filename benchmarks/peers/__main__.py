"""Measure every game beside the peers that have it.

``make bench-peers`` installs the peers into an environment of their own and runs this. The exit code is 1 if a peer
that makes text is missing, or if a game does not play at least twice as many turns a second as such a peer. A compiled
peer is shown and does not judge.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from benchmarks.peers import ours, tables
from benchmarks.peers.figures import Alone, Comparison, Missing, Report, gate, verdicts
from benchmarks.peers.measure import Contender, speeds
from benchmarks.peers.peers import ELSEWHERE, PEERS, makers, versions
from games.registry import GAMES

WIDTH = 140


def main() -> None:
    """Measure, print and judge."""
    options = _options()
    cores = _one_core()
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    mine = {game.id: ours.contender(game) for game in GAMES if not options.games or game.id in options.games}
    comparisons, missing = list[Comparison](), list[Missing]()
    for found in _compare(mine, options, console):
        if isinstance(found, Missing):
            missing.append(found)
        else:
            comparisons.append(found)
    alone = [
        Alone(game, speed, ELSEWHERE[game])
        for game, contender in mine.items()
        if game in ELSEWHERE
        for speed in speeds([contender], options.repetitions, options.seconds)
    ]
    report = Report(_conditions(options, cores), tuple(comparisons), tuple(alone), tuple(dict.fromkeys(missing)))
    _tell(report, options, console)
    raise SystemExit(not gate(report))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=11, help="how often each side is timed, in turns")
    parser.add_argument("--seconds", type=float, default=0.25, help="about how long one repetition takes")
    games, peers = [game.id for game in GAMES], sorted({peer.library for peer in PEERS})
    parser.add_argument("--games", nargs="+", choices=games, help="measure these games alone")
    parser.add_argument("--peers", nargs="+", choices=peers, help="measure beside these libraries alone")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure to this file")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables to this file")
    return parser.parse_args()


def _one_core() -> str:
    """Stay on one core, before a library counts the cores, and say which kind of limit that is."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
    if not hasattr(os, "sched_setaffinity"):
        return "not pinned to a core"
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    return "one core"


def _compare(
    mine: dict[str, Contender], options: argparse.Namespace, console: Console
) -> Iterator[Comparison | Missing]:
    for peer in PEERS:
        if options.peers and peer.library not in options.peers:
            continue
        games = makers(peer)
        if isinstance(games, Missing):
            yield games
            continue
        for game in [game for game in mine if game in games]:
            its = games[game]()
            console.print(f"measuring {game} beside {its.library}", style="dim")
            our_speed, its_speed = speeds([mine[game], its], options.repetitions, options.seconds)
            yield Comparison(game, its.library, its.text, its.unit, our_speed, its_speed, peer.gated)


def _conditions(options: argparse.Namespace, cores: str) -> tuple[tuple[str, str], ...]:
    return (
        ("Python", platform.python_version()),
        *versions(),
        ("on", f"{cores} of {platform.machine()}"),
        ("repetitions", str(options.repetitions)),
    )


def _tell(report: Report, options: argparse.Namespace, console: Console) -> None:
    for grid in tables.grids(report):
        console.print(tables.rich_table(grid))
    if options.json:
        options.json.write_text(tables.as_json(report), encoding="utf-8")
    if options.markdown:
        options.markdown.write_text(tables.markdown(report), encoding="utf-8")
    for line in verdicts(report):
        console.print(line, highlight=False)


if __name__ == "__main__":
    main()
