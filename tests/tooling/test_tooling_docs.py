"""The docs build, twice, and leave every file of the project as it was."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tooling.tree import ROOT, copy_project, digests


def _build_docs(folder: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _build_site(folder: Path) -> None:
    command = [sys.executable, "-m", "s3gym", "site", "build", "--submissions", "board", "--out", "build/site"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


class Copy:
    """A copy of the project, and the digests that its files had at first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files = copy_project(folder)
        self._before = digests(folder, self._files)

    def unchanged(self) -> bool:
        return digests(self.folder, self._files) == self._before

    def added(self) -> set[Path]:
        found = {path.relative_to(self.folder) for path in self.folder.rglob("*") if path.is_file()}
        return {path for path in found - set(self._files) if "__pycache__" not in path.parts}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """Return a copy in which the docs were built, and nothing else was done."""
    copy = Copy(tmp_path_factory.mktemp("built"))
    _build_docs(copy.folder)
    return copy


def test_A29_building_the_docs_twice_leaves_every_project_file_unchanged(built: Copy) -> None:
    """MkDocs empties its output folder before a build, and unless told otherwise that folder is `site/`."""
    assert built.unchanged()
    _build_docs(built.folder)
    assert built.unchanged()
    assert {path.parts[:2] for path in built.added()} == {("build", "docs")}


@pytest.mark.parametrize("docs_first", [True, False])
def test_A29_docs_and_site_are_built_in_either_order_and_leave_each_other_alone(
    tmp_path: Path, docs_first: bool
) -> None:
    """Each is built upon the other, and once more upon both."""
    copy = Copy(tmp_path)
    (tmp_path / "board" / "keys").mkdir(parents=True)
    steps = [_build_docs, _build_site] if docs_first else [_build_site, _build_docs]
    for step in (*steps, steps[0]):
        step(tmp_path)
    assert (tmp_path / "build" / "docs" / "index.html").is_file()
    assert (tmp_path / "build" / "site" / "index.html").is_file()
    assert copy.unchanged()


def test_built_docs_load_nothing_from_another_host(built: Copy) -> None:
    pages = sorted((built.folder / "build" / "docs").rglob("*.html"))
    assert pages
    loading = re.compile(
        r"<(?:script|img|iframe|source)\b[^>]*\ssrc=\"?https?:|<link\b[^>]*(?:stylesheet|preconnect)[^>]*https?:"
    )
    for page in pages:
        assert loading.findall(page.read_text(encoding="utf-8")) == [], page


def test_every_decision_record_has_a_number_of_its_own_and_the_three_headings() -> None:
    records = sorted(path for path in (ROOT / "docs" / "decisions").glob("*.md") if path.name != "index.md")
    assert [path.name[:4] for path in records] == [f"{number:04d}" for number in range(1, len(records) + 1)]
    for path in records:
        headings = re.findall(r"^## (.+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert headings == ["Question", "Decision", "What follows"], path


def test_git_does_not_ignore_the_site_folder() -> None:
    """Common ignore lists hide `/site`, which is source here."""
    asked = ["git", "check-ignore", "--no-index", "site/leaderboard/build.py", "build/docs/index.html"]
    ignored = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    assert ignored == ["build/docs/index.html"]
