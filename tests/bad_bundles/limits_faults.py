"""Faults that step 0 must find: what lies in the folder, by names, kinds and sizes alone."""

from __future__ import annotations

import os
from pathlib import Path

from protocol.bundle import ENVELOPE, MAX_ENVELOPE, MAX_FILES, MAX_README, README
from tests.bad_bundles.bad import Bad, Spoil, signed, spoiled
from tests.bad_bundles.good import Good

SNAKE = "episodes/snake.jsonl.gz"


def _nothing(good: Good, target: Path) -> Path:
    target.mkdir()
    return target


def _symlink(folder: Path) -> None:
    (folder / SNAKE).rename(folder.parent / "outside")
    (folder / SNAKE).symlink_to(folder.parent / "outside")


def _symlinked_folder(folder: Path) -> None:
    (folder / "episodes").rename(folder.parent / "elsewhere")
    (folder / "episodes").symlink_to(folder.parent / "elsewhere", target_is_directory=True)


def _hard_link(folder: Path) -> None:
    (folder.parent / "outside").hardlink_to(folder / SNAKE)


def _many(folder: Path) -> None:
    for number in range(MAX_FILES):
        (folder / f"{number}.txt").touch()


def _bad(name: str, changed: str, says: tuple[str, ...], spoil: Spoil) -> Bad:
    return Bad(name, "limits", changed, says, spoiled(spoil))


FAULTS = (
    Bad("nothing-at-all", "limits", "An empty folder.", (ENVELOPE, "no such file"), _nothing),
    _bad("no-envelope", "The envelope is taken away.", (ENVELOPE, "no such file"), lambda f: (f / ENVELOPE).unlink()),
    _bad(
        "envelope-too-large",
        "Blanks are appended to the envelope.",
        (ENVELOPE, f"at most {MAX_ENVELOPE} bytes"),
        lambda f: (f / ENVELOPE).write_bytes((f / ENVELOPE).read_bytes() + b" " * MAX_ENVELOPE),
    ),
    Bad(
        "readme-too-large",
        "limits",
        "A README of more than a megabyte, signed.",
        ("README.md", f"at most {MAX_README} bytes"),
        signed(lambda parts: parts.extra.update({README: bytes(MAX_README + 1)})),
    ),
    Bad(
        "record-file-too-large",
        "limits",
        "With the limit scaled down, a record file of more bytes.",
        ("snake", "at most 400 bytes"),
        spoiled(lambda f: (f / SNAKE).write_bytes(b"x" * 401)),
        patches={"scoring.checks.limits.MAX_FILE": 400},
        good_passes=False,
    ),
    Bad(
        "bundle-too-large",
        "limits",
        "With the limit scaled down, files that are too large together.",
        ("at most 20000 bytes in all files",),
        spoiled(lambda f: (f / "README.md").write_bytes(bytes(20_000))),
        patches={"scoring.checks.limits.MAX_BUNDLE": 20_000},
    ),
    _bad("too-many-files", "More files than any bundle has.", (f"at most {MAX_FILES} files",), _many),
    _bad(
        "folders-too-deep",
        "A folder in a folder in a folder.",
        ("at most two levels",),
        lambda f: (f / "episodes" / "a" / "b").mkdir(parents=True),
    ),
    _bad(
        "empty-extra-folder",
        "A folder that holds nothing.",
        ("pictures", "no empty folder"),
        lambda f: (f / "pictures").mkdir(),
    ),
    _bad("symbolic-link", "A record file is a link to one outside.", ("snake", "a regular file", "a link"), _symlink),
    _bad(
        "symbolic-link-to-a-folder",
        "The folder of the episodes is a link.",
        ("episodes", "a regular file", "a link"),
        _symlinked_folder,
    ),
    _bad("hard-link", "A record file has a second name outside.", ("snake", "a regular file", "a link"), _hard_link),
    _bad(
        "named-pipe",
        "A pipe lies among the files.",
        ("a regular file", "a special file"),
        lambda f: os.mkfifo(f / "pipe"),
    ),
)
