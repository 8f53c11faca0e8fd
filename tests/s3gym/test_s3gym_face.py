"""The package itself: what the verifiers library finds in it costs nobody else anything."""

import subprocess
import sys

import pytest

import s3gym


def test_importing_the_package_imports_nothing_more() -> None:
    code = "import sys, s3gym; print({'gymnasium', 'verifiers', 'pydantic', 'typer'} & sys.modules.keys())"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed == "set()\n"


def test_a_name_that_it_does_not_have_is_told_as_usual() -> None:
    with pytest.raises(AttributeError, match="module 's3gym' has no attribute 'nothing'"):
        s3gym.nothing  # noqa: B018  # looking it up is the test
