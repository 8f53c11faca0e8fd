"""The flags of every command that takes the settings of a run, made from the settings themselves."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, ParamSpec, get_type_hints

import typer
from pydantic.fields import FieldInfo

from protocol.asking import BodyField, Header
from s3gym.settings import Settings, flag_of, key_of
from s3gym.toml_text import toml_value

P = ParamSpec("P")

ConfigFile = Annotated[
    Path | None,
    typer.Option("--config", help="A TOML file with settings, keys named as the flags; flags win over it."),
]
"""The flag that names a configuration file."""

_KINDS: dict[str, object] = get_type_hints(Settings)
"""The types of the settings, without their bounds."""


def takes_settings(command: Callable[P, None]) -> Callable[P, None]:
    """Give a command one flag for every setting, behind its first, the configuration file.

    It takes them as keyword arguments, None where one is not given.

    That a flag was not given has to stay visible, since a configuration file may hold its key. So the defaults are
    shown as text, and it is `Settings` that has them.
    """
    signature = inspect.signature(command, eval_str=True)
    config, *own = [each for each in signature.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
    flags = [_flag(name, field) for name, field in Settings.model_fields.items()]
    # What Typer reads; the function itself stays as it is.
    setattr(command, "__signature__", signature.replace(parameters=[config, *flags, *own]))  # noqa: B010
    return command


def default_text(field: FieldInfo) -> str:
    """Return the default of a setting as a person writes it; empty if there is none."""
    default: object = field.default
    if default is None or default == ():
        return ""
    return str(default) if isinstance(default, (str, Path)) else toml_value(default)


def _flag(name: str, field: FieldInfo) -> inspect.Parameter:
    flag = flag_of(name)
    kind = _type(_KINDS[name])
    names = [flag, f"--no-{key_of(name)}"] if kind == bool | None else [flag]
    shown = default_text(field) or False
    option: object = typer.Option(None, "/".join(names), help=field.description, show_default=shown)
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option, annotation=kind)


def _type(known: object) -> object:
    """Return what the command line reads for a setting; what it allows is for the settings to say."""
    if known in (tuple[str, ...], tuple[BodyField, ...], tuple[Header, ...]):
        return list[str] | None
    if known in (bool, bool | None):
        return bool | None
    if known in (int, int | None):
        return int | None
    return float | None if known in (float, float | None) else str | None
