"""A board of real entries: played, signed, accepted and logged, then built into a site twice.

``python -m benchmarks.real_board build DIR`` plays 100 entries of all seven games on pocket-1 by built-in players and
submits them; DIR is a submissions folder. It goes on where it was stopped.
``python -m benchmarks.real_board time DIR`` builds the site with an empty cache, and again where nothing changed.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import resource
import shutil
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import NamedTuple, get_args

from benchmarks.paper_set import key
from protocol.context import Pathway
from protocol.decoding import decoding_at
from protocol.preset import preset_named
from protocol.signing import team_key, write_team_key
from runner.entry import Plan, play_entry
from runner.models.builtin import Builtin
from runner.retry import Asker
from s3gym.site_building import build_from
from scoring.board import ENTRIES
from scoring.cache import Cache
from scoring.submitting import KEYS, submit
from tests.bundles import Unwatched

TEAM = "real-board"
PROTOCOL = "pocket-1"
PLAYERS = ("random", "greedy", "idle", "learner")
COUNT = 100


class _Timed(NamedTuple):
    first: float
    again: float
    pages: int
    megabytes: float
    largest: int
    """kB of HTML."""
    peak: float
    """MiB of the process that built it first."""


def build(folder: Path, count: int) -> None:
    """Play, sign and submit so many entries, those that are not there yet."""
    (folder / KEYS).mkdir(parents=True, exist_ok=True)
    (folder / KEYS / f"{TEAM}.json").write_bytes(write_team_key(team_key(TEAM, key())))
    preset = preset_named(PROTOCOL)
    kinds = list(product(PLAYERS, get_args(Pathway)))
    for place in range(count):
        player, pathway = kinds[place % len(kinds)]
        entry = f"{player}-{pathway}-{place:03d}"
        if (folder / ENTRIES / entry).exists():
            continue
        plan = Plan(
            entry=entry,
            team=TEAM,
            model=f"player {player} {place // len(kinds)}",
            preset=preset,
            games=tuple(preset.games),
            pathway=pathway,
            decoding=decoding_at(preset.temperature),
        )
        with tempfile.TemporaryDirectory() as work:
            played = asyncio.run(play_entry(plan, Builtin(player), Path(work), key(), Unwatched(), Asker()))
            submit(played.bundle, folder)
        print(entry, flush=True)


def build_twice(folder: Path) -> _Timed:
    """Build the site of a board with an empty cache, and again, into a folder of its own."""
    with tempfile.TemporaryDirectory() as work:
        cache, out = Cache(Path(work) / "cache"), Path(work) / "site"
        seconds = []
        for _ in range(2):
            start = time.process_time()
            pages = build_from(folder, out, None, preset_named, cache=cache, quiet=True)
            seconds.append(time.process_time() - start)
        sizes = [path.stat().st_size for path in out.rglob("*") if path.is_file()]
        largest = max(path.stat().st_size for path in out.rglob("*.html"))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return _Timed(seconds[0], seconds[1], pages, sum(sizes) / 1e6, largest // 1000, peak)


def tell(folder: Path) -> None:
    """Print the times of the whole board and of half of it, each in a process of its own."""
    whole = len(list((folder / ENTRIES).iterdir()))
    for count in (whole // 2, whole):
        with tempfile.TemporaryDirectory() as work:
            board = folder if count == whole else _part(folder, Path(work) / "board", count)
            with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
                found = pool.submit(build_twice, board).result()
        print(
            f"{count} entries: {found.first:.1f} s at first, {found.again:.1f} s again; {found.pages} pages, "
            f"{found.megabytes:.0f} MB, the largest page {found.largest} kB; peak memory {found.peak:,.0f} MiB"
        )


def _part(folder: Path, target: Path, count: int) -> Path:
    """Submit the first entries of a board to a new one."""
    shutil.copytree(folder / KEYS, target / KEYS)
    for bundle in sorted((folder / ENTRIES).iterdir())[:count]:
        submit(bundle, target)
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("build", "time"))
    parser.add_argument("folder", type=Path, help="Outside the tree.")
    parser.add_argument("--entries", type=int, default=COUNT, help="Build so many.")
    options = parser.parse_args()
    if options.what == "build":
        build(options.folder, options.entries)
    else:
        tell(options.folder)


if __name__ == "__main__":
    main()
