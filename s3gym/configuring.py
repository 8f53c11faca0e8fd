"""Reads settings from a configuration file and from flags, and says what is wrong with either."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from games.near import hint
from protocol.strictjson import shown
from s3gym.extras import private_field, private_header, table_of
from s3gym.secrecy import holds_secret, is_no_variable, names_secret
from s3gym.settings import KEYS, Settings, flag_of, key_of
from s3gym.toml_text import toml_value

MAX_CONFIG = 64 << 10
"""Bytes of a configuration file; a longer one holds something else."""
_HELP = "s3gym run --help explains every key"
_UNSHOWN = "api-key-env"
"""The key whose value is never repeated: a mistake there is often the API key itself."""


def read_settings(config: Path | None, flags: Mapping[str, object]) -> Settings:
    """Return the settings of a configuration file and flags; a flag wins over the file.

    Args:
        config: A TOML file; None for none.
        flags: What was given on the command line, by field; None and empty lists were not given.

    Raises:
        ValueError: If anything is no setting, of the wrong type or out of range, or a secret stands in the file.
        OSError: If the file cannot be read.
    """
    found = {} if config is None else _read(config)
    if config is not None:
        for key, value in found.items():
            _check_key(config, key)
            _check_secret(config, key, value, found.get(_UNSHOWN))
        _validated(found, _FromFile(config))
    given = {key_of(name): _given(name, value) for name, value in flags.items() if value is not None and value != []}
    return _validated({**found, **given, **_merged(found, given)}, _FromFlags())


def _merged(found: Mapping[str, object], given: Mapping[str, object]) -> dict[str, object]:
    """Return the tables of which a file and the command line give a part each; of one name, the command line's."""
    merged: dict[str, object] = {}
    for key, table in given.items():
        before = found.get(key)
        if isinstance(table, dict) and isinstance(before, dict):
            # Headers are the same in capital letters.
            same = str.lower if key == "extra-headers" else str
            taken = {same(name) for name in table}
            merged[key] = {name: value for name, value in before.items() if same(name) not in taken} | table
    return merged


def _given(name: str, value: object) -> object:
    """Return the value of a setting that the command line gives in parts."""
    if name not in ("extra_body", "extra_headers") or not isinstance(value, list):
        return value
    try:
        return table_of(value, is_json=name == "extra_body")
    except ValueError as error:
        raise ValueError(f"{flag_of(name)}: {error}") from None


class _FromFile(NamedTuple):
    """Names places in a configuration file."""

    path: Path

    def place(self, key: str) -> str:
        return f"{self.path}, {key}"

    def example(self, key: str, example: object) -> str:
        return f"write it as in: {key} = {toml_value(example)}"


class _FromFlags(NamedTuple):
    """Names places on the command line."""

    def place(self, key: str) -> str:
        return _flag(key)

    def example(self, key: str, example: object) -> str:
        if isinstance(example, bool):
            return f"give it as in: --no-{key}"
        if isinstance(example, dict):
            return f"give it as in: {_flag(key)} {' '.join(f'{name}={each}' for name, each in [*example.items()][:1])}"
        value = " ".join(map(str, example)) if isinstance(example, list) else str(example)
        return f"give it as in: {_flag(key)} {value}"


def _flag(key: str) -> str:
    return flag_of(key.replace("-", "_"))


def _read(path: Path) -> dict[str, object]:
    with path.open("rb") as file:
        data = file.read(MAX_CONFIG + 1)
    if len(data) > MAX_CONFIG:
        raise ValueError(f"{path}: expected at most {MAX_CONFIG:,} bytes, got more; settings need a few lines only")
    try:
        table: dict[str, object] = tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: expected UTF-8 text, got byte {error.start} that is none") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f'{path}: expected TOML, got: {_reason(error)}; write lines such as model = "my-model"'
        ) from error
    return table


def _reason(error: Exception) -> str:
    """Return why a text is no TOML, without any of its text: that may be a secret."""
    message = str(error)
    place = message[message.rfind("(at ") :] if "(at " in message else ""
    return f"a line that is none {place}".strip()


def _check_key(path: Path, key: str) -> None:
    if key in KEYS:
        return
    if names_secret(key):
        raise ValueError(
            f"{path}, {shown(key)}: expected no secret in a file, got one (not shown); put it into an environment "
            f'variable and name that: {_UNSHOWN} = "MY_KEY"'
        )
    meant = hint(key, KEYS) or f"; {_HELP}"
    raise ValueError(f"{path}, {shown(key)}: expected a key of s3gym run, got an unknown one{meant}")


def _check_secret(path: Path, key: str, value: object, variable: object) -> None:
    if holds_secret(value, variable if isinstance(variable, str) else None, url=key == "base-url"):
        raise ValueError(
            f"{path}, {key}: expected no secret in a file, got a value that looks like one (not shown); put an API "
            f"key into an environment variable and name that with {_UNSHOWN}, and give a URL with a password in it on "
            "the command line"
        )


def _validated(values: Mapping[str, object], source: _FromFile | _FromFlags) -> Settings:
    try:
        settings = Settings.model_validate({key.replace("-", "_"): value for key, value in values.items()})
    except ValidationError as error:
        # Not chained: the original message repeats values that may be secrets.
        raise ValueError(_message(error.errors(include_url=False)[0], source)) from None
    if is_no_variable(settings.api_key_env):
        raise ValueError(
            f"{source.place(_UNSHOWN)}: expected the name of an environment variable, got what looks like a key (not "
            f"shown); {source.example(_UNSHOWN, 'MY_KEY')}"
        )
    secret = os.environ.get(settings.api_key_env, "").strip()
    for key, said in (
        ("extra-body", private_field(settings.extra_body, secret)),
        ("extra-headers", private_header(settings.extra_headers, secret)),
    ):
        if said is not None:
            raise ValueError(f"{source.place(key)}, {said}")
    return settings


def _message(error: ErrorDetails, source: _FromFile | _FromFlags) -> str:
    name = str(error["loc"][0])
    key = key_of(name)
    example: object = (Settings.model_fields[name].examples or [""])[0]
    if error["type"] == "value_error":
        return f"{source.place(key)}: {error['ctx']['error']}; {source.example(key, example)}"
    got = "another text (not shown)" if key == _UNSHOWN and isinstance(error["input"], str) else _got(error["input"])
    meant = f"; {source.example(key, example)}"
    if error["type"] == "literal_error" and isinstance(error["input"], str):
        meant = hint(error["input"], re.findall("'([^']*)'", str(error["ctx"]["expected"]))) or meant
    return f"{source.place(key)}: expected {_expected(error)}, got {got}{meant}"


_TYPES: Mapping[str, str] = {
    "string_type": "text in quotes",
    "path_type": "a path, as text in quotes",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "finite_number": "a finite number",
    "string_too_short": "at least one character",
}
_BOUNDS: Mapping[str, str] = {
    "greater_than": "more than {gt:,}",
    "greater_than_equal": "at least {ge:,}",
    "less_than_equal": "at most {le:,}",
    "string_too_long": "at most {max_length} characters",
    "too_long": "at most {max_length} of them",
}


def _expected(error: ErrorDetails) -> str:
    kind, details = error["type"], error.get("ctx", {})
    if kind in _BOUNDS:
        whole = {name: int(bound) for name, bound in details.items() if bound == int(bound)}
        return _BOUNDS[kind].format_map({**details, **whole})
    if kind == "literal_error":
        return str(details["expected"]).replace("'", "")
    if kind == "string_pattern_mismatch":
        return "the name of an environment variable" if error["loc"] == ("api_key_env",) else "a word in small letters"
    return _TYPES.get(kind) or str(error["msg"]).lower()


def _got(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (dict, list)):
        return "a table" if isinstance(value, dict) else "a list"
    return shown(value) if isinstance(value, (str, int, float)) else f"a {type(value).__name__}"
