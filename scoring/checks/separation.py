"""Step 5: explore and strict are disjoint, as seeds, as derived seeds and as levels."""

from __future__ import annotations

from collections.abc import Sequence

from games.rng import stream_seed
from protocol.bundle import file_name
from protocol.digests import layout_digest, start_digest
from protocol.errors import BundleError
from protocol.preset import Preset
from protocol.records import EpisodeRecord, Phase
from protocol.schedule import episode_name
from scoring.checks.parsing import ParsedRun
from scoring.checks.step import Faults, Step

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
    known: dict[int, tuple[str, str]] = {}
    for record in run.episodes:
        if record.phase != phase:
            continue
        faults.tick()
        seed = int(record.seed)
        if seed not in known:
            state = run.game.start(config, seed)
            known[seed] = (start_digest(run.game, config, seed, state), layout_digest(run.game, state))
            places.derived |= {
                f"{stream_seed(run.game.id, run.game.rules_version, config.id, seed, name):064x}"
                for name in run.game.streams
            }
        _same_start(record, known[seed], file, faults)
    places.seeds = set(known)
    places.layouts = {layout for _, layout in known.values()}
    return places


def _same_start(record: EpisodeRecord, wanted: tuple[str, str], file: str, faults: Faults) -> None:
    for name, got, expected in (
        ("start_digest", record.start_digest, wanted[0]),
        ("layout_digest", record.layout_digest, wanted[1]),
    ):
        if got != expected:
            faults.add(BundleError(file, f"{name} {expected}", got, _REMEDY, place=episode_name(record)))


def _disjoint(what: str, explore: set[str], strict: set[str], file: str, faults: Faults) -> None:
    for shared in sorted(explore & strict):
        faults.add(BundleError(file, f"no {what} in both phases", f"{what} {shared} in both", _COLLISION))
