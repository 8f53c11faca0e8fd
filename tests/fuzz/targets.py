"""Every reader of bytes that somebody else wrote, with good inputs to spoil."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

from protocol.bundle import ENVELOPE, Statement, content_lines
from protocol.memory import memory_text
from protocol.outcomes import reply_kind
from protocol.preset import parse_preset, preset_named, preset_names
from protocol.records import CostRecord, EpisodeRecord, MemoryRecord
from protocol.reply import canonical_line, read_reply
from protocol.rounds import preset_toml
from protocol.signing import generate_key, load_key, read_envelope, sign, team_key, verify, write_team_key
from protocol.strictjson import RecordT, read_record, write_record
from protocol.tokens import estimate
from scoring.acceptance import Happening, Subject, append_log, parse_log
from scoring.registry import Registry, read_team_key
from scoring.signed_registry import RegistryRecord, check_registry
from scoring.verify import RefusedError
from scoring.verify import verify as verify_bundle
from tests.bundles import KEY, TEAM, Board
from tests.fuzz.board_targets import TARGETS as BOARD_TARGETS
from tests.fuzz.board_targets import chained
from tests.fuzz.board_targets import whole as whole_board
from tests.fuzz.mutation import spoiled, spoiled_lines
from tests.fuzz.target import Seeds, Target
from tests.scoring.forge import forge


def gather(bundles: Sequence[Path], folder: Path) -> Seeds:
    """Return good inputs from good bundles."""

    def contents(kind: str) -> tuple[bytes, ...]:
        files = [file for bundle in bundles for file in sorted(bundle.glob(f"{kind}/*.gz"))]
        return tuple(gzip.decompress(file.read_bytes()) for file in files)

    envelopes = tuple((bundle / ENVELOPE).read_bytes() for bundle in bundles)
    log = folder / "log.jsonl"
    for entry in ("one", "two", "three"):
        subject = Subject(entry=entry, team=TEAM, keyid="0" * 64, bundle_digest="1" * 64, episodes=())
        append_log(log, Happening("accepted", subject))
    return Seeds(
        envelopes,
        tuple(read_envelope(envelope, ENVELOPE).payload for envelope in envelopes),
        contents("episodes"),
        contents("memory"),
        contents("costs"),
        (log.read_bytes(),),
    )


@cache
def _presets() -> tuple[bytes, ...]:
    return tuple(preset_toml(preset_named(name)).encode() for name in preset_names())


def _envelope(data: bytes) -> object:
    signed = read_envelope(data, "f")
    verify(signed, team_key(TEAM, KEY), "f")
    return read_record(Statement, signed.payload, "f", "payload")


def _registration(data: bytes) -> object:
    key = read_team_key(data, "f")
    verify(read_envelope(_GOOD_ENVELOPE, "f"), key, "f")
    return key


def _registry(data: bytes) -> object:
    record = read_record(RegistryRecord, data, "f")
    check_registry(record)
    return record


@cache
def _registries() -> tuple[bytes, ...]:
    """Return registries of one key, of a team that has rotated its key beside another team, and of exchanged roots."""
    old, new = load_key(generate_key()), load_key(generate_key())
    before = team_key("blue", old).model_copy(update={"status": "rotated", "until": 5})
    keys = (team_key(TEAM, KEY), before, team_key("blue", new, 5, old))
    plain = tuple(write_record(RegistryRecord(version=1, root="0" * 64, keys=some)) for some in ((), keys[:1], keys))
    return (*plain, write_record(chained().record))


def _lines(kind: type[RecordT], data: bytes) -> object:
    return [read_record(kind, line, "f", "a line") for line in content_lines(gzip.compress(data, 1), "f")]


def _compressed(data: bytes) -> object:
    return sum(map(len, content_lines(data, "f")))


def _reply(data: bytes) -> object:
    text = data.decode("utf-8", "replace")
    reply = read_reply(text)
    line = canonical_line(reply)
    assert len(line) < 500
    assert "\n" not in line
    memory = memory_text(text, 100)
    assert estimate(memory) <= 100
    return reply_kind(text, "stop", reply)


def _preset(data: bytes) -> object:
    preset = parse_preset(data.decode("utf-8", "replace"), "f")
    return preset.digest, preset.budget(preset.input_tokens), preset_toml(preset)


_GOOD_ENVELOPE = sign(b"{}", KEY)
_PEM = generate_key()
REPLIES = (
    b"Answer: UP, Score: 1",
    b"<think>Left or right?</think>\nThe apple is near.\n**Answer:** `RIGHT`, Score: 0.5\n",
    b"Answer: (3, 4) reveal, Score: 50%\nAnswer: END, Score: 0",
    b"\\boxed{Answer: place Peashooter 0 1; place Sunflower 2 3, Score: -1/3}",
    b"Tips:\n- Stay away from walls.\n- Eat first.\n",
    "Answer：上，Score：１\u2028".encode(),
)

TARGETS = (
    *BOARD_TARGETS,
    Target("envelope", lambda seeds: seeds.envelopes, spoiled_lines, _envelope),
    Target("statement", lambda seeds: seeds.statements, spoiled_lines, partial(read_record, Statement, file="f")),
    Target("registration", lambda seeds: (write_team_key(team_key(TEAM, KEY)),), spoiled_lines, _registration),
    Target("registry", lambda seeds: _registries(), spoiled_lines, _registry),
    Target("log", lambda seeds: seeds.logs, spoiled_lines, parse_log),
    Target("episodes", lambda seeds: seeds.episodes, spoiled_lines, partial(_lines, EpisodeRecord)),
    Target("memories", lambda seeds: seeds.memories, spoiled_lines, partial(_lines, MemoryRecord)),
    Target("costs", lambda seeds: seeds.costs, spoiled_lines, partial(_lines, CostRecord)),
    Target("compressed", lambda seeds: [gzip.compress(each) for each in seeds.costs], spoiled, _compressed),
    Target("reply", lambda seeds: REPLIES, spoiled, _reply, ()),
    Target("preset", lambda seeds: _presets(), spoiled, _preset, (ValueError,)),
    Target("private key", lambda seeds: (_PEM,), spoiled, load_key, (ValueError,)),
)


def targets(board: Board, folder: Path) -> tuple[Target, ...]:
    """Return all readers, and last those of a whole bundle or board: spoiled, and signed again by a valid key."""
    return (*TARGETS, *wholes(board, folder))


def wholes(board: Board, folder: Path) -> tuple[Target, ...]:
    """Return verification and the checks of a board as a whole."""
    return (*(_whole(board, folder, kind) for kind in ("episodes", "memory", "costs")), *whole_board(board, folder))


def _whole(board: Board, folder: Path, kind: str) -> Target:
    good = board.bundle("summary")
    name = f"{kind}/snake.jsonl"

    def read(data: bytes) -> object:
        with TemporaryDirectory(dir=folder) as place:
            bundle = forge(good, Path(place) / "b", KEY, lambda parts: parts.raw.update({name: data}))
            return verify_bundle(bundle, Registry(board.keys))

    content = gzip.decompress((good / f"{name}.gz").read_bytes())
    return Target(f"bundle with spoiled {kind}", lambda seeds: (content,), spoiled_lines, read, (RefusedError,), 1)
