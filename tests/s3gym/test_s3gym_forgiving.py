"""What nearly is what a command wants: taken where it is clear what is meant, else answered with what may be meant."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.bundles import Board
from tests.s3gym.face import Face, play_greedy, refused

BUNDLES = [
    ("verify", "{}", "--keys", "{keys}"),
    ("score", "{}", "--keys", "{keys}"),
    ("compare", "{}", "{}", "--keys", "{keys}"),
    ("report", "{}", "--keys", "{keys}"),
    ("replay", "{}", "--keys", "{keys}"),
    ("submit", "{}", "--submissions", "{board}"),
]
"""Every command that takes bundles."""
every_command = pytest.mark.parametrize("command", BUNDLES, ids=lambda command: command[0])


def filled(command: tuple[str, ...], board: Board, place: str) -> list[str]:
    return [word.format(place, keys=board.keys, board=board.keys.parent) for word in command]


@pytest.fixture
def runs(board: Board, tmp_path: Path) -> Path:
    """Return a folder with two finished runs and one that is not."""
    for name in ("one", "two"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "journal.jsonl").write_bytes(b"")
        shutil.copytree(board.bundle("history"), tmp_path / "runs" / name / "bundle")
    (tmp_path / "runs" / "three").mkdir()
    (tmp_path / "runs" / "three" / "journal.jsonl").write_bytes(b"")
    return tmp_path / "runs"


@pytest.mark.parametrize(
    "command", [each for each in BUNDLES if each[0] not in ("compare", "submit")], ids=lambda c: c[0]
)
def test_a_run_folder_stands_for_the_bundle_in_it(
    face: Face, board: Board, runs: Path, command: tuple[str, ...]
) -> None:
    inner = face(*filled(command, board, "runs/one/bundle"))
    outer = face(*filled(command, board, "runs/one"))
    assert inner.exit_code == outer.exit_code == 0, outer.output
    assert outer.stdout == inner.stdout


def test_a_run_folder_is_submitted_and_compared(face: Face, board: Board, runs: Path) -> None:
    shutil.copytree(board.keys, "board/keys")
    assert face("submit", "runs/one", "--submissions", "board").exit_code == 0
    shutil.rmtree("runs/two/bundle")
    shutil.copytree(board.bundle("summary"), "runs/two/bundle")
    compared = face("compare", "runs/one", "runs/two", "--keys", str(board.keys))
    assert compared.exit_code == 0, compared.output


@every_command
def test_a_folder_of_runs_is_no_bundle_and_nothing_is_to_be_removed(
    face: Face, board: Board, runs: Path, command: tuple[str, ...]
) -> None:
    result = face(*filled(command, board, "runs"))
    refused(result, 2, "got a folder that holds 2: runs", "point at one of runs/one, runs/two")
    assert "emove" not in result.output


@every_command
def test_a_part_of_a_bundle_leads_to_the_whole(face: Face, board: Board, runs: Path, command: tuple[str, ...]) -> None:
    for part in ("bundle.dsse.json", "episodes"):
        result = face(*filled(command, board, f"runs/one/bundle/{part}"))
        refused(result, 2, f"got a part of one: runs/one/bundle/{part}; point at runs/one/bundle")
        assert "emove" not in result.output


@every_command
def test_a_run_that_is_not_finished_is_called_so(
    face: Face, board: Board, runs: Path, command: tuple[str, ...]
) -> None:
    refused(face(*filled(command, board, "runs/three")), 2, "a run that is not finished: runs/three", "again")


def test_a_board_leads_to_its_entries(face: Face, board: Board, runs: Path) -> None:
    shutil.copytree(board.keys, "board/keys")
    assert face("submit", "runs/one", "--submissions", "board").exit_code == 0
    (entry,) = Path("board/entries").iterdir()
    for place in ("board", "board/entries"):
        refused(face("verify", place, "--keys", str(board.keys)), 2, f"point at one of {entry}")


def test_without_keys_or_a_board_the_message_names_the_flag(face: Face, board: Board) -> None:
    bundle = str(board.bundle("history"))
    for command in ("verify", "score", "report", "replay"):
        refused(face(command, bundle), 2, "submissions/keys", "--keys")
    for words in (("site", "build"), ("submit", bundle), ("log", "verify")):
        refused(face(*words), 2, "submissions", "point at", "--submissions")


@pytest.mark.parametrize(("out", "more"), [("a run's/ëx", ()), ("-x", ()), ("plain", ("--protocol", "my own.toml"))])
def test_the_command_at_the_end_of_a_run_can_be_pasted(face: Face, out: str, more: tuple[str, ...]) -> None:
    """As a shell reads it, in the folder in which the run was started."""
    assert face("keygen", "red").exit_code == 0
    assert face("round", "new", "my-1", "--from", "smoke-1").exit_code == 0
    Path("my-1.toml").rename("my own.toml")
    words = ("--model", "builtin:greedy", "--game", "trust", "--key", "keys/red.key", f"--out={out}", *more)
    played = face("run", *words)
    assert played.exit_code == 0, played.output
    (line,) = re.findall(r"^Check it alone: s3gym (.*)$", played.stdout, re.MULTILINE)
    checked = face(*shlex.split(line))
    assert checked.exit_code == 0, checked.output


def test_the_command_at_the_end_of_a_run_says_what_it_lacks(face: Face) -> None:
    """The registration lies where nobody can guess."""
    bundle = play_greedy(face)
    again = face("run", "--model", "builtin:greedy", "--game", "trust", "--key", "keys/red.key", "--entry", "f")
    assert "(KEYS is the folder with the registration red.json): s3gym verify runs/f/bundle --keys KEYS" in again.stdout
    assert face("verify", str(bundle), "--keys", "board/keys").exit_code == 0


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("run", "--game", "snke"), "snake"),
        (("play", "tetrs"), "tetris"),
        (("games", "Plants vs Zombies"), "pvz"),
        (("run", "--pathway", "histroy"), "history"),
        (("run", "--summary-mode", "recusive"), "recursive"),
        (("run", "--protocol", "pocket1"), "pocket-1"),
        (("round", "new", "x-1", "--from", "Paper-l"), "paper-1"),
        (("run", "--model", "gredy"), "builtin:greedy"),
        (("run", "--model", "builtin:lerner"), "builtin:learner"),
        (("run", "--model", "embeded:smollm2"), "embedded:smollm2"),
        (("doctor", "--pathway", "sumary"), "summary"),
    ],
)
def test_a_name_that_is_nearly_one_gets_it(face: Face, words: tuple[str, ...], meant: str) -> None:
    face("keygen", "team")
    refused(face(*words), 2, f"did you mean {meant}?")


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("localhost:9", "http://localhost:9"),
        ("127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("vllm:8000", "http://vllm:8000"),
        ("api.example.com/v1", "https://api.example.com/v1"),
    ],
)
def test_a_host_without_a_scheme_gets_one(face: Face, given: str, meant: str) -> None:
    face("keygen", "team")
    refused(face("run", "--model", "m", "--base-url", given), 2, f"did you mean {meant}?")
    assert f"did you mean {meant}?" in face("doctor", "--model", "m", "--base-url", given, "--no-samples").output


@pytest.mark.parametrize(
    "given", ["sk-proj-abcdef0123456789", "sk-abc.def", "user:secret@localhost:9", "eyJhbGci.eyJzd", "x:y"]
)
def test_what_may_be_a_secret_is_not_repeated(face: Face, given: str) -> None:
    result = face("run", "--model", "m", "--base-url", given)
    refused(result, 2, "give it as in http://localhost:8000/v1")
    assert given not in result.output
