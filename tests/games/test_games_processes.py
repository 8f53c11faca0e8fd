"""What is played does not depend on the process, the machine's settings, the order of play or the Python version."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.games.episodes import digest

ROOT = Path(__file__).resolve().parents[2]
SUPPORTED = ("3.11", "3.12", "3.13", "3.14")
SETTINGS = (
    ("0", "UTC", "C"),
    ("1", "Asia/Kathmandu", "tr_TR.UTF-8"),
    ("random", "America/St_Johns", "de_DE.ISO-8859-1"),
)
ORDERS = ("forward", "backward", "interleaved")


@cache
def interpreters() -> tuple[str, ...]:
    """This interpreter, and one of every other supported version that the machine has."""
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    others = [found for version in SUPPORTED if version != here and (found := _interpreter(version))]
    return (sys.executable, *others)


def _interpreter(version: str) -> str | None:
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    for path in (shutil.which(f"python{version}"), *map(str, pyenv.glob(f"{version}.*/bin/python"))):
        if path and _told([path, "-I", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]) == version:
            return path
    return None


def _told(command: list[str]) -> str | None:
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return run.stdout.strip() if run.returncode == 0 else None


@pytest.fixture(scope="module")
def here() -> str:
    return digest()


@pytest.mark.parametrize(
    ("python", "settings", "order"),
    [
        pytest.param(python, settings, order, id=f"{Path(python).parent.parent.name}-{settings[0]}-{order}")
        for python in interpreters()
        for settings, order in zip(SETTINGS, ORDERS, strict=True)
    ],
)
def test_RP_02_another_process_plays_the_same_episodes(
    here: str, tmp_path: Path, python: str, settings: tuple[str, str, str], order: str
) -> None:
    """Hash seed, time zone, locale, working folder, order of play and Python version decide nothing."""
    hash_seed, zone, locale = settings
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": hash_seed, "TZ": zone, "LC_ALL": locale}
    env |= {"PYTHONDONTWRITEBYTECODE": "1"}
    code = f"from tests.games.episodes import digest; print(digest({order!r}))"
    run = subprocess.run([python, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == here


@pytest.mark.parametrize("python", interpreters())
def test_every_python_plays_the_golden_transcripts(python: str) -> None:
    run = subprocess.run(
        [python, "-m", "tests.golden", "check"],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (run.returncode, run.stdout) == (0, "every transcript is as the games play\n"), run.stderr


def test_the_oldest_supported_version_is_the_one_that_the_package_names() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'requires-python = ">={SUPPORTED[0]}"' in text
