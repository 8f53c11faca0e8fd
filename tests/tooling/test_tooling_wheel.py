"""The wheel holds the packages and their data, nothing else, and works away from the checkout."""

import os
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.tooling.tree import ROOT, copy_project, project_files

PACKAGES = ("games", "leaderboard", "protocol", "runner", "s3gym", "scoring")


def _run(command: list[str], folder: Path, environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy of the project, so that no build folder lands in the checkout."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    copy_project(source)
    _run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(source)], out)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel, without an index, into a folder of its own."""
    target = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", str(target)]
    _run([*pip, str(wheel)], target)
    return target


def _names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def _expected() -> set[str]:
    """Every source and data file of the packages, as git sees them, under its place in the wheel."""
    names = (path.as_posix().removeprefix("site/") for path in project_files())
    return {name for name in names if name.startswith(tuple(f"{package}/" for package in PACKAGES))}


def test_the_wheel_holds_every_file_of_the_packages_and_no_other(wheel: Path) -> None:
    """Templates, static files, presets, published tables and the games' pages among them; no test, no doc."""
    held = {name for name in _names(wheel) if ".dist-info/" not in name}
    assert held == _expected()


def test_the_wheel_carries_the_licence_and_the_version(wheel: Path) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert f"s3gym-{version}.dist-info/licenses/LICENSE" in _names(wheel)


def _environment(installed: Path) -> dict[str, str]:
    """Put the installed wheel before the checkout, which an editable install would otherwise find."""
    return {**os.environ, "PYTHONPATH": str(installed), "PYTHONSAFEPATH": "1"}


@pytest.mark.parametrize("name", PACKAGES)
def test_every_module_imports_from_the_installed_wheel(name: str, installed: Path, tmp_path: Path) -> None:
    """Save the one whose library stands in an environment of its own (`make adapters`)."""
    code = (
        "import importlib, pkgutil, sys\n"
        "package = importlib.import_module(sys.argv[1])\n"
        "print(package.__file__)\n"
        "for found in pkgutil.walk_packages(package.__path__, package.__name__ + '.'):\n"
        "    if not found.name.endswith(('__main__', 'adapters.verifiers')):\n"
        "        print(importlib.import_module(found.name).__file__)\n"
    )
    printed = _run([sys.executable, "-c", code, name], tmp_path, _environment(installed)).splitlines()
    assert printed
    assert [line for line in printed if not Path(line).is_relative_to(installed)] == []


def test_the_command_of_the_installed_wheel_prints_its_version(installed: Path, tmp_path: Path) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    command = installed / ("Scripts" if sysconfig.get_platform().startswith("win") else "bin") / "s3gym"
    printed = _run([sys.executable, str(command), "--version"], tmp_path, _environment(installed))
    assert version in printed


def test_the_installed_wheel_plays_verifies_scores_and_builds_a_site(installed: Path, tmp_path: Path) -> None:
    """Everything that the main job needs travels in the wheel: presets, templates, static files, published tables."""

    def s3gym(*arguments: str) -> str:
        return _run([sys.executable, "-m", "s3gym", *arguments], tmp_path, _environment(installed))

    s3gym("keygen", "red", "--registry", "board/keys")
    s3gym("run", "--model", "builtin:greedy", "--key", "keys/red.key", "--entry", "e")
    assert s3gym("verify", "runs/e/bundle", "--keys", "board/keys").count("passed") == 9
    assert "smoke-1" in s3gym("score", "runs/e/bundle", "--keys", "board/keys")
    s3gym("submit", "runs/e/bundle", "--submissions", "board")
    s3gym("site", "build", "--submissions", "board", "--out", "site")
    assert (tmp_path / "site" / "entries" / "e.html").is_file()
    assert "0.233" in (tmp_path / "site" / "published.html").read_text(encoding="utf-8")
