"""Submissions: accepted whole or not at all, in an order that the log proves."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from protocol.bundle import ENVELOPE, list_files
from protocol.errors import BundleError
from runner.models.builtin import Builtin
from scoring.acceptance import LOG, Happening, append_log, read_log
from scoring.submitting import ENTRIES, examine, lay_in, submit, submitted
from scoring.verify import RefusedError
from tests.bundles import KEY, Board
from tests.scoring.forge import Fields, forge


@pytest.fixture
def submissions(board: Board, tmp_path: Path) -> Path:
    folder = tmp_path / "submissions"
    shutil.copytree(board.keys, folder / "keys")
    return folder


def test_an_accepted_bundle_is_laid_in_byte_for_byte_with_a_log_line(board: Board, submissions: Path) -> None:
    bundle = board.bundle("history")
    verified, line = submit(bundle, submissions)
    (laid,) = submitted(submissions)
    assert laid.name == "red-history"
    assert {name: (laid / name).read_bytes() for name in list_files(laid)} == {
        name: (bundle / name).read_bytes() for name in list_files(bundle)
    }
    assert read_log(submissions / LOG) == (line,)
    assert (line.position, line.action) == (0, "accepted")
    assert (line.subject.entry, line.subject.bundle_digest) == ("red-history", verified.digest)


def test_a_refused_bundle_leaves_nothing_behind(board: Board, submissions: Path, tmp_path: Path) -> None:
    bad = forge(board.bundle("history"), tmp_path / "bad", KEY, lambda parts: parts.step().update(reward=9.0))
    with pytest.raises(RefusedError):
        submit(bad, submissions)
    assert submitted(submissions) == ()
    assert not (submissions / LOG).exists()


def _other_byte(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))


def _linked(path: Path) -> None:
    other = path.rename(path.parents[2] / "elsewhere")
    path.symlink_to(other)


CHANGES: dict[str, Callable[[Path], object]] = {
    "the envelope": lambda bundle: _other_byte(bundle / ENVELOPE),
    "a record file": lambda bundle: _other_byte(bundle / "costs" / "snake.jsonl.gz"),
    "a file gone": lambda bundle: (bundle / "episodes" / "snake.jsonl.gz").unlink(),
    "a file more": lambda bundle: (bundle / "notes.txt").write_text("not signed"),
    "a link": lambda bundle: _linked(bundle / "costs" / "snake.jsonl.gz"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_between_verification_and_copy_is_never_laid_in(
    board: Board, submissions: Path, tmp_path: Path, change: str
) -> None:
    bundle = shutil.copytree(board.bundle("history"), tmp_path / "bundle")
    examined = examine(bundle, submissions)
    CHANGES[change](bundle)
    with pytest.raises(ValueError, match="changed while it was submitted; nothing was accepted"):
        lay_in(bundle, submissions, examined)
    assert submitted(submissions) == ()
    assert not (submissions / LOG).exists()
    assert not any((submissions / ENTRIES).glob("*"))


def test_an_entry_is_never_replaced(board: Board, submissions: Path) -> None:
    submit(board.bundle("history"), submissions)
    with pytest.raises(ValueError, match="expected a new entry"):
        submit(board.bundle("history"), submissions)
    assert len(read_log(submissions / LOG)) == 1


def test_the_log_is_a_chain(board: Board, submissions: Path) -> None:
    submit(board.bundle("history"), submissions)
    submit(board.bundle("summary"), submissions)
    first, second = (submissions / LOG).read_bytes().splitlines()
    import hashlib

    assert json.loads(first)["previous"] == "0" * 64
    assert json.loads(second)["previous"] == hashlib.sha256(first).hexdigest()


@pytest.mark.parametrize("change", ["edit", "drop", "swap", "cut"])
def test_a_changed_log_is_refused_and_nothing_is_appended(board: Board, submissions: Path, change: str) -> None:
    submit(board.bundle("history"), submissions)
    _, line = submit(board.bundle("summary"), submissions)
    verified_subject = line.subject.model_copy(update={"entry": "other"})
    log = submissions / LOG
    first, second = log.read_bytes().splitlines(keepends=True)
    changed = {
        "edit": first.replace(b"red-history", b"red-histori") + second,
        "drop": second,
        "swap": second + first,
        "cut": first + second[:-10],
    }[change]
    log.write_bytes(changed)
    with pytest.raises(BundleError, match=r"log\.jsonl"):
        append_log(log, Happening("accepted", verified_subject))
    assert log.read_bytes() == changed


def test_a_player_that_saw_the_true_state_is_never_submitted(board: Board, submissions: Path, tmp_path: Path) -> None:
    endpoint: Fields = {"kind": "builtin", "model": "oracle", "context_tokens": None}
    bundle = forge(
        board.bundle("history"), tmp_path / "oracle", KEY, lambda parts: parts.manifest.update(endpoint=endpoint)
    )
    with pytest.raises(ValueError, match="never submitted"):
        submit(bundle, submissions)
    assert Builtin("greedy").endpoint.kind == "builtin"
