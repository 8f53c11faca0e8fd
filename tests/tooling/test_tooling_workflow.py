"""The workflow that the docs offer: what a stranger proposes is data to it, and it can write nothing."""

import re
from pathlib import Path
from typing import NamedTuple

from tests.tooling.pull_requests import WORKFLOW as PATH
from tests.tooling.pull_requests import Value, job_of, steps, table, whole_of
from tests.tooling.tree import ROOT

TEXT = PATH.read_text(encoding="utf-8")


class Parts(NamedTuple):
    """The parts that are looked at."""

    whole: dict[str, Value]
    job: dict[str, Value]
    steps: list[dict[str, Value]]


def parts() -> Parts:
    return Parts(whole_of(), job_of(), steps())


def test_it_runs_on_pull_request_alone() -> None:
    """`pull_request_target` would give a stranger's change the rights of the repository."""
    assert list(table(parts().whole["on"])) == ["pull_request"]
    assert "pull_request_target" not in TEXT
    assert "workflow_run" not in TEXT


def test_its_token_reads_and_no_more_and_no_secret_is_used() -> None:
    found = parts()
    assert found.whole["permissions"] == {"contents": "read"}
    assert "permissions" not in found.job
    assert "secrets." not in TEXT
    assert "github.token" not in TEXT


def test_every_action_is_pinned_by_its_commit_and_says_which_version_that_is() -> None:
    uses = re.findall(r"uses: (.*)", TEXT)
    assert len(uses) == 3
    for each in uses:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each), each


def test_no_text_of_the_pull_request_reaches_a_shell_but_through_the_environment() -> None:
    for step in parts().steps:
        assert "${{" not in str(step.get("run", ""))
        assert "shell" not in step
    given = re.findall(r"\$\{\{ (.*?) \}\}", TEXT)
    assert set(given) == {
        "github.event.pull_request.number",
        "github.event.pull_request.base.sha",
        "github.event.pull_request.head.sha",
    }


def test_checkouts_keep_no_credential_and_the_proposal_is_checked_out_once_apart() -> None:
    checkouts = {}
    for step in parts().steps:
        if str(step.get("uses", "")).startswith("actions/checkout@"):
            given = table(step["with"])
            assert given["persist-credentials"] == "false"
            assert not {"submodules", "lfs", "token", "ssh-key"} & given.keys()
            checkouts[str(given["path"])] = str(given["ref"])
    assert checkouts == {
        "board": "${{ github.event.pull_request.base.sha }}",
        "proposal": "${{ github.event.pull_request.head.sha }}",
    }


def test_everything_that_runs_comes_from_the_base_branch() -> None:
    """No step works inside the proposal; git is asked of it with everything off that could run a program."""
    for step in parts().steps:
        folder = str(step.get("working-directory", ""))
        assert folder in ("", "board")
        for line in str(step.get("run", "")).splitlines():
            words = line.split()
            if words[0] == "git":
                assert words[:4] == ["git", "-C", "proposal", "diff"]
                assert {"--no-ext-diff", "--no-textconv", "--no-renames"} <= set(words)
            elif words[0] == "python":
                assert words[:4] == ["python", "-m", "pip", "install"]
                assert folder == "board"
                assert "--require-hashes" in words or {"--no-deps", "--no-build-isolation", "."} <= set(words)
            else:
                assert words == ["s3gym", "submissions", "proposed", "../proposal", "--changes", "../changes.txt"]
                assert folder == "board"


def test_what_it_installs_exists_here() -> None:
    for name in re.findall(r"-r (\S+)", TEXT):
        lock = (ROOT / name).read_text(encoding="utf-8")
        for needed in ("setuptools==", "wheel==", "pydantic==", "securesystemslib=="):
            assert needed in lock, f"{name}: {needed}"


def test_every_key_is_one_that_the_host_knows_and_every_step_does_one_thing() -> None:
    found = parts()
    assert found.whole.keys() == {"name", "on", "permissions", "concurrency", "jobs"}
    assert found.job.keys() == {"runs-on", "timeout-minutes", "steps"}
    for step in found.steps:
        assert step.keys() <= {"name", "uses", "with", "run", "env", "working-directory"}
        assert ("uses" in step) != ("run" in step)
        assert ("with" in step) <= ("uses" in step)
        assert not {"continue-on-error", "if"} & step.keys()


def test_it_ends_in_bounded_time() -> None:
    assert int(str(parts().job["timeout-minutes"])) <= 120
    assert Path(PATH).suffix == ".yml"
