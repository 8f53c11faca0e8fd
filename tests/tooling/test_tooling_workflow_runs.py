"""The offered workflow, run step by step on pull requests to a repository of its own: honest ones and hostile ones."""

from __future__ import annotations

import gzip
import shutil
import sys
from pathlib import Path

import pytest

from protocol.bundle import MAX_FILE
from tests.bundles import KEY, Board
from tests.scoring.forge import Parts, forge
from tests.tooling.pull_requests import ENTRIES, LAID, Change, Host, Ran, code_of, run, shell, steps


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    return Board(tmp_path_factory.mktemp("bundles"))


@pytest.fixture(scope="module")
def host(board: Board, tmp_path_factory: pytest.TempPathFactory) -> Host:
    return Host(board, tmp_path_factory.mktemp("host"))


def adding(bundle: Path, name: str | None = None) -> Change:
    """Add an entry as a team does."""
    return lambda fork: shutil.copytree(bundle, fork / ENTRIES / (name or bundle.parent.name))


def entry(board: Board) -> Path:
    return board.bundle("history")


def then(*changes: Change) -> Change:
    def change(fork: Path) -> None:
        for each in changes:
            each(fork)

    return change


def writing(name: str, data: bytes) -> Change:
    def change(fork: Path) -> None:
        path = fork / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    return change


def checked(host: Host, change: Change, tmp_path: Path, onto: str | None = None) -> Ran:
    """Return what the workflow says of a pull request, and see that it left the board and all else alone."""
    ran = host.check(host.propose(change, onto), tmp_path / "workspace")
    assert {path.name for path in ran.workspace.iterdir()} <= {"board", "proposal", "changes.txt"}
    if (ran.workspace / "board").is_dir():
        assert run(ran.workspace / "board", "git", "status", "--porcelain", "--ignored=no") == ""
    assert "Traceback" not in ran.output
    return ran


def refused(ran: Ran, *words: str) -> None:
    assert ran.code == 1, ran.output
    for word in words:
        assert word in ran.output, ran.output
    assert "would be" not in ran.output
    assert "accepted" not in ran.output


def test_an_honest_entry_passes_by_the_code_of_the_base_branch(host: Host, board: Board, tmp_path: Path) -> None:
    ran = checked(host, adding(entry(board)), tmp_path)
    assert ran.code == 0, ran.output
    assert "accepted red-history by red" in ran.output
    where = f'PYTHONPATH="{code_of(ran.workspace)}" "{sys.executable}" -P -c "import scoring; print(scoring.__file__)"'
    assert shell(where, ran.workspace, {}).stdout.startswith(str(ran.workspace / "board"))


def test_two_honest_entries_pass_and_each_is_looked_at(host: Host, board: Board, tmp_path: Path) -> None:
    ran = checked(host, then(adding(entry(board)), adding(board.bundle("summary"))), tmp_path)
    assert ran.code == 0, ran.output
    assert "accepted red-history by red" in ran.output
    assert "accepted red-summary by red" in ran.output


def test_one_bad_entry_beside_an_honest_one_refuses_both(host: Host, board: Board, tmp_path: Path) -> None:
    def raise_a_score(parts: Parts) -> None:
        parts.episode().update(score=99.0)

    bad = forge(board.bundle("summary"), tmp_path / "bad", KEY, raise_a_score)
    ran = checked(host, then(adding(entry(board)), adding(bad, "red-summary")), tmp_path)
    assert ran.code == 1, ran.output
    assert "episodes/snake.jsonl.gz" in ran.output


def test_a_proposal_from_before_the_board_went_on_is_checked_against_the_board_as_it_is(
    host: Host, board: Board, tmp_path: Path
) -> None:
    before = host.base
    host.move_on(writing("docs/news.md", b"news\n"))
    ran = checked(host, adding(entry(board)), tmp_path, onto=before)
    assert ran.code == 0, ran.output


def test_a_key_that_comes_with_the_entry_it_signs_is_refused(host: Host, board: Board, tmp_path: Path) -> None:
    bad = forge(entry(board), tmp_path / "bad", KEY, lambda parts: parts.manifest.update(team="blue"))
    key = (board.keys / "red.json").read_bytes().replace(b'"red"', b'"blue"')
    both = then(adding(bad, "red-history"), writing("submissions/keys/blue.json", key))
    refused(checked(host, both, tmp_path), "submissions/keys/blue.json", "change nothing else")


@pytest.mark.parametrize(
    "path",
    [
        str(LAID),
        "scoring/verify.py",
        "submissions/log.jsonl",
        ".gitattributes",
    ],
)
def test_whatever_else_a_proposal_changes_it_is_refused_and_never_runs(
    host: Host, board: Board, tmp_path: Path, path: str
) -> None:
    """What is written there would say that all is well, and leave a trace."""
    trace = tmp_path / "trace"
    code = f"open({str(trace)!r}, 'w').write('ran')\nraise SystemExit(0)\n".encode()
    refused(checked(host, then(adding(entry(board)), writing(path, code)), tmp_path), path, "change nothing else")
    assert not trace.exists()


def test_an_entry_that_is_renamed_is_refused(host: Host, tmp_path: Path) -> None:
    first = ENTRIES / "red-first"
    refused(checked(host, lambda fork: (fork / first).rename(fork / ENTRIES / "red-mine"), tmp_path), "red-first")


def test_files_added_to_an_entry_that_is_there_are_refused(host: Host, tmp_path: Path) -> None:
    ran = checked(host, writing(f"{ENTRIES}/red-first/README.md", b"better\n"), tmp_path)
    assert ran.code, ran.output
    assert "red-first" in ran.output


@pytest.mark.parametrize("name", ["README.md", "episodes/snake.jsonl.gz"])
def test_BN_02_a_link_is_refused_and_what_it_points_to_is_not_read(
    host: Host, board: Board, tmp_path: Path, name: str
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hunter2")

    def link(fork: Path) -> None:
        path = fork / ENTRIES / "red-history" / name
        path.unlink(missing_ok=True)
        path.symlink_to(secret)

    ran = checked(host, then(adding(entry(board)), link), tmp_path)
    refused(ran, name, "a link")
    assert "hunter2" not in ran.output


def test_BN_02_an_entry_that_is_itself_a_link_is_refused(host: Host, board: Board, tmp_path: Path) -> None:
    def link(fork: Path) -> None:
        (fork / ENTRIES / "red-history").symlink_to(entry(board))

    refused(checked(host, link, tmp_path), "submissions/entries/red-history")


def test_BN_05_a_file_beyond_all_limits_is_refused_before_it_is_read(host: Host, board: Board, tmp_path: Path) -> None:
    def sparse(fork: Path) -> None:
        with (fork / ENTRIES / "red-history" / "costs" / "snake.jsonl.gz").open("r+b") as file:
            file.truncate(MAX_FILE + 1)

    ran = checked(host, then(adding(entry(board)), sparse), tmp_path)
    refused(ran, "costs/snake.jsonl.gz", f"at most {MAX_FILE} bytes")


def test_BN_05_a_small_file_with_a_large_content_is_refused(host: Host, board: Board, tmp_path: Path) -> None:
    bomb = gzip.compress(bytes(64 << 20))
    ran = checked(
        host, then(adding(entry(board)), writing(f"{ENTRIES}/red-history/costs/snake.jsonl.gz", bomb)), tmp_path
    )
    refused(ran, "costs/snake.jsonl.gz")


@pytest.mark.parametrize(
    "name",
    ["red\nhistory/x", "\x1b[2J/x", "red-history/a\\..\\..\\$(id)"],
)
def test_BN_01_SX_06_a_name_that_would_lead_elsewhere_or_drive_a_terminal_is_refused_in_plain_words(
    host: Host, board: Board, tmp_path: Path, name: str
) -> None:
    ran = checked(host, then(adding(entry(board)), writing(f"{ENTRIES}/{name}", b"x")), tmp_path)
    refused(ran)
    assert "\x1b" not in ran.output


def test_BN_01_a_tree_that_leaves_its_folder_is_never_checked_out(host: Host, board: Board, tmp_path: Path) -> None:
    """Git makes no such tree by itself; one that was made by hand ends the checkout, and so the run."""
    fork = host.folder / "fork"
    host.propose(adding(entry(board)))
    blob = run(fork, "git", "hash-object", "-w", "--stdin", data=b"escaped\n")
    raw = b"100644 escaped\x00" + bytes.fromhex(blob)
    for name in (b"..", b"entries", b"submissions"):
        tree = run(fork, "git", "hash-object", "-t", "tree", "-w", "--stdin", "--literally", data=raw)
        raw = b"40000 " + name + b"\x00" + bytes.fromhex(tree)
    tree = run(fork, "git", "hash-object", "-t", "tree", "-w", "--stdin", "--literally", data=raw)
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    head = run(fork, "git", *identity, "commit-tree", "-p", host.base, "-m", "up", tree)
    run(fork, "git", "push", "-q", "-f", "origin", f"{head}:refs/pull/7/head")
    ran = host.check(head, tmp_path / "workspace")
    assert ran.code, ran.output
    assert "s3gym" not in ran.output
    found = [path for path in tmp_path.rglob("escaped") if ".git" not in path.parts]
    assert found == []


def test_a_repository_within_the_proposal_is_refused(host: Host, board: Board, tmp_path: Path) -> None:
    """A submodule is a folder that is empty where nobody fetches it, and nobody does."""
    inner = tmp_path / "inner"
    inner.mkdir()
    run(inner, "git", "init", "-q", "-b", "main")
    (inner / "x").write_text("x")
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    run(inner, "git", *identity, "add", "-A")
    run(inner, "git", *identity, "commit", "-q", "-m", "x")

    def embed(fork: Path) -> None:
        head = run(inner, "git", "rev-parse", "HEAD")
        place = f"{ENTRIES}/red-history/more"
        run(fork, "git", "update-index", "--add", "--cacheinfo", f"160000,{head},{place}")

    fork = host.folder / "fork"
    host.propose(adding(entry(board)))
    embed(fork)
    run(fork, "git", *identity, "commit", "-q", "-m", "more")
    run(fork, "git", "push", "-q", "-f", "origin", "HEAD:refs/pull/7/head")
    ran = host.check(run(fork, "git", "rev-parse", "HEAD"), tmp_path / "workspace")
    refused(ran, "more")


def test_a_proposal_that_changes_nothing_is_refused(host: Host, tmp_path: Path) -> None:
    refused(checked(host, lambda fork: None, tmp_path), "a status and a path for every change")


def test_the_steps_that_are_run_are_those_of_the_file() -> None:
    """Two checkouts, an interpreter, the install that is left out here, the list of changes, the check."""
    kinds = [str(step["uses"]).split("@")[0] if "uses" in step else str(step["run"]).split()[0] for step in steps()]
    assert kinds == ["actions/checkout", "actions/checkout", "actions/setup-python", "python", "git", "s3gym"]
