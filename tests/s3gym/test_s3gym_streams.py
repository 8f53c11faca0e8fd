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
