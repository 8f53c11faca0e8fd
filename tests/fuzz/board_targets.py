"""What a board holds beside its bundles: registry and root keys, the states of entries, re-runs."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

from protocol.errors import BundleError
from protocol.records import Content
from protocol.signing import generate_key, load_key, make_envelope, sign, team_key
from protocol.strictjson import read_record, write_record
from scoring.acceptance import (
    LOG,
    START,
    TOMBSTONES,
    Action,
    Happening,
    LogLine,
    RegistryMark,
    Subject,
    digest_of,
    next_line,
    parse_log,
    standings,
)
from scoring.confirmation import CONFIRMATION, CONFIRMATION_TYPE, Confirmation
from scoring.confirming import read_confirmation
from scoring.log_check import check_board
from scoring.registry import open_keyring
from scoring.root_keys import EXCHANGE_TYPE, RootKey, RootLink, Roots, check_links, check_root, root_of
from scoring.signed_registry import (
    REGISTRY,
    REGISTRY_TYPE,
    ROOT,
    LogEnd,
    RegistryRecord,
    SignedRegistry,
    check_registry,
    exchanged,
    sign_registry,
)
from scoring.submitting import change_entry, submit
from tests.bundles import KEY, TEAM, Board
from tests.fuzz.mutation import spoiled_lines
from tests.fuzz.target import Target
from tests.scoring.reruns import ROOT_KEY, Reruns

ROOT_KEYS = (ROOT_KEY, *(load_key(generate_key()) for _ in range(3)))
_MARKS = [RegistryMark(version=version, digest=f"{version}" * 64, root="f" * 64) for version in (1, 2)]
_WAYS: dict[str, tuple[Action, ...]] = {
    "one": ("accepted",),
    "two": ("held", "released", "withdrawn"),
    "three": ("accepted", "disqualified"),
    "four": ("held", "disqualified"),
    "five": ("held", "withdrawn"),
}


@cache
def chained() -> SignedRegistry:
    """Return a registry of one team whose root key was exchanged as often as there are keys."""
    record = RegistryRecord(version=1, root=root_of(ROOT_KEY).keyid, keys=(team_key(TEAM, KEY),))
    for place, (old, new) in enumerate(itertools.pairwise(ROOT_KEYS)):
        before = SignedRegistry(record, "5" * 64, Roots(root_of(old), check_registry(record)))
        left = (Content(name="one/check-1", sha256="6" * 64),) if place == 0 else ()
        record = exchanged(before, old, new, LogEnd(place, "7" * 64), left)
    return SignedRegistry(record, "5" * 64, Roots(root_of(ROOT_KEYS[-1]), check_registry(record)))


def _chain(data: bytes) -> object:
    """Read exchanges, one a line, each signed by the keys that it should have."""
    lines = data.split(b"\n")[: len(ROOT_KEYS) - 1]
    links = []
    for line, old, new in zip(lines, ROOT_KEYS, ROOT_KEYS[1:], strict=False):
        consent, proof = (make_envelope(line, key, EXCHANGE_TYPE) for key in (old, new))
        links.append(RootLink(consent=consent, proof=proof))
    root = root_of(ROOT_KEYS[len(links)]).keyid
    found = check_links(links, root, 99, {team_key(TEAM, KEY).keyid}, REGISTRY)
    roots = Roots(root_of(ROOT_KEYS[len(links)]), found)
    assert len({roots.at(version) for version in range(100)}) == len(links) + 1
    return roots.since(found[0].old.keyid) == found


def _signed(data: bytes) -> object:
    """Read a registry whose content is spoiled and whose signature is right."""
    return _on_disk(sign(data, ROOT_KEYS[-1], REGISTRY_TYPE))


def _on_disk(data: bytes) -> object:
    with TemporaryDirectory() as place:
        folder = Path(place)
        (folder / ROOT).write_bytes(write_record(root_of(ROOT_KEYS[-1])))
        (folder / REGISTRY).write_bytes(data)
        keyring = open_keyring(folder)
        assert keyring.words.isprintable()
        return keyring.at(0)(TEAM)


def _root(data: bytes) -> object:
    root = read_record(RootKey, data, ROOT)
    check_root(root, ROOT)
    return root


@cache
def _states() -> bytes:
    """Return a log in which entries come to every state, on every way."""
    lines: list[LogLine] = []
    for entry, actions in _WAYS.items():
        for action in actions:
            reason = None if action == "accepted" else "a reason"
            mark = _MARKS[len(lines) > 3]
            happening = Happening(action, _subject(entry), reason, mark, "2026-01-02T03:04:05Z")
            lines.append(next_line(lines, happening))
    return b"\n".join(map(write_record, lines))


def _subject(entry: str) -> Subject:
    episodes = (Content(name="episodes/snake.jsonl", sha256="3" * 64),)
    return Subject(entry=entry, team=TEAM, keyid="1" * 64, bundle_digest="2" * 64, episodes=episodes)


def rechained(data: bytes) -> bytes:
    """Return lines in a chain that holds, so that what they say is what is read."""
    lines: list[LogLine] = []
    for raw in data.split(b"\n"):
        line = read_record(LogLine, raw, LOG)
        previous = digest_of(lines[-1]) if lines else START
        line = line.model_copy(update={"position": len(lines), "previous": previous, "check": START})
        lines.append(line.model_copy(update={"check": digest_of(line)}))
    return b"".join(write_record(line) + b"\n" for line in lines)


def _log_of_states(data: bytes) -> object:
    lines = parse_log(rechained(data))
    found = standings(lines)
    for line in lines:
        standing = found[line.subject.entry]
        assert standing.state not in TOMBSTONES or line.position <= standing.changed_at
        assert line.action not in TOMBSTONES or standing.state == line.action
    return found


TARGETS = (
    Target("root key", lambda seeds: [write_record(root_of(key)) for key in ROOT_KEYS], spoiled_lines, _root),
    Target(
        "root exchanges",
        lambda seeds: [b"\n".join(map(write_record, chained().roots.exchanges))],
        spoiled_lines,
        _chain,
    ),
    Target("signed registry", lambda seeds: [write_record(chained().record)], spoiled_lines, _signed),
    Target("registry file", lambda seeds: [sign_registry(chained().record, ROOT_KEYS[-1])], spoiled_lines, _on_disk),
    Target("states of entries", lambda seeds: [_states()], spoiled_lines, _log_of_states),
)


def whole(board: Board, folder: Path) -> tuple[Target, ...]:
    """Return the readers of whole re-runs, spoiled and signed again, and the check of a board with a spoiled log."""
    reruns = Reruns(board, folder / "reruns")
    bundle, payload, episodes = reruns.good("history")
    roots = Roots(root_of(ROOT_KEY))
    records = b"".join(write_record(each) + b"\n" for each in episodes["snake"])

    def read(tell: Callable[[Path], object], data: bytes | None = None) -> object:
        with TemporaryDirectory(dir=folder) as place:
            content = {} if data is None else {"snake": data}
            forged = reruns.forge("history", Path(place), lambda told: told.content.update(content))
            tell(forged)
            return read_confirmation(forged, roots, bundle)

    def of_record(data: bytes) -> object:
        return read(lambda place: (place / CONFIRMATION).write_bytes(sign(data, ROOT_KEY, CONFIRMATION_TYPE)))

    submissions = _laid(board, folder / "laid")

    def of_log(data: bytes) -> object:
        chained_anew = rechained(data)
        with TemporaryDirectory(dir=folder) as place:
            copy = shutil.copytree(submissions, Path(place) / "b")
            (copy / LOG).write_bytes(chained_anew)
            for fault in check_board(copy).faults:
                raise BundleError(fault.file, fault.expected, fault.got, fault.remedy, place=fault.place)
        return True

    def seeds_of(*contents: bytes) -> Callable[[object], Sequence[bytes]]:
        return lambda seeds: contents

    log = (submissions / LOG).read_bytes().removesuffix(b"\n")
    return (
        Target("record of a re-run", seeds_of(payload), spoiled_lines, partial(read_record, Confirmation, file="f")),
        Target("re-run with a spoiled record", seeds_of(payload), spoiled_lines, of_record, share=1),
        Target(
            "re-run with spoiled episodes",
            seeds_of(records),
            spoiled_lines,
            lambda data: read(lambda place: None, data),
            share=1,
        ),
        Target("board with a spoiled log", seeds_of(log), spoiled_lines, of_log, share=1),
    )


def _laid(board: Board, folder: Path) -> Path:
    """Return a board with a standing entry and a tombstone."""
    folder.mkdir()
    record = RegistryRecord(version=1, root=root_of(ROOT_KEY).keyid, keys=(team_key(TEAM, KEY),))
    (folder / ROOT).write_bytes(write_record(root_of(ROOT_KEY)) + b"\n")
    (folder / REGISTRY).write_bytes(sign_registry(record, ROOT_KEY))
    for pathway in ("history", "summary"):
        submit(board.bundle("summary" if pathway == "summary" else "history"), folder)
    change_entry(folder, "withdrawn", "red-summary", "a fault")
    return folder
