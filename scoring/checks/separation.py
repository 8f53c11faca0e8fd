"""Step 5: explore and strict are disjoint, as seeds, as derived seeds and as levels."""

from __future__ import annotations

from collections.abc import Sequence

from protocol.bundle import file_name
from protocol.errors import BundleError
from protocol.preset import Preset
from protocol.records import EpisodeRecord, Phase
from protocol.schedule import episode_name
from scoring.checks.parsing import ParsedRun
from scoring.checks.step import Faults, Step
from scoring.starts import Start, start_of

STEP = Step(5, "separation", "Explore and strict share no seed, no derived seed and no level")
_REMEDY = "Play the episode on the protocol's seed with an unchanged engine."
_COLLISION = "Ask the organisers for a round whose phases share no level."


def check(runs: Sequence[ParsedRun], preset: Preset, faults: Faults) -> None:
    """Rebuild every start, compare its digests, and compare the phases."""
    starts = 0
    for run in runs:
        file = file_name("episodes", run.game.id)
        explore = _places(run, preset, "explore", file, faults)
        strict = _places(run, preset, "strict", file, faults)
        starts += len(explore.seeds) + len(strict.seeds)
        _disjoint("seed", {str(seed) for seed in explore.seeds}, {str(seed) for seed in strict.seeds}, file, faults)
        _disjoint("derived seed", explore.derived, strict.derived, file, faults)
        if run.game.distinct_layouts:
            _disjoint("level", explore.layouts, strict.layouts, file, faults)
    faults.detail = f"{starts} starts rebuilt; the phases share no seed, no generator seed and no level"


class _Places:
    def __init__(self) -> None:
        self.seeds: set[int] = set()
        self.derived: set[str] = set()
        self.layouts: set[str] = set()


def _places(run: ParsedRun, preset: Preset, phase: Phase, file: str, faults: Faults) -> _Places:
    places = _Places()
    config = preset.config(run.game, phase)
    known: dict[int, Start] = {}
    for record in run.episodes:
        if record.phase != phase:
            continue
        faults.tick()
        seed = int(record.seed)
        known[seed] = start_of(run.game, config, seed)
        same_start(record, known[seed], file, faults)
    places.seeds = set(known)
    places.derived = {f"{derived:064x}" for start in known.values() for derived in start.derived}
    places.layouts = {start.layout_digest for start in known.values()}
    return places


def same_start(record: EpisodeRecord, wanted: Start, file: str, faults: Faults) -> None:
    """Compare the digests of a recorded start with those of the start that its seed gives."""
    for name, got, expected in (
        ("start_digest", record.start_digest, wanted.start_digest),
        ("layout_digest", record.layout_digest, wanted.layout_digest),
    ):
        if got != expected:
            faults.add(BundleError(file, f"{name} {expected}", got, _REMEDY, place=episode_name(record)))


def _disjoint(what: str, explore: set[str], strict: set[str], file: str, faults: Faults) -> None:
    for shared in sorted(explore & strict):
        faults.add(BundleError(file, f"no {what} in both phases", f"{what} {shared} in both", _COLLISION))
