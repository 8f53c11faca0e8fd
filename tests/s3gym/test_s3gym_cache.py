"""The cache at the command line: it spares replaying, is told, can be left out, and is never in the way."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from s3gym.caching import cache_folder
from tests.bundles import KEY, Board
from tests.s3gym.face import Face, refused
from tests.scoring.forge import forge

KNOWN = "1 of 1 accepted before"


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the cache of one test."""
    monkeypatch.setenv("S3GYM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def entries(own: Path) -> list[Path]:
    return list(own.rglob("*.json"))


def test_a_second_score_says_the_same_and_that_the_bundle_was_known(face: Face, board: Board) -> None:
    call = ("score", str(board.bundle("history")), "--keys", str(board.keys))
    first, second = face(*call), face(*call)
    assert first.exit_code == second.exit_code == 0
    assert KNOWN not in first.output
    assert KNOWN in second.stderr
    assert first.stdout == second.stdout


def test_json_and_csv_are_the_same_bytes_with_and_without_the_cache(face: Face, board: Board) -> None:
    call = ("score", str(board.bundle("history")), "--keys", str(board.keys))
    for form in ("--json", "--csv"):
        fresh = face(*call, form, "--no-cache").stdout
        assert face(*call, form).stdout == face(*call, form).stdout == fresh


def test_without_a_cache_nothing_is_written(face: Face, board: Board, own: Path) -> None:
    face("score", str(board.bundle("history")), "--keys", str(board.keys), "--no-cache")
    assert not own.exists()


def test_verify_replays_unless_told_otherwise(face: Face, board: Board, own: Path) -> None:
    call = ("verify", str(board.bundle("history")), "--keys", str(board.keys))
    assert "from the cache" not in face(*call).output
    assert not own.exists()
    assert "from the cache" not in face(*call, "--cache").output
    assert "from the cache" not in face(*call).output
    known = face(*call, "--cache")
    assert known.exit_code == 0
    assert "from the cache" in known.output
    assert face(*call, "--cache", "--json").stdout == face(*call, "--json").stdout


def test_a_forged_bundle_is_refused_with_a_warm_cache(face: Face, board: Board, tmp_path: Path) -> None:
    face("score", str(board.bundle("history")), "--keys", str(board.keys))
    bad = forge(board.bundle("history"), tmp_path / "bad", KEY, lambda parts: parts.step().update(reward=9.0))
    for command in (("verify", "--cache"), ("score",)):
        for _ in range(2):
            refused(face(*command, str(bad), "--keys", str(board.keys)), 1, "replay")


def test_a_site_is_built_from_the_verification_of_the_submission(face: Face, board: Board, own: Path) -> None:
    submissions = board.keys.parent
    face("submit", str(board.bundle("history")), "--submissions", str(submissions))
    first = face("site", "build", "--submissions", str(submissions), "--out", "one")
    second = face("site", "build", "--submissions", str(submissions), "--out", "two")
    third = face("site", "build", "--submissions", str(submissions), "--out", "three", "--no-cache")
    assert [each.exit_code for each in (first, second, third)] == [0, 0, 0], first.exception
    assert [KNOWN in each.stderr for each in (first, second, third)] == [True, True, False]
    pages = [{path.name: path.read_bytes() for path in Path(name).rglob("*.html")} for name in ("one", "two", "three")]
    assert pages[0] == pages[1] == pages[2]


def test_submit_always_verifies(face: Face, board: Board, own: Path, tmp_path: Path) -> None:
    bundle = board.bundle("summary")
    face("score", str(bundle), "--keys", str(board.keys))
    before = {path: path.read_bytes() for path in entries(own)}
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "keys").symlink_to(board.keys)
    assert face("submit", str(bundle), "--submissions", str(tmp_path / "s")).exit_code == 0
    assert {path: path.read_bytes() for path in entries(own)} == before


def test_a_folder_that_others_may_write_to_is_told_and_not_used(face: Face, board: Board, own: Path) -> None:
    own.mkdir()
    own.chmod(0o777)
    result = face("score", str(board.bundle("history")), "--keys", str(board.keys))
    assert result.exit_code == 0
    assert "without a cache" in result.stderr
    assert entries(own) == []


def test_stats_and_prune_tell_what_is_there(face: Face, board: Board, own: Path) -> None:
    face("score", str(board.bundle("history")), "--keys", str(board.keys))
    assert "entries of this scorer: 1" in face("cache", "stats").stdout
    entries(own)[0].write_bytes(b"{}")
    assert "asked for: 1" in face("cache", "stats").stdout
    assert "removed: 1" in face("cache", "prune").stdout
    face("score", str(board.bundle("history")), "--keys", str(board.keys))
    assert "removed: 0" in face("cache", "prune").stdout
    assert "removed: 1" in face("cache", "prune", "--all").stdout
    assert face("cache", "path").stdout.strip() == str(own)


@pytest.mark.parametrize(
    ("own", "base", "folder"),
    [
        ("/a/own", "/a/base", "/a/own"),
        (None, "/a/base", "/a/base/s3gym"),
        ("", "/a/base", "/a/base/s3gym"),
        (None, "relative", "/home/me/.cache/s3gym"),
        (None, None, "/home/me/.cache/s3gym"),
    ],
)
def test_the_folder_is_ours_then_that_of_the_desktop_then_the_homes(
    monkeypatch: pytest.MonkeyPatch, own: str | None, base: str | None, folder: str
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    for name, value in (("S3GYM_CACHE", own), ("XDG_CACHE_HOME", base)):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    assert cache_folder() == Path(folder)


def test_a_cache_that_cannot_be_used_stops_no_submission(face: Face, board: Board, tmp_path: Path, own: Path) -> None:
    own.write_text("not a folder")
    shutil.copytree(board.keys, tmp_path / "place" / "keys")
    submitted = face("submit", str(board.bundle("history")), "--submissions", "place")
    assert submitted.exit_code == 0, submitted.output
    assert "without a cache" in submitted.output
