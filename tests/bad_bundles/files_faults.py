"""Faults that step 2 must find: the list of files, their names, their digests and their compression."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

from protocol.bundle import ENVELOPE
from tests.bad_bundles.bad import Bad, Make, Spoil, signed, spoiled
from tests.bad_bundles.good import Good
from tests.bundles import KEY
from tests.scoring.forge import Json, Parts, forge

SNAKE = "episodes/snake.jsonl.gz"
CONTENT = "episodes/snake.jsonl"


def _bad(name: str, changed: str, says: tuple[str, ...], make: Make) -> Bad:
    return Bad(name, "files", changed, says, make)


def _after(name: str, changed: str, says: tuple[str, ...], spoil: Spoil) -> Bad:
    return _bad(name, changed, says, spoiled(spoil))


def _flipped(name: str) -> Spoil:
    def flip(folder: Path) -> None:
        data = bytearray((folder / name).read_bytes())
        data[len(data) // 2] ^= 1
        (folder / name).write_bytes(data)

    return flip


def _beside(twin: str) -> Spoil:
    return lambda folder: (folder / twin).write_bytes((folder / SNAKE).read_bytes())


def _named(name: str) -> Make:
    """List one more file under a name that a careless reader would follow."""

    def change(parts: Parts) -> None:
        more: Json = {"name": name, "digest": {"sha256": "0" * 64}}
        parts.listed = lambda subjects: [*subjects, more]

    return signed(change)


def _list(change: Callable[[list[Json]], list[Json]]) -> Make:
    return signed(lambda parts: setattr(parts, "listed", change))


def _digests(change: Callable[[list[Json]], list[Json]]) -> Make:
    return signed(lambda parts: setattr(parts, "digested", change))


def _compressed(change: Callable[[bytes], bytes]) -> Make:
    """Sign a record file whose compression is at fault."""

    def make(good: Good, target: Path) -> Path:
        data = (good.bundle("history") / SNAKE).read_bytes()
        return forge(good.bundle("history"), target, KEY, lambda parts: parts.extra.update({SNAKE: change(data)}))

    return make


def _windows_line_endings(good: Good, target: Path) -> Path:
    forge(good.bundle("history"), target, KEY, lambda parts: parts.extra.update({"README.md": b"We are\nthe reds.\n"}))
    (target / "README.md").write_bytes(b"We are\r\nthe reds.\r\n")
    return target


def _without(name: str) -> Callable[[list[Json]], list[Json]]:
    return lambda entries: [entry for entry in entries if not (isinstance(entry, dict) and entry["name"] == name)]


def _zeroed(entries: list[Json]) -> list[Json]:
    return [{**entry, "sha256": "0" * 64} if isinstance(entry, dict) else entry for entry in entries]


FAULTS = (
    _after("file-missing", "A record file is gone.", (SNAKE, "it is missing"), lambda f: (f / SNAKE).unlink()),
    _after("file-extra", "A note.", ("notes.txt", "an extra file"), lambda f: (f / "notes.txt").write_text("hello")),
    _after(
        "file-renamed",
        "A capital.",
        (SNAKE, "it is missing"),
        lambda f: (f / SNAKE).rename(f / "episodes" / "Snake.jsonl.gz"),
    ),
    _after("file-emptied", "A record file is emptied.", (SNAKE, "SHA-256"), lambda f: (f / SNAKE).write_bytes(b"")),
    _after("file-changed", "One bit of a record file.", (SNAKE, "SHA-256"), _flipped(SNAKE)),
    _after("costs-changed", "One bit of the costs.", ("costs/trust", "SHA-256"), _flipped("costs/trust.jsonl.gz")),
    _after(
        "case-twin-path", "The same name in capitals.", ("SNAKE", "an extra file"), _beside("episodes/SNAKE.jsonl.gz")
    ),
    _after(
        "unicode-twin-path",
        "The same name in full-width letters.",
        ("\\uff53nake", "an extra file"),
        _beside("episodes/\uff53nake.jsonl.gz"),
    ),
    _after(
        "name-with-escapes",
        "A name that drives a terminal.",
        ("\\x1b[2J", "an extra file"),
        lambda f: (f / "\x1b[2J.txt").touch(),
    ),
    _after(
        "envelope-twice", "A second envelope.", ("bundle.dsse.json.bak",), lambda f: (f / f"{ENVELOPE}.bak").touch()
    ),
    _bad("line-endings-converted", "A README with CRLF.", ("README.md", "line endings"), _windows_line_endings),
    _bad(
        "signed-program",
        "A program comes along, signed.",
        ("run.py", "not to be signed"),
        signed(lambda parts: parts.extra.update({"run.py": b"print()"})),
    ),
    _bad(
        "memory-in-a-history-run",
        "Memories, signed, in a run that has none.",
        ("memory/snake", "not to be signed"),
        signed(lambda parts: parts.lines.update({"memory/snake.jsonl": []})),
    ),
    _bad(
        "memory-left-out-of-a-summary-run",
        "No memory file of Snake.",
        ("memory/snake", "it is missing"),
        signed(lambda parts: parts.lines.pop("memory/snake.jsonl"), "summary"),
    ),
    _bad(
        "game-left-out-of-the-files",
        "The files of one game are gone, and it is still named.",
        ("trust", "it is missing"),
        signed(lambda parts: [parts.lines.pop(f"{kind}/trust.jsonl") for kind in ("episodes", "costs")]),
    ),
    _bad("file-not-signed", "A record file is not on the list.", (SNAKE, "to be signed"), _list(_without(SNAKE))),
    _bad("file-listed-twice", "A file is listed twice.", ("subject", "each file once"), _list(lambda s: [*s, s[0]])),
    _bad("path-absolute", "/etc/passwd is listed.", ("'/etc/passwd'", "not to be signed"), _named("/etc/passwd")),
    _bad("path-to-a-parent", "A path that climbs.", ("'../out_evil/x'", "not to be signed"), _named("../out_evil/x")),
    _bad("path-of-windows", "A drive.", ("'C:\\\\x'", "not to be signed"), _named("C:\\x")),
    _bad("path-with-backslashes", "Backslashes that climb.", ("'a\\\\..\\\\..\\\\x'",), _named("a\\..\\..\\x")),
    _bad("path-ending-in-cr", "A name from a list with CRLF.", ("gz\\r'",), _named(f"{SNAKE}\r")),
    _bad(
        "content-digest-of-other-bytes",
        "The digests of the content are zeros.",
        ("costs/snake", "content with SHA-256 0000"),
        _digests(lambda entries: [*_zeroed(entries[:-1]), entries[-1]]),
    ),
    _bad("content-digest-left-out", "One is missing.", ("contents", "one content digest"), _digests(_without(CONTENT))),
    _bad("content-digest-twice", "One stands twice.", ("contents",), _digests(lambda entries: [*entries, entries[0]])),
    _bad("gzip-cut", "Four bytes off the end.", (SNAKE, "one that is cut"), _compressed(lambda data: data[:-4])),
    _bad("gzip-empty", "No byte at all.", (SNAKE, "one that is cut"), _compressed(lambda data: b"")),
    _bad("gzip-damaged", "A wrong checksum.", (SNAKE, "a damaged one"), _compressed(lambda d: d[:-8] + bytes(8))),
    _bad("gzip-not-compressed", "Plain text.", (SNAKE, "a damaged one"), _compressed(gzip.decompress)),
    _bad("gzip-and-junk", "Junk follows.", (SNAKE, "4 bytes after it"), _compressed(lambda data: data + b"junk")),
    _bad("gzip-twice", "A second member follows.", (SNAKE, "exactly one gzip member"), _compressed(lambda d: d + d)),
    Bad(
        "bomb",
        "files",
        "With the limits scaled down, 4 MB of zeros in 4 kB.",
        (SNAKE, "a ratio of 1000"),
        _compressed(lambda data: gzip.compress(bytes(4 << 20))),
        patches={"protocol.bundle.MAX_RATIO_FROM": 1 << 16, "protocol.bundle._CHUNK": 1 << 14},
    ),
    Bad(
        "content-too-large",
        "files",
        "With the limit scaled down, content of more bytes.",
        (SNAKE, "at most 100000 bytes of content"),
        _compressed(lambda data: gzip.compress(bytes(100_001))),
        patches={"protocol.bundle.MAX_CONTENT": 100_000},
    ),
    Bad(
        "file-grown-since-it-was-measured",
        "files",
        "With the limit scaled down, a record file that is larger than what is ever read.",
        ("costs/snake", "at most 100 bytes"),
        signed(lambda parts: None),
        patches={"scoring.checks.files.MAX_FILE": 100},
        good_passes=False,
    ),
)
