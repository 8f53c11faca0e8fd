"""Times of verifying and scoring a folder of submissions on one core, part by part, beside the floor below each."""

from __future__ import annotations

import contextlib
import hashlib
import resource
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from zlib_ng import zlib_ng

from games.base import playable
from games.play import play_from
from protocol.bundle import list_files
from protocol.preset import preset_named
from protocol.records import CostRecord, EpisodeRecord, MemoryRecord
from protocol.reply import read_reply
from scoring.accepting import accept
from scoring.cache import Cache
from scoring.checks import claims, completeness, files, limits, parsing, replaying, separation, signature
from scoring.checks.parsing import ParsedRun
from scoring.checks.step import Faults, Step
from scoring.crew import Alone, never
from scoring.pausing import no_cycle_search
from scoring.registry import Registry
from scoring.score import results_of
from scoring.starts import start_of
from scoring.submitting import ENTRIES, KEYS

KINDS = {"episodes": EpisodeRecord, "memory": MemoryRecord, "costs": CostRecord}
PARTS = {
    "inflating": "inflating (zlib-ng alone)",
    "hashing": "hashing (SHA-256 of files and contents alone)",
    "parsing": "parsing (one typed reading of each line alone)",
    "replies": "reading replies",
    "games": "the games (their steps and observations alone)",
}


class Watch:
    """Processor seconds of this process by what they were spent on."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    @contextlib.contextmanager
    def on(self, what: str) -> Iterator[None]:
        """Count what is done inside."""
        start = time.process_time()
        yield
        self.seconds[what] += time.process_time() - start


def by_step(bundle: Path, key_of: signature.KeyOf, watch: Watch) -> tuple[ParsedRun, ...]:
    """Run the verification steps as ``verify`` does, each timed."""
    told: dict[str, Faults] = {}

    def faults(step: Step) -> Faults:
        return told.setdefault(step.code, Faults(step))

    with watch.on("0, 1 limits and signature"):
        sizes = limits.check(bundle, faults(limits.STEP))
        signed = signature.check(bundle, key_of, faults(signature.STEP))
    manifest = signed.statement.predicate
    preset = preset_named(manifest.protocol)
    reading = parsing.Reading(never, preset, whole_replies=False)
    with watch.on("2, 3 files: inflated, hashed and parsed"):
        files.check(bundle, sizes, signed.statement, faults(files.STEP), reading)
        runs = parsing.check(manifest, reading, preset, faults(parsing.STEP))
    with watch.on("4, 5 completeness and separation"):
        completeness.check(manifest, runs, preset, faults(completeness.STEP))
        separation.check(runs, preset, faults(separation.STEP))
    with watch.on("6, 7 replay and contexts"):
        played = replaying.check(manifest, runs, preset, faults(replaying.STEP), Alone())
    with watch.on("8 claims"):
        claims.check(manifest, runs, [run.rebuilt for run in played], preset, faults(claims.STEP))
    if any(each.found for each in told.values()):
        raise ValueError(f"{bundle}: expected an acceptable bundle; build the set again")
    return runs


def floors(bundle: Path, runs: Sequence[ParsedRun], watch: Watch) -> None:
    """Do what no verification can do without, by the fastest way that this Python has."""
    names = [name for name in list_files(bundle) if name.endswith(".gz")]
    data = [(bundle / name).read_bytes() for name in names]
    with watch.on("inflating"):
        contents = [zlib_ng.decompress(each, wbits=31) for each in data]
    with watch.on("hashing"):
        for each in (*data, *contents):
            hashlib.sha256(each).digest()
    for name, content in zip(names, contents, strict=True):
        kind = KINDS[name.partition("/")[0]]
        lines = content.split(b"\n")[:-1]
        with watch.on("parsing"):
            records = [kind.model_validate_json(line) for line in lines]
        with watch.on("replies"):
            for record in records:
                if isinstance(record, EpisodeRecord):
                    for step in record.steps:
                        read_reply(step.reply)
        del records
    for run in runs:
        replies = [[read_reply(step.reply) for step in episode.steps] for episode in run.episodes]
        starts = [
            start_of(run.game, preset_named("paper-1").config(run.game, episode.phase), int(episode.seed)).state
            for episode in run.episodes
        ]
        with watch.on("games"):
            for start, said in zip(starts, replies, strict=True):
                actions = iter([playable(reply.action) for reply in said])
                play_from(run.game, start, lambda _, actions=actions: next(actions))


def bundles_of(folder: Path, entries: int | None) -> list[Path]:
    return sorted((folder / ENTRIES).iterdir())[:entries]


def tell_times(folder: Path, entries: int | None, repeats: int) -> None:
    """Print the time of the whole, then of each step and each floor; of each the best of the repetitions."""
    key_of, bundles = Registry(folder / KEYS), bundles_of(folder, entries)
    best: dict[str, float] = {}
    steps = 0
    for _ in range(repeats):
        watch = Watch()
        with watch.on("whole"):
            results = results_of(accept(bundle, key_of).numbers for bundle in bundles)
        for bundle in bundles:
            with no_cycle_search():
                runs = by_step(bundle, key_of, watch)
                floors(bundle, runs, watch)
        steps = sum(run.steps for entry in results.entries for run in entry.runs)
        best = {what: min(seconds, best.get(what, seconds)) for what, seconds in watch.seconds.items()}
    whole = best.pop("whole")
    print(
        f"{len(bundles)} entries, {steps:,} steps: verified and scored in {whole:.2f} s, {steps / whole:,.0f} steps/s"
    )
    for what, seconds in best.items():
        kind = f"    floor: {PARTS[what]}" if what in PARTS else what
        print(f"{kind:70} {seconds:6.2f} s {100 * seconds / whole:4.0f}%")
    print(f"{'floors together':70} {sum(best[what] for what in PARTS):6.2f} s")
    with tempfile.TemporaryDirectory() as scratch:
        cache = Cache(Path(scratch) / "cache")
        for bundle in bundles:
            accept(bundle, key_of, cache=cache)
        again = Watch()
        with again.on("known"):
            results_of(accept(bundle, key_of, cache=cache).numbers for bundle in bundles)
        print(f"again, each known to the cache: {again.seconds['known']:.2f} s")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB")
