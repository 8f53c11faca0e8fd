"""A set of the paper's size: 14 entries of seven games each, 98 runs, 118,000 steps, replies as models write them.

``python -m benchmarks.paper_set build DIR`` plays, pads and signs it, once; DIR is a submissions folder.
``python -m benchmarks.paper_set time DIR`` verifies and scores it on one core and tells where the time goes.
``python -m benchmarks.paper_set memory DIR`` tells the peak memory for 2 entries and for all.
``python -m benchmarks.paper_set grow DIR`` verifies an entry of half the exploration and one of all of it.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
import shutil
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from benchmarks.paper_growth import seconds_of, tell_memory
from benchmarks.paper_text import thinking
from benchmarks.paper_time import tell_times
from games.base import State
from games.registry import GAMES, AnyGame
from games.rng import bounded, hashed
from protocol.budgets import budgets
from protocol.bundle import RunFiles, write_bundle
from protocol.checkpoints import checkpoint_records
from protocol.context import Pathway, SummaryMode
from protocol.decoding import decoding_at
from protocol.preset import Preset, preset_named
from protocol.records import Endpoint, GameRules, Manifest, PathwayOptions
from protocol.signing import team_key, write_team_key
from protocol.totals import failure_counts, totals
from runner.desk import Known, Sendable
from runner.entry import Plan, run_of
from runner.journal import Outcome
from runner.source import source_digest, version
from runner.together import Seats
from scoring.submitting import ENTRIES, KEYS
from tests.bundles import Unwatched

TEAM = "paper-size"
ENDPOINT = Endpoint(kind="builtin", model="padded", context_tokens=None)
_TIP = "- Keep what worked on the last boards, and leave what did not; see {}.\n"


@dataclass(frozen=True)
class Member:
    """One entry of the set."""

    entry: str
    player: str
    pathway: Pathway
    mode: SummaryMode = "rebuild"
    preset: Preset = field(default_factory=lambda: preset_named("paper-1"))

    @property
    def plan(self) -> Plan:
        """Return the plan of this entry."""
        return Plan(
            entry=self.entry,
            team=TEAM,
            model=f"padded {self.player}",
            preset=self.preset,
            games=tuple(game.id for game in GAMES),
            pathway=self.pathway,
            summary_mode=self.mode,
            system_role=True,
        )


def members() -> tuple[Member, ...]:
    """Return the entries: both pathways, the players in such a mix that the set has as many steps as the paper."""
    players = ("greedy", "idle", *("random",) * 5, "greedy", "idle", *("random",) * 5)
    return tuple(
        Member(f"e{place:02d}-{player}", player, *(("history", "rebuild") if place < 7 else ("summary", _mode(place))))
        for place, player in enumerate(players)
    )


def _mode(place: int) -> SummaryMode:
    return "recursive" if place % 2 else "rebuild"


class Padded:
    """A desk without a journal: a baseline's move after long thinking, drawn by the entry and the step."""

    def __init__(self, game: AnyGame, member: Member) -> None:
        self._game = game
        self._member = member

    async def ask(self, key: str, prompt: Sendable, state: State | None = None) -> Known:
        key = f"{self._member.entry} {key}"
        if state is None:
            tips = "".join(_TIP.format(hashed(key, place) % 1000) for place in range(40))
            return _known(key, prompt, f"{thinking(key)}</think>Tips:\n{tips}")
        draw = bounded(random.Random(hashed("move", key)))
        move = self._game.baselines[self._member.player](self._game.observe(state), draw)
        return _known(key, prompt, f"{thinking(key)}Answer: {move.action}, Score: {move.score:g}")

    def refuse(self, key: str, prompt: Sendable) -> Known:
        raise AssertionError(f"{key}: expected a prompt that fits, got one of {prompt.tokens} tokens")


def _known(key: str, prompt: Sendable, reply: str) -> Known:
    dropped = prompt.dropped
    outcome = Outcome(
        key=key,
        context=prompt.digest,
        dropped_episodes=dropped.episodes,
        dropped_steps=dropped.steps,
        window=dropped.window,
        cut="rule",
        prompt_tokens=prompt.tokens,
        reply=reply,
        finish="stop",
        fault=None,
        seconds=1.0,
        tokens_in=prompt.tokens,
        tokens_out=len(reply) // 4,
        tokens_cached=None,
        model=None,
        request_id=f"req-{hashed(key) % 10**12}",
        fingerprint=None,
        adaptations=(),
    )
    return Known(outcome, 1)


async def play(member: Member) -> list[RunFiles]:
    """Play every game of an entry."""
    plan = member.plan
    room = budgets(plan.preset, ENDPOINT)
    return [await run_of(plan, game, room, Padded(game, member), Unwatched(), Seats()) for game in GAMES]


def manifest(plan: Plan, runs: Sequence[RunFiles]) -> Manifest:
    """Return the manifest of the played runs."""
    episodes = list(itertools.chain.from_iterable(run.episodes for run in runs))
    preset = plan.preset
    return Manifest(
        entry=plan.entry,
        team=plan.team,
        model=plan.model,
        protocol=preset.id,
        protocol_digest=preset.digest,
        options=PathwayOptions(pathway=plan.pathway, summary_mode=plan.summary_mode, system_role=True),
        games=tuple(GameRules(game=game.id, rules_version=game.rules_version) for game in GAMES),
        input_budget=preset.input_tokens,
        output_budget=preset.output_tokens,
        decoding=decoding_at(preset.temperature),
        endpoint=ENDPOINT,
        runner_version=version(),
        runner_digest=source_digest(),
        adaptations=(),
        deviations=(),
        totals=totals(episodes, list(itertools.chain.from_iterable(run.costs for run in runs))),
        failures=failure_counts(episodes),
        checkpoints=tuple(
            itertools.chain.from_iterable(checkpoint_records(preset, run.game, run.episodes) for run in runs)
        ),
        contents=(),
    )


def key() -> Ed25519PrivateKey:
    """Return a key that protects nothing."""
    return Ed25519PrivateKey.from_private_bytes(hashed("the key of a set made for timing").to_bytes(32, "big"))


def build_entry(folder: Path, member: Member) -> str:
    """Write an entry's bundle, if it is not there."""
    bundle = folder / ENTRIES / member.entry
    if not bundle.exists():
        bundle.parent.mkdir(parents=True, exist_ok=True)
        runs = asyncio.run(play(member))
        write_bundle(bundle, manifest(member.plan, runs), runs, key())
    return member.entry


def build(folder: Path, workers: int) -> None:
    """Write the whole set as a submissions folder, without a log."""
    made_by = folder / "made-by"
    if not made_by.exists() or made_by.read_text() != source_digest():
        # Prompts and rules may have changed since.
        shutil.rmtree(folder / ENTRIES, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        made_by.write_text(source_digest())
    keys = folder / KEYS
    keys.mkdir(parents=True, exist_ok=True)
    (keys / f"{TEAM}.json").write_bytes(write_team_key(team_key(TEAM, key())))
    with ProcessPoolExecutor(workers) as pool:
        for entry in pool.map(build_entry, itertools.repeat(folder), members()):
            print(entry, flush=True)


def grow(folder: Path) -> None:
    """Print how time grows where exploration and checkpoints are doubled."""
    found = []
    for episodes in (15, 30):
        preset = preset_named("paper-1").model_copy(update={"id": f"grow-{episodes}", "explore_episodes": episodes})
        member = Member(f"grow-{episodes}", "random", "history", preset=preset)
        where = folder / "grow"
        build_entry(where, member)
        seconds = seconds_of(where / ENTRIES / member.entry, folder / KEYS, preset)
        steps = sum(len(episode.steps) for run in asyncio.run(play(member)) for episode in run.episodes)
        found.append((steps, seconds))
        print(
            f"{episodes} exploration episodes, {steps:,} steps: {seconds:.3f} s, {seconds / steps * 1e6:.1f} us a step"
        )
    (few, short), (many, long) = found
    print(f"{many / few:.2f} times the steps take {long / short:.2f} times as long")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("build", "time", "memory", "grow"))
    parser.add_argument("folder", type=Path, help="Outside the tree: the set takes about 170 MB.")
    parser.add_argument("--workers", type=int, default=1, help="Processes that build.")
    parser.add_argument("--entries", type=int, default=None, help="Time so many entries only.")
    parser.add_argument("--repeats", type=int, default=3, help="Of each time the best of so many.")
    options = parser.parse_args()
    if options.what == "build":
        build(options.folder, options.workers)
    elif options.what == "time":
        tell_times(options.folder, options.entries, options.repeats)
    elif options.what == "memory":
        tell_memory(options.folder)
    else:
        grow(options.folder)


if __name__ == "__main__":
    main()
