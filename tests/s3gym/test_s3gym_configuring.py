"""Settings from a file and from flags: which wins, what is refused and how, and that no secret is repeated."""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from s3gym.configuring import MAX_CONFIG, read_settings
from s3gym.preparing import disk_bytes, plan_of
from s3gym.settings import KEYS, Settings
from s3gym.toml_text import toml_value
from tests.s3gym.face import Face, refused

ROOT = Path(__file__).resolve().parents[2]


def settings_of(text: str, tmp_path: Path, **flags: object) -> Settings:
    path = tmp_path / "run.toml"
    path.write_text(text, encoding="utf-8")
    return read_settings(path, flags)


def test_a_file_sets_what_it_names_and_leaves_the_rest(tmp_path: Path) -> None:
    text = 'model = "m"\nbase-url = "http://h/v1"\ngame = ["snake", "trust"]\nconcurrency = 4\nmax-cost = 2\n'
    settings = settings_of(text, tmp_path)
    assert (settings.model, settings.base_url, settings.game) == ("m", "http://h/v1", ("snake", "trust"))
    assert (settings.concurrency, settings.max_cost, settings.key) == (4, 2.0, Path("keys/team.key"))
    assert settings.model_copy(update={"model": "x"}) != settings


def test_flags_win_over_the_file_and_what_is_not_given_does_not(tmp_path: Path) -> None:
    text = 'model = "m"\npathway = "summary"\nsystem-role = false\ngame = ["snake"]\n'
    settings = settings_of(text, tmp_path, model=None, game=[], pathway="history", system_role=True)
    assert (settings.model, settings.pathway, settings.system_role) == ("m", "history", True)
    assert settings.game == ("snake",)
    assert settings_of(text, tmp_path, game=["trust"]).game == ("trust",)


def test_every_key_is_a_flag_of_run_and_of_doctor(face: Face) -> None:
    for command in ("run", "doctor"):
        flags = set(re.findall(r"--([a-z-]+)", face(command, "--help").stdout))
        # A table of headers is given one header at a time.
        assert set(KEYS) - {"extra-headers"} | {"extra-header"} <= flags


def test_the_example_of_the_reference_is_a_valid_file(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "reference" / "config.md").read_text(encoding="utf-8")
    block = page.partition("```toml\n")[2].partition("```")[0]
    settings = settings_of(block, tmp_path)
    assert set(tomllib.loads(block)) == set(KEYS)
    assert [name for name in Settings.model_fields if getattr(settings, name) == getattr(Settings(), name)] == []


class Wrong(NamedTuple):
    """A line and the words of its refusal."""

    line: str
    words: tuple[str, ...]


WRONG = [
    Wrong('modle = "m"', ("'modle'", "unknown", "did you mean model?")),
    Wrong('base_url = "http://h/v1"', ("did you mean base-url?",)),
    Wrong("frobnicate = 1", ("unknown", "s3gym run --help")),
    Wrong("[run]\nmodel = 1", ("'run'", "unknown")),
    Wrong("model = 7", ("run.toml, model", "text in quotes", "got 7", 'model = "my-model"')),
    Wrong('model = ""', ("at least one character",)),
    Wrong('concurrency = "4"', ("whole number", "'4'", "concurrency = 4")),
    Wrong("concurrency = 4.5", ("concurrency", "4.5")),
    Wrong("concurrency = true", ("whole number", "got true")),
    Wrong("concurrency = 0", ("at least 1", "got 0")),
    Wrong("concurrency = 1000", ("at most 256",)),
    Wrong('pathway = "training"', ("history or summary", "'training'")),
    Wrong("pathway = [1]", ("history or summary", "a list")),
    Wrong('system-role = "no"', ("true or false", "'no'", "system-role = false")),
    Wrong("system-role = 0", ("true or false",)),
    Wrong("temperature = nan", ("temperature", "nan")),
    Wrong("temperature = inf", ("temperature",)),
    Wrong("temperature = -1", ("at least 0",)),
    Wrong("timeout = 0", ("more than 0",)),
    Wrong('game = "snake"', ("a list", "'snake'", 'game = ["snake"]')),
    Wrong("game = [1]", ("game", "text in quotes")),
    Wrong("key = 1979-05-27", ("a path", "a date")),
    Wrong("key = { file = 1 }", ("a table",)),
    Wrong("model =", ("TOML", "line 1")),
    Wrong('model = "a"\nmodel = "b"', ("TOML",)),
    Wrong("concurrency = " + "9" * 5000, ("TOML",)),
    Wrong("game = " + "[" * 5000, ("TOML",)),
    Wrong("# " + "x" * MAX_CONFIG, ("at most",)),
]


@pytest.mark.parametrize("wrong", WRONG, ids=[wrong.line[:24] for wrong in WRONG])
def test_what_is_no_setting_is_refused_with_file_key_and_remedy(face: Face, wrong: Wrong) -> None:
    Path("run.toml").write_text(f"{wrong.line}\n")
    refused(face("run", "--config", "run.toml"), 2, "run.toml", *wrong.words)
    assert [path.name for path in Path().iterdir()] == ["run.toml"]


def test_a_file_that_is_no_text_or_is_not_there_is_refused(face: Face) -> None:
    Path("run.toml").write_bytes(b'model = "\xff"')
    refused(face("run", "--config", "run.toml"), 2, "run.toml", "UTF-8")
    refused(face("run", "--config", "nowhere.toml"), 2, "nowhere.toml")


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    assert settings_of('\ufeffmodel = "m"\n', tmp_path).model == "m"


SECRETS = [
    'api-key = "abcdefgh"',
    'api_key = "abcdefgh"',
    'OPENAI_API_KEY = "abcdefgh"',
    'token = "abcdefgh"',
    'password = "abcdefgh"',
    'model = "sk-abcdefgh01234567"',
    'api-key-env = "sk-abcdefgh01234567"',
    'api-key-env = "hf_abcdefgh01234567"',
    'api-key-env = "abcdefgh0123456789abcdefgh"',
    'base-url = "http://me:abcdefgh@h/v1"',
    'base-url = "http://h/v1?key=abcdefgh"',
    'team = "abcdefgh-from-the-environment"',
    'game = ["abcdefgh-from-the-environment"]',
    'key = "-----BEGIN PRIVATE KEY-----abcdefgh"',
]


@pytest.mark.parametrize("line", SECRETS)
def test_SX_01_a_secret_in_the_file_is_refused_and_never_repeated(
    face: Face, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "abcdefgh-from-the-environment")
    Path("run.toml").write_text(f"{line}\n")
    result = face("run", "--config", "run.toml")
    refused(result, 2, "run.toml", "not shown")
    assert "abcdefgh" not in result.output


@pytest.mark.parametrize("value", ["sk-abcdefgh01234567", "hf_abcdefgh01234567", "abcdefgh0123456789abcdefgh"])
def test_SX_01_a_key_in_place_of_its_variable_is_refused_and_never_repeated(face: Face, value: str) -> None:
    for command in ("run", "doctor"):
        result = face(command, "--api-key-env", value)
        refused(result, 2, "--api-key-env", "environment variable", "not shown")
        assert "abcdefgh" not in result.output


@pytest.mark.parametrize(
    "line", ['model = "hf-internal-testing-tiny-random-gpt2"', 'api-key-env = "AZURE_OPENAI_KEY_2"']
)
def test_what_only_resembles_a_secret_is_taken(tmp_path: Path, line: str) -> None:
    settings_of(line, tmp_path)


def test_wrong_flags_are_named_as_flags(face: Face) -> None:
    refused(face("run", "--concurrency", "0"), 2, "--concurrency", "at least 1", "--concurrency 4")
    refused(face("run", "--temperature", "11"), 2, "--temperature", "at most 10")


def printed(face: Face, *arguments: str) -> str:
    result = face("run", "--print-config", *arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_printed_settings_are_a_file_that_says_the_same(face: Face) -> None:
    arguments = [
        "--model",
        "m",
        "--base-url",
        "http://h:1",
        "--pathway",
        "summary",
        "--game",
        "trust",
        "--max-cost",
        "3",
    ]
    text = printed(face, *arguments)
    Path("run.toml").write_text(text)
    assert printed(face, "--config", "run.toml") == text
    table = tomllib.loads(text)
    assert (table["entry"], table["team"]) == ("m-summary-smoke-1", "team")
    assert (table["out"], table["temperature"]) == (str(Path("runs") / "m-summary-smoke-1"), 0.0)
    assert not Path("runs").exists()


def test_printed_settings_hold_no_secret_of_the_url(face: Face) -> None:
    text = printed(face, "--model", "m", "--base-url", "http://me:hunter2@h:1/v1?sig=hunter3")
    assert "hunter" not in text
    assert tomllib.loads(text)["base-url"] == "http://h:1/v1"
    assert "may be secrets" in text


@given(
    st.text()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False)
    | st.booleans()
    | st.lists(st.text(max_size=5), max_size=3)
)
def test_any_value_is_read_back_as_it_was_written(value: object) -> None:
    assert tomllib.loads(f"key = {toml_value(value)}") == {"key": value}


def test_a_run_from_a_file_is_played_as_one_from_flags(face: Face) -> None:
    face("keygen", "red", "--registry", "board/keys")
    Path("run.toml").write_text('model = "builtin:greedy"\ngame = ["trust"]\nkey = "keys/red.key"\nentry = "e"\n')
    result = face("run", "--config", "run.toml", "--json")
    assert result.exit_code == 0, result.output
    assert face("verify", "runs/e/bundle", "--keys", "board/keys").exit_code == 0


def _tree() -> Mapping[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--prices", "none.toml"], ["none.toml"]),
        (["--prices", "prices.toml"], ["prices.toml", "builtin:greedy"]),
        (["--max-cost", "1"], ["--prices"]),
        (["--out", "file/run"], ["file", "--out"]),
        (["--key", "file"], ["private key"]),
        (["--base-url", "ftp://h"], ["base URL", "http://"]),
        (["--team", "Red Team"], ["team"]),
    ],
)
def test_everything_is_checked_before_anything_is_made(face: Face, arguments: list[str], words: list[str]) -> None:
    face("keygen", "red")
    Path("file").write_text("mine")
    Path("prices.toml").write_text("[other]\ninput = 1\noutput = 1\n")
    before = _tree()
    given = dict(zip(arguments[::2], arguments[1::2], strict=True))
    options = {"--model": "builtin:greedy", "--key": "keys/red.key", **given}
    refused(face("run", *[part for pair in options.items() for part in pair]), 2, *words)
    assert _tree() == before


def test_a_folder_that_cannot_be_written_is_refused(face: Face, monkeypatch: pytest.MonkeyPatch) -> None:
    face("keygen", "red")
    monkeypatch.setattr(os, "access", lambda *_: False)
    result = face("run", "--model", "builtin:greedy", "--key", "keys/red.key", "--out", "runs/e")
    refused(result, 2, str(Path("runs/e")), "written", "--out")


def test_a_disk_that_is_nearly_full_is_a_warning(face: Face, monkeypatch: pytest.MonkeyPatch) -> None:
    face("keygen", "red")
    usage = shutil.disk_usage(".")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=5 << 20))
    result = face("run", "--model", "builtin:greedy", "--game", "trust", "--key", "keys/red.key", "--entry", "e")
    assert result.exit_code == 0, result.output
    assert "warning" in result.stderr
    assert "5 MB are free" in result.stderr


def test_longer_protocols_may_take_more_of_the_disk() -> None:
    small, large = (plan_of(Settings(protocol=name)) for name in ("smoke-1", "paper-1"))
    assert 0 < disk_bytes(small) < disk_bytes(large)
