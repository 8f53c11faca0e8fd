"""Outputs that cannot take what they are told: another encoding, a reader that has gone, a full disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.runner.faults import ScriptedServer, completion, scripted
from tests.runner.scripted import uncompressed

GLYPHS = "← ↑ → 日本語 ♔♕♖♗ é \u2028 \U0001f600"
UTF_8 = {"PYTHONUTF8": "1"}
NARROW = [
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "cp1252"},
    {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii:strict"},
]


def s3gym(folder: Path, *words: str, env: Mapping[str, str], **streams: int) -> subprocess.CompletedProcess[bytes]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHONIO"))}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.run(
        [sys.executable, "-m", "s3gym", *words],
        cwd=folder,
        env={**clean, "NO_COLOR": "1", "COLUMNS": "200", **env},
        stdout=streams["stdout"],
        stderr=streams["stderr"],
        check=False,
    )


def run(folder: Path, server: ScriptedServer, *more: str) -> tuple[str, ...]:
    return ("run", "--model", "m", "--base-url", server.url, "--game", "trust", "--key", "keys/red.key", *more)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    made = s3gym(tmp_path, "keygen", "red", "--registry", "registered", env=UTF_8)
    assert made.returncode == 0, made.stderr
    return tmp_path


def test_RN_12_files_are_the_same_under_any_locale_and_printing_never_crashes(place: Path) -> None:
    """One run under UTF-8; one that is begun under one narrow locale and goes on under another."""
    with scripted(completion(f"{GLYPHS}\nAnswer: cheat {GLYPHS}, Score: 1")) as server:
        wide = s3gym(place, *run(place, server, "--entry", "e", "--out", "wide"), env=UTF_8)
        assert wide.returncode == 0, wide.stderr
        command = run(place, server, "--entry", "e", "--out", "narrow")
        paused = s3gym(place, *command, "--max-requests", "12", env=NARROW[0])
        assert paused.returncode == 3, paused.stderr
        finished = s3gym(place, *command, env=NARROW[1])
        assert finished.returncode == 0, finished.stderr
    assert uncompressed(place / "narrow/bundle") == uncompressed(place / "wide/bundle")
    lines = uncompressed(place / "narrow/bundle")["episodes/trust.jsonl.gz"].split(b"\n")[:-1]
    assert all(json.loads(line)["steps"][0]["reply"].startswith(GLYPHS) for line in lines)
    for env in NARROW:
        where = ["replay", "narrow/bundle", "--keys", "registered", "--episode", "trust strict-x0-0", "--step", "0"]
        shown = s3gym(place, *where, env=env)
        assert (shown.returncode, shown.stderr) == (0, b"")
        assert b"\\u65e5\\u672c" in shown.stdout


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_run_does_not_end_because_nobody_reads_its_progress(place: Path, unbuffered: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = ("run", "--model", "builtin:greedy", "--game", "trust", "--key", "keys/red.key", "--entry", "e")
    played = s3gym(place, *command, env={"PYTHONUNBUFFERED": unbuffered}, stderr=writing)
    os.close(writing)
    assert played.returncode == 0
    assert b"Signed bundle: runs" in played.stdout


def test_a_standard_output_that_takes_nothing_is_an_error_with_exit_2_and_the_bundle_stands(place: Path) -> None:
    command = ("run", "--model", "builtin:greedy", "--game", "trust", "--key", "keys/red.key", "--entry", "e")
    with Path("/dev/full").open("wb") as full:
        played = s3gym(place, *command, env=UTF_8, stdout=full.fileno())
    assert played.returncode == 2
    assert b"error: standard output: [Errno 28] No space left on device" in played.stderr
    assert b"Traceback" not in played.stderr
    assert (place / "runs" / "e" / "bundle").is_dir()


VERIFIED = ("verify", "runs/e/bundle", "--keys", "registered")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a bundle that is accepted."""
    folder = tmp_path_factory.mktemp("played")
    for command in (
        ("keygen", "red", "--registry", "registered"),
        ("run", "--model", "builtin:greedy", "--game", "trust", "--key", "keys/red.key", "--entry", "e"),
    ):
        done = s3gym(folder, *command, env=UTF_8)
        assert done.returncode == 0, done.stderr
    return folder


TELLING = [VERIFIED, (*VERIFIED, "--json"), ("score", *VERIFIED[1:], "--csv"), ("games", "--rules"), ("--help",)]
"""Commands that write at once and at their end, by Rich and by themselves, and Typer's own."""


@pytest.mark.parametrize("words", TELLING, ids=" ".join)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_pipe_that_nobody_reads_is_no_refusal(played: Path, words: tuple[str, ...], unbuffered: str) -> None:
    """Exit code 1 would say that the bundle is refused; 141 is what a shell says of a broken pipe."""
    reading, writing = os.pipe()
    os.close(reading)
    told = s3gym(played, *words, env={"PYTHONUNBUFFERED": unbuffered}, stdout=writing)
    os.close(writing)
    assert told.returncode == 141
    assert b"rror" not in told.stderr


def _without(folder: Path, closed: str, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Run the program from a shell that closes descriptors."""
    command = ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-m", "s3gym", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False)


@pytest.mark.parametrize("words", TELLING, ids=" ".join)
def test_a_standard_output_that_is_closed_ends_in_one_line(played: Path, words: tuple[str, ...]) -> None:
    told = _without(played, ">&-", *words)
    assert told.returncode == 2
    # An older Rich ends a bar that was never drawn with an empty line.
    lines = [line for line in told.stderr.splitlines() if line and b"accepted before by this scorer" not in line]
    (line,) = lines
    assert line.startswith(b"error: standard output: ")


def test_no_file_is_opened_in_the_place_of_a_closed_output(tmp_path: Path) -> None:
    """Else the first file that is opened would be descriptor 1 or 2, and hold what is printed."""
    told = _without(tmp_path, ">&- 2>&-", "keygen", "red")
    assert told.returncode == 2
    assert (tmp_path / "keys" / "red.key").read_bytes().startswith(b"-----BEGIN PRIVATE KEY-----")
    assert (tmp_path / "keys" / "red.json").read_bytes().startswith(b"{")


def test_a_standard_input_that_is_closed_is_one_that_has_ended(tmp_path: Path) -> None:
    told = _without(tmp_path, "<&-", "play", "trust", "--seed", "1")
    assert (told.returncode, told.stderr) == (0, b"")


def test_a_name_that_the_system_refuses_is_not_blamed_on_the_output(tmp_path: Path) -> None:
    long = "a" * 300
    named = s3gym(tmp_path, "keygen", long, "--registry", "registered", env=UTF_8)
    assert named.returncode == 2
    assert named.stderr.startswith(b"error: team: expected 1 to 64 ")
    folder = s3gym(tmp_path, "site", "serve", "--site", long, env=UTF_8)
    assert folder.returncode == 2
    assert b"error: [Errno 36] File name too long" in folder.stderr


def test_a_fault_of_our_own_is_told_whole_and_is_no_refusal() -> None:
    """Python's own exit code for an error that nobody caught is 1, which would say that a bundle was refused."""
    broken = "from s3gym.commands import verify; from s3gym import cli; verify.plain_errors = None; cli.main()"
    told = subprocess.run([sys.executable, "-c", broken, "verify", "nowhere"], capture_output=True, check=False)
    assert told.returncode == 2
    assert b"Traceback (most recent call last)" in told.stderr
