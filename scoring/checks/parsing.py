"""Step 3: strict parsing of exactly the bytes that were signed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from games.registry import GAMES, AnyGame
from protocol.bundle import ENVELOPE, line_groups
from protocol.errors import BundleError
from protocol.preset import Preset
from protocol.record import Record
from protocol.records import CostRecord, EpisodeRecord, Manifest, MemoryRecord
from protocol.schedule import memory_indexes, schedule
from protocol.strictjson import RecordT, read_record
from scoring.bulk import read_certain
from scoring.checks.estimates import Replies
from scoring.checks.places import CostPlace
from scoring.checks.step import MAX_FAULTS, EnoughError, Faults, Step
from scoring.crew import Tick
from scoring.kept import KeptEpisode, KeptMemory
from scoring.report import Fault

STEP = Step(3, "parsing", "Every record is strict, typed and of a known version")
_KINDS: dict[str, type[Record]] = {"episodes": EpisodeRecord, "memory": MemoryRecord, "costs": CostRecord}
_SHORT: dict[str, type[Record]] = {"episodes": KeptEpisode, "memory": KeptMemory, "costs": CostRecord}
_Keep = Callable[[Record], Record]


class ParsedRun(NamedTuple):
    """The records of one game, parsed but not yet believed."""

    game: AnyGame
    episodes: tuple[EpisodeRecord, ...]
    memories: tuple[MemoryRecord, ...]
    costs: tuple[CostRecord, ...]
    estimates: Mapping[CostPlace, int]
    """What the reply of each cost that is said to be estimated is estimated at; 0 where there is none."""


class Reading:
    """Reads record files while their digests are made, so that they are inflated once; ``check`` has the last word.

    Files come in order of name, costs first: where those are estimates, what a reply took is estimated again from its
    whole text, even if that is not kept.
    """

    def __init__(self, tick: Tick, preset: Preset | None, *, whole_replies: bool = True) -> None:
        self._tick = tick
        self._most = {} if preset is None else most_lines(preset)
        self._whole_replies = whole_replies
        self._replies: dict[str, Replies] = {}
        """By game, once its costs were read."""
        self._read: dict[str, _Lines] = {}

    def __call__(self, name: str, content: Iterator[bytes]) -> None:
        """Take in the content of a record file; that of no game of this release, or behind enough faults, is left."""
        kind, _, game = name.removesuffix(".jsonl").partition("/")
        enough = sum(len(read.found) for read in self._read.values()) >= MAX_FAULTS
        if kind in _KINDS and any(game == each.id for each in GAMES) and not enough:
            most = self._most.get(kind, 0)
            kept = (_KINDS if self._whole_replies else _SHORT)[kind]
            replies = self._replies.get(game)
            keep = replies.keeping(kept) if replies is not None and replies.tokens else None
            read = self._read[name] = _lines(_KINDS[kind], kept, f"{name}.gz", content, self._tick, keep, most)
            if kind == "costs":
                self._replies[game] = Replies(record for record in read.records if isinstance(record, CostRecord))

    def estimates(self, game: str) -> Mapping[CostPlace, int]:
        """Return what the reply of each cost of a game that is said to be estimated is estimated at."""
        return self._replies[game].tokens if game in self._replies else {}

    def records(self, kind: type[RecordT], name: str, faults: Faults) -> tuple[RecordT, ...]:
        """Return the records of a file, and note what could not be read; none if there is no such file."""
        if name not in self._read:
            return ()
        read = self._read.pop(name)
        faults.take(read.found)
        return tuple(record for record in read.records if isinstance(record, kind))


class _Lines(NamedTuple):
    records: tuple[Record, ...]
    found: tuple[Fault, ...]


def most_lines(preset: Preset) -> dict[str, int]:
    """Return how many records of each kind are read: twice what the protocol asks for of a game.

    More of them could only be refused, and small ones, compressed, would fill the memory before they are.
    """
    episodes = max((len(schedule(preset, game)) for game in preset.games), default=0)
    memories = len(memory_indexes(preset))
    # A cost for each step, one for where an episode failed, and one for each summary call.
    counts = {"episodes": episodes, "memory": memories, "costs": episodes * (preset.max_steps + 1) + memories}
    return {kind: 2 * count for kind, count in counts.items()}


def _lines(
    kind: type[Record],
    kept: type[Record],
    file: str,
    content: Iterator[bytes],
    tick: Tick,
    keep: _Keep | None,
    most: int,
) -> _Lines:
    if keep is not None:
        kept = kind
    faults = Faults(STEP, tick=tick)
    records: list[Record] = []
    before = 0
    with suppress(EnoughError), faults.catching():
        for lines in line_groups(content, file):
            faults.tick()
            certain = read_certain(kept, lines)
            if certain is None:
                certain = []
                _one_by_one(kind, kept, file, lines, before, certain, faults)
            records += certain if keep is None else map(keep, certain)
            before += len(lines)
            if before > most:
                remedy = "Let the runner write the bundle; a run has half as many at most."
                raise BundleError(file, f"at most {most} records", "more", remedy)
    return _Lines(tuple(records), tuple(faults.found))


def _one_by_one(
    kind: type[Record],
    kept: type[Record],
    file: str,
    lines: Sequence[bytes],
    before: int,
    records: list[Record],
    faults: Faults,
) -> None:
    """Add the records of lines among which one may be at fault, and name each fault."""
    for number, line in enumerate(lines, before + 1):
        faults.tick()
        with faults.catching():
            record = read_record(kind, line, file, f"line {number}")
            records.append(record if kept is kind else kept.model_validate_json(line))


def check(manifest: Manifest, reading: Reading, preset: Preset, faults: Faults) -> tuple[ParsedRun, ...]:
    """Return the typed records of every run, in the order of the protocol's games."""
    _versions(manifest, preset, faults)
    runs = []
    lines = 0
    for rules in manifest.games:
        name = rules.game
        game = next((game for game in GAMES if game.id == name), None)
        if game is None:
            continue
        episodes = reading.records(EpisodeRecord, f"episodes/{name}.jsonl", faults)
        memories = reading.records(MemoryRecord, f"memory/{name}.jsonl", faults)
        costs = reading.records(CostRecord, f"costs/{name}.jsonl", faults)
        lines += len(episodes) + len(memories) + len(costs)
        runs.append(ParsedRun(game, episodes, memories, costs, reading.estimates(name)))
    faults.detail = f"{lines} records"
    return tuple(runs)


def _versions(manifest: Manifest, preset: Preset, faults: Faults) -> None:
    if manifest.protocol_digest != preset.digest:
        faults.add(
            BundleError(
                ENVELOPE,
                f"protocol {preset.id} with digest {preset.digest}",
                manifest.protocol_digest,
                "Use the release that the entry was played with; for a protocol that is not released, the very file "
                "that it was played with (--protocol FILE).",
                place="protocol_digest",
            )
        )
    known = {game.id: game.rules_version for game in GAMES}
    names = [rules.game for rules in manifest.games]
    if not names or len(set(names)) != len(names):
        got = "none" if not names else "a game twice"
        faults.add(BundleError(ENVELOPE, "one or more games, each once", got, "Play the entry again.", place="games"))
    for rules in manifest.games:
        wanted = preset.games[rules.game].rules_version if rules.game in preset.games else None
        if rules.rules_version != wanted or known.get(rules.game) != wanted:
            faults.add(
                BundleError(
                    ENVELOPE,
                    f"game {rules.game} with rules version {wanted} of protocol {preset.id}",
                    f"version {rules.rules_version} (this scorer knows {known.get(rules.game)})",
                    "Use the release of this package that the entry was played with.",
                    place="games",
                )
            )
