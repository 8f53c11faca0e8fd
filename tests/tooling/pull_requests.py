"""A board's repository as a code host keeps it, and the offered workflow's own steps run on a pull request to it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import yaml  # type: ignore[import-untyped]  # it carries no types

from scoring.submitting import submit
from tests.bundles import Board
from tests.tooling.tree import ROOT

WORKFLOW = ROOT / "docs" / "how-to" / "ci" / "submission.yml"
LAID = Path(".github/workflows/submission.yml")
ENTRIES = Path("submissions/entries")
Change = Callable[[Path], object]
"""Change a checkout; what it leaves is committed."""
Value = str | list["Value"] | dict[str, "Value"]


class Ran(NamedTuple):
    """What came of a run of the workflow."""

    code: int
    output: str
    workspace: Path


def table(value: Value) -> dict[str, Value]:
    """Return a table of the workflow."""
    assert isinstance(value, dict)
    return value


def whole_of() -> dict[str, Value]:
    """Return the workflow."""
    # The base loader makes nothing but text, lists and tables, so that the key `on` stays a text.
    return table(yaml.load(WORKFLOW.read_text(encoding="utf-8"), Loader=yaml.BaseLoader))


def job_of() -> dict[str, Value]:
    """Return its one job."""
    (job,) = table(whole_of()["jobs"]).values()
    return table(job)


def steps() -> list[dict[str, Value]]:
    """Return the steps of that job."""
    found = job_of()["steps"]
    assert isinstance(found, list)
    return [table(step) for step in found]


class Host:
    """A bare repository whose main branch holds this project, the workflow, and a board with one entry."""

    def __init__(self, board: Board, folder: Path) -> None:
        self.folder = folder
        self.bare = folder / "board.git"
        self.clone = folder / "organiser"
        run(folder, "git", "init", "-q", "--bare", "-b", "main", str(self.bare))
        # As code hosts do, so that a pull request's commit can be fetched by its digest.
        run(self.bare, "git", "config", "uploadpack.allowAnySHA1InWant", "true")
        run(folder, "git", "clone", "-q", str(self.bare), str(self.clone))
        for name in ("games", "protocol", "runner", "scoring", "s3gym", "site", "pyproject.toml"):
            source = ROOT / name
            ignored = shutil.ignore_patterns("__pycache__")
            if source.is_dir():
                shutil.copytree(source, self.clone / name, ignore=ignored)
            else:
                shutil.copy(source, self.clone / name)
        (self.clone / LAID).parent.mkdir(parents=True)
        shutil.copy(WORKFLOW, self.clone / LAID)
        submissions = self.clone / "submissions"
        shutil.copytree(board.keys, submissions / "keys")
        submit(board.bundle("history", entry="red-first"), submissions)
        self.base = commit(self.clone, "main")

    def propose(self, change: Change, onto: str | None = None) -> str:
        """Return the commit of a pull request from a fork, as the host offers it."""
        fork = self.folder / "fork"
        shutil.rmtree(fork, ignore_errors=True)
        run(self.folder, "git", "clone", "-q", str(self.bare), str(fork))
        run(fork, "git", "checkout", "-q", "-B", "proposal", onto or self.base)
        change(fork)
        return commit(fork, "HEAD:refs/pull/7/head")

    def move_on(self, change: Change) -> str:
        """Change the main branch itself, and return its commit."""
        change(self.clone)
        self.base = commit(self.clone, "main")
        return self.base

    def check(self, head: str, workspace: Path) -> Ran:
        """Run the workflow on a pull request: its own steps, in its own order, in an empty workspace.

        The actions do here what their settings ask for; dependencies are those of this interpreter.
        """
        workspace.mkdir()
        event = {
            "github.event.pull_request.base.sha": self.base,
            "github.event.pull_request.head.sha": head,
            "github.event.pull_request.number": "7",
        }
        output = ""
        for step in steps():
            if "uses" in step:
                done = self._act(step, event, workspace)
            elif "pip install" in str(step["run"]):
                continue
            else:
                done = _run_step(step, event, workspace)
            output += done.stdout
            if done.returncode:
                return Ran(done.returncode, output, workspace)
        return Ran(0, output, workspace)

    def _act(self, step: dict[str, Value], event: dict[str, str], workspace: Path) -> subprocess.CompletedProcess[str]:
        if not str(step["uses"]).startswith("actions/checkout@"):
            assert str(step["uses"]).startswith("actions/setup-python@")
            return subprocess.CompletedProcess([], 0, "")
        given = table(step["with"])
        folder, ref = workspace / str(given["path"]), filled(str(given["ref"]), event)
        depth = str(given.get("fetch-depth", "1"))
        wanted = [ref] if depth == "1" else [ref, "+refs/heads/*:refs/remotes/origin/*"]
        shallow = ["--depth=1"] if depth == "1" else []
        script = " && ".join(
            (
                f"git init -q {folder}",
                f"cd {folder}",
                f"git fetch -q --no-recurse-submodules {' '.join(shallow)} {self.bare.as_uri()} {' '.join(wanted)}",
                f"git checkout -q --detach {ref}",
            )
        )
        return shell(script, workspace, {})


def _run_step(step: dict[str, Value], event: dict[str, str], workspace: Path) -> subprocess.CompletedProcess[str]:
    """Run a step's script as the host does: with bash, ending at the first failure."""
    commands = workspace.parent / f"{workspace.name}-bin"
    commands.mkdir(exist_ok=True)
    # What the install step installs: the project of the base branch, with this interpreter's dependencies.
    command = commands / "s3gym"
    command.write_text(f'#!/bin/sh\nPYTHONPATH="{code_of(workspace)}" exec "{sys.executable}" -P -m s3gym "$@"\n')
    command.chmod(0o755)
    given = {name: filled(str(value), event) for name, value in table(step.get("env", {})).items()}
    folder = workspace / str(step.get("working-directory", "."))
    path = f"{commands}{os.pathsep}{os.environ['PATH']}"
    return shell(str(step["run"]), folder, {**given, "PATH": path})


def code_of(workspace: Path) -> str:
    """Return the path of imports that comes before whatever this interpreter has installed."""
    return f"{workspace / 'board'}{os.pathsep}{workspace / 'board' / 'site'}"


def filled(text: str, event: dict[str, str]) -> str:
    """Fill in what the host knows of the event."""
    return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: event[found[1]], text)


def shell(script: str, folder: Path, given: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a script as code hosts do."""
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script],
        cwd=folder,
        # An installed program compiles nothing in the checkout that it came from, so this one does not either.
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1", **given},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="backslashreplace",
        check=False,
    )


def run(folder: Path, *command: str, data: bytes | None = None) -> str:
    """Run a command that must succeed."""
    done = subprocess.run(command, cwd=folder, input=data, check=True, stdout=subprocess.PIPE)
    return done.stdout.decode().strip()


def commit(clone: Path, target: str) -> str:
    """Commit all that changed, push it, and return the commit."""
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "core.autocrlf=false")
    run(clone, "git", *identity, "add", "-A", "-f")
    run(clone, "git", *identity, "commit", "-q", "--allow-empty", "-m", "a change")
    run(clone, "git", "push", "-q", "-f", "origin", target)
    return run(clone, "git", "rev-parse", "HEAD")
