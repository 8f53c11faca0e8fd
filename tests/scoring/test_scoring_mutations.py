"""Every field of every record set to other legal values, one at a time: what is accepted is written down here.

Each changed bundle is signed with the registered key, its digests, totals, failures and checkpoints made to fit. A
field that can change and be accepted is the team's word, and docs/explanation/marks.md says so.
"""

from __future__ import annotations

import contextlib
import copy
import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from protocol.checkpoints import checkpoint_records
from protocol.errors import BundleError
from protocol.record import Record
from protocol.records import CheckpointRecord, CostRecord, Decoding, EpisodeRecord, Manifest, MemoryRecord
from protocol.strictjson import RecordT, read_record, write_record
from protocol.totals import failure_counts, totals
from scoring.registry import Registry
from scoring.verify import RefusedError, verify
from tests.bad_bundles.good import Good, Kind, preset_of
from tests.bundles import KEY
from tests.scoring.forge import Fields, Json, Parts, forge, take_apart

Place = tuple[str | int, ...]
KINDS: dict[str, type[Record]] = {"episodes": EpisodeRecord, "memory": MemoryRecord, "costs": CostRecord}
LISTS: tuple[list[Json], ...] = ([], ["x"], [0], [{"name": "x", "value": "1"}])
VALUES: tuple[Json, ...] = (
    *(None, True, 0, 1, 7, 0.5, "", "x", "1", "0" * 64, *LISTS),
    *("stop", "length", "content_filter", "transport", "context_overflow", "empty", "filtered", "valid", "failed"),
    *("made", "kept", "rule", "server_overflow", "explore", "strict", "summary", "history", "rebuild", "recursive"),
    *("builtin", "openai_chat", "snake", "trust", "step_limit", "player_end"),
)
VALUES_OF_A_FIELD = 4
NAMES = {"entry", "model", "runner_version", "runner_digest", "adaptations", "deviations"}
CLAIMED = {"endpoint.kind", "endpoint.model"}
ASKED_WITH = {f"decoding.{name}" for name in Decoding.model_fields} - {"decoding.temperature"}
"""The protocol of these bundles fixes the temperature."""
MEASURED = {"requests", "tokens_in", "tokens_out", "tokens_cached", "estimated", "seconds"}
IDS = {"model", "request_id", "fingerprint"}
TEAMS_WORD: dict[tuple[Kind, str, int], set[str]] = {
    # What a summary run is made with is seen in its prompts; a history run has no use for it.
    ("failing", "manifest", 0): {*NAMES, *CLAIMED, *ASKED_WITH, "options.summary_mode"},
    ("failing", "episodes", 0): {"steps.0.finish"},
    ("failing", "episodes", 1): {"steps.0.finish"},
    ("failing", "costs", 10): {*MEASURED, *IDS} - {"estimated", "tokens_in", "tokens_out"},
    ("forgetful", "manifest", 0): {*NAMES, *CLAIMED, *ASKED_WITH},
    # A memory was made, so that its reply had come to its own end.
    ("forgetful", "memory", 0): set(),
    ("forgetful", "memory", 1): {"failure"},
    ("forgetful", "costs", 0): {*MEASURED, *IDS},
}
"""By bundle, file and line: the fields that may say something else. Line 1 of each is one that failed."""


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Good:
    return Good(tmp_path_factory.mktemp("good"))


@pytest.mark.parametrize(("kind", "file", "line"), TEAMS_WORD)
def test_only_a_teams_own_word_can_be_changed(good: Good, tmp_path: Path, kind: Kind, file: str, line: int) -> None:
    parts = take_apart(good.bundle(kind))
    accepted = set()
    for number, (place, changed) in enumerate(mutants(parts, file, line)):
        name = ".".join(map(str, place))
        if name not in accepted and is_accepted(good, tmp_path / str(number), good.bundle(kind), changed):
            accepted.add(name)
    assert accepted == TEAMS_WORD[kind, file, line]


def mutants(parts: Parts, file: str, line: int) -> Iterator[tuple[Place, Parts]]:
    """Yield copies with one field set to another value of its type, and the field."""
    what = record_of(parts, file, line)
    for place in places(what):
        if place[0] != "contents":
            for value in itertools.islice(legal(what, file, place), VALUES_OF_A_FIELD):
                changed = copy.deepcopy(parts)
                put(record_of(changed, file, line), place, value)
                yield place, made_to_fit(changed) if file in KINDS else changed


def legal(what: Fields, file: str, place: Place) -> Iterator[Json]:
    """Yield values with which a record is one and says something else."""
    kind = KINDS.get(file, Manifest)
    before = read(kind, what)
    changed = copy.deepcopy(what)
    for value in VALUES:
        put(changed, place, value)
        with contextlib.suppress(BundleError):
            if read(kind, changed) != before:
                yield value


def record_of(parts: Parts, file: str, line: int) -> Fields:
    return parts.lines[f"{file}/snake.jsonl"][line] if file in KINDS else parts.manifest


def places(value: Json, above: Place = ()) -> Iterator[Place]:
    """Yield where every value stands; of a list, the first item stands for all."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from places(each, (*above, key))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        yield from places(value[0], (*above, 0))
    if above:
        yield above


def put(value: Json, place: Place, new: Json) -> None:
    *above, last = place
    for key in above:
        value = at(value, key)
    if isinstance(value, dict):
        value[str(last)] = new
    elif isinstance(value, list):
        value[int(last)] = new


def at(value: Json, key: str | int) -> Json:
    if isinstance(value, dict):
        return value[str(key)]
    assert isinstance(value, list)
    return value[int(key)]


def made_to_fit(parts: Parts) -> Parts:
    """Let the manifest claim what follows from the records as they are now."""
    preset = preset_of(str(parts.manifest["protocol"]))
    episodes: list[EpisodeRecord] = []
    costs: list[CostRecord] = []
    checkpoints: list[CheckpointRecord] = []
    for game in ("snake", "trust"):
        found = [read(EpisodeRecord, each) for each in parts.episodes(game)]
        episodes += found
        costs += [read(CostRecord, each) for each in parts.lines[f"costs/{game}.jsonl"]]
        checkpoints += checkpoint_records(preset, game, found)
    parts.manifest["totals"] = as_json(totals(episodes, costs))
    parts.manifest["failures"] = [as_json(each) for each in failure_counts(episodes)]
    parts.manifest["checkpoints"] = [as_json(each) for each in checkpoints]
    return parts


def read(kind: type[RecordT], fields: Fields) -> RecordT:
    return read_record(kind, json.dumps(fields).encode(), "f")


def as_json(record: Record) -> Json:
    found: Json = json.loads(write_record(record))
    return found


def is_accepted(good: Good, target: Path, bundle: Path, parts: Parts) -> bool:
    def change(whole: Parts) -> None:
        whole.statement, whole.lines = parts.statement, parts.lines

    try:
        verify(forge(bundle, target, KEY, change), Registry(good.keys), preset_of)
    except RefusedError:
        return False
    return True
