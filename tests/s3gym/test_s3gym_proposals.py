"""Pull requests: what a team lays out passes what the organisers run, and nothing but a whole new entry does."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from protocol.errors import BundleError
from s3gym.pull_request import added_entries
from tests.s3gym.face import Face, play_greedy, refused


def laid_out(face: Face) -> Path:
    """Return a repository: a board on branch main, a proposal on top of it."""
    bundle = play_greedy(face)
    made = face("submit", str(bundle), "--submissions", "board", "--pull-request", "request")
    assert made.exit_code == 0, made.output
    repository = Path("repository")
    shutil.copytree("board", repository / "submissions")
    git("init", "-q", "-b", "main")
    commit("board")
    shutil.copytree("request/submissions", repository / "submissions", dirs_exist_ok=True)
    return repository


def git(*arguments: str) -> bytes:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "core.autocrlf=false"]
    return subprocess.run(["git", *identity, *arguments], cwd="repository", check=True, capture_output=True).stdout


def commit(message: str) -> None:
    git("add", "-A")
    git("commit", "-q", "-m", message)


def changes() -> str:
    """Write what git says of the proposal, as the workflow does."""
    commit("proposal")
    arguments = ("--no-ext-diff", "--no-textconv", "--no-renames", "--name-status", "-z", "main~1...main")
    Path("changes.txt").write_bytes(git("diff", *arguments))
    return "changes.txt"


def test_what_a_team_lays_out_the_organisers_take(face: Face) -> None:
    laid_out(face)
    text = Path("request/PULL_REQUEST.md").read_text()
    assert "Adds `submissions/entries/e/` and nothing else" in text
    proposed_line = json.loads(text.split("```json\n")[1].split("\n```")[0])
    checked = face("submissions", "proposed", "repository", "--changes", changes(), "--submissions", "board")
    assert checked.exit_code == 0, checked.output
    assert "accepted" in checked.output
    assert face("submit", "repository/submissions/entries/e", "--submissions", "board").exit_code == 0
    line = json.loads(Path("board/log.jsonl").read_text())
    differs = {"check", "claimed_time"}
    assert {k: v for k, v in line.items() if k not in differs} == {
        k: v for k, v in proposed_line.items() if k not in differs
    }


def test_a_team_and_the_organisers_get_the_same_verdict(face: Face) -> None:
    """Not the same words by luck: one function is behind both."""
    laid_out(face)
    path = Path("repository/submissions/entries/e/episodes/trust.jsonl.gz")
    path.write_bytes(path.read_bytes()[:-1] + b"\x01")
    own = face("submit", "repository/submissions/entries/e", "--submissions", "board", "--check")
    theirs = face("submissions", "proposed", "repository", "--changes", changes(), "--submissions", "board")
    refused(own, 1, "episodes/trust.jsonl.gz")
    refused(theirs, 1, "episodes/trust.jsonl.gz")
    assert own.stderr == theirs.stderr
    laid = face("submit", "repository/submissions/entries/e", "--submissions", "board")
    assert laid.stderr == own.stderr
    assert not Path("board/log.jsonl").exists()


@pytest.mark.parametrize(
    "path", ["submissions/log.jsonl", "submissions/keys/red.json", "pyproject.toml", "submissions/entries/loose.txt"]
)
def test_a_proposal_that_touches_anything_else_is_refused(face: Face, path: str) -> None:
    laid_out(face)
    (Path("repository") / path).write_text("mine")
    refused(
        face("submissions", "proposed", "repository", "--changes", changes(), "--submissions", "board"),
        1,
        path,
        "change nothing else",
    )


def test_an_entry_in_a_folder_of_another_name_is_refused(face: Face) -> None:
    laid_out(face)
    Path("repository/submissions/entries/e").rename("repository/submissions/entries/f")
    refused_ = face("submissions", "proposed", "repository", "--changes", changes(), "--submissions", "board")
    assert refused_.exit_code == 1
    assert "expected entry f, got entry e" in refused_.output


def test_a_link_is_not_followed(face: Face) -> None:
    laid_out(face)
    Path("elsewhere").mkdir()
    shutil.move("repository/submissions/entries/e", "elsewhere/e")
    Path("repository/submissions/entries/e").symlink_to(Path("elsewhere/e").absolute())
    refused(
        face("submissions", "proposed", "repository", "--changes", changes(), "--submissions", "board"), 1, "entries/e"
    )


@pytest.mark.parametrize(
    "listed",
    [
        b"",
        b"A",
        b"A\0",
        b"A\0submissions/entries/e/x",
        b"M\0submissions/entries/e/x\0",
        b"D\0submissions/entries/e/x\0",
        b"T\0submissions/entries/e/x\0",
        b"R100\0submissions/entries/e/x\0submissions/entries/f/x\0",
        b"A\0submissions/entries/e\0",
        b"A\0submissions/entries/../x\0",
        b"A\0submissions/entries/-e/x\0",
        b"A\0submissions/entries/\xff\xfe/x\0",
        b"A\0/submissions/entries/e/x\0",
        b"A\0submissions/entries/e/x\0\0",
        b"A\0submissions/entries/e/" + b"x" * (1 << 20) + b"\0",
    ],
)
def test_any_other_list_of_changes_is_refused(listed: bytes) -> None:
    with pytest.raises(BundleError):
        added_entries(listed)


def test_the_entries_of_a_list_are_named_once() -> None:
    listed = b"A\0submissions/entries/b/x\0A\0submissions/entries/a/x/y\0A\0submissions/entries/b/z\0"
    assert added_entries(listed) == ("a", "b")


def test_SX_01_a_bundle_with_a_key_in_it_is_warned_of_and_not_laid_out_unasked(face: Face) -> None:
    bundle = play_greedy(face, "--team", "red")
    manifest_model = "ask a.person@example.org"
    face("keygen", "blue", "--registry", "board/keys")
    run = ["run", "--model", "builtin:greedy", "--game", "trust", "--key", "keys/blue.key", "--entry", "leak"]
    assert face(*run).exit_code == 0
    assert bundle.is_dir()
    leak = Path("runs/leak/bundle")
    assert face("submit", str(leak), "--submissions", "board", "--check").output.count("warning:") == 0
    from protocol.signing import load_key
    from tests.scoring.forge import forge

    key = load_key(Path("keys/blue.key").read_bytes())
    bad = forge(leak, Path("bad"), key, lambda parts: parts.manifest.update(model=manifest_model))
    checked = face("submit", str(bad), "--submissions", "board", "--check")
    assert checked.exit_code == 0
    assert "looks like an e-mail address: a.pe..." in checked.stderr
    assert "a.person@example.org" not in checked.stderr
    out = ["submit", str(bad), "--submissions", "board", "--pull-request", "request"]
    stopped = face(*out)
    assert stopped.exit_code == 2
    assert "--allow-findings" in stopped.stderr
    assert not Path("request").exists()
    assert face(*out, "--allow-findings").exit_code == 0
