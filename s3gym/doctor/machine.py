"""Checks of this machine: Python, packages, key, disk, clock."""

from __future__ import annotations

import os
import sys
import time
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from protocol.errors import BundleError
from protocol.players import BUILTIN
from protocol.signing import TeamKey, team_key
from protocol.strictjson import read_record
from runner.entry import Plan
from s3gym.doctor.findings import Notes
from s3gym.preparing import check_writable, disk_bytes, disk_warnings, existing, private_key
from s3gym.settings import EMBEDDED, Settings

_PACKAGES = ("pydantic", "typer", "rich", "numpy", "pandas", "cryptography", "zlib-ng")
_EXTRAS = {"run": ("openai",), "site": ("jinja2", "plotly"), "docs": ("mkdocs",), "embedded": ("xllamacpp",)}
"""What an extra brings, by the names that are imported."""
_MAX_REGISTRATION = 16 << 10


def check_machine(settings: Settings, plan: Plan, registry: Path, notes: Notes) -> None:
    """Note what is found on this machine; nothing is made or changed.

    Args:
        settings: The settings of the run.
        plan: Its plan.
        registry: The folder of registered keys.
        notes: Where findings go.
    """
    check_software(settings, notes)
    _check_key(settings, plan, registry, notes)
    _check_folder(settings, plan, notes)
    _check_clock(notes)


def check_software(settings: Settings, notes: Notes) -> None:
    """Note Python, the packages and the extras."""
    # An older Python than 3.11 cannot have come this far.
    notes.passed("python", ".".join(map(str, sys.version_info[:3])))
    names = ("s3gym", *_PACKAGES, *(["openai"] if find_spec("openai") else []))
    notes.passed("packages", ", ".join(f"{name} {metadata.version(name)}" for name in names))
    here = [name for name, modules in _EXTRAS.items() if all(find_spec(module) for module in modules)]
    missing = [name for name in _EXTRAS if name not in here]
    found = ", ".join(here) or "none"
    if missing:
        found += f"; not installed: {', '.join(missing)}"
    wanted = _wanted_extra(settings)
    if wanted in missing:
        notes.fail("extras", found, f"install what this model needs: pip install 's3gym[{wanted}]'")
    else:
        notes.passed("extras", found)


def _wanted_extra(settings: Settings) -> str | None:
    if settings.model.startswith(BUILTIN):
        return None
    return "embedded" if settings.model == EMBEDDED else "run"


def _check_key(settings: Settings, plan: Plan, registry: Path, notes: Notes) -> None:
    try:
        key = private_key(settings.key)
    except (ValueError, OSError) as error:
        notes.fail("key file", str(error), "make a key with s3gym keygen TEAM and name its file with --key")
        return
    if os.name == "posix" and settings.key.stat().st_mode & 0o077:
        notes.warn("key file", f"{settings.key}: others can read it", f"chmod 600 {settings.key}")
    else:
        notes.passed("key file", f"{settings.key}: a private key, for team {plan.team}")
    wanted = team_key(plan.team, key)
    places = [folder / f"{plan.team}.json" for folder in (registry, settings.key.parent)]
    found = [path for path in places if path.is_file()]
    if not found:
        notes.warn(
            "registration",
            f"no {plan.team}.json in {registry} or beside the key",
            "give the organisers the registration that s3gym keygen made, or name the folder with --keys",
        )
    for path in found[:1]:
        registered = _registered(path)
        if registered is None or (registered.team, registered.public_key) != (wanted.team, wanted.public_key):
            notes.fail(
                "registration", f"{path}: not the public half of {settings.key}", "use the key that was registered"
            )
        elif registered.status != "active":
            notes.fail("registration", f"{path}: this key is revoked", "register a new key")
        else:
            notes.passed("registration", f"{path}: the public half of this key")


def _registered(path: Path) -> TeamKey | None:
    with path.open("rb") as file:
        data = file.read(_MAX_REGISTRATION)
    try:
        return read_record(TeamKey, data, str(path))
    except BundleError:
        return None


def _check_folder(settings: Settings, plan: Plan, notes: Notes) -> None:
    folder = settings.out or Path("runs") / plan.entry
    try:
        check_writable(folder)
    except ValueError as error:
        notes.fail("run folder", str(error), "choose another folder with --out")
        return
    notes.passed("run folder", f"{folder} can be written")
    warnings = disk_warnings(folder, plan)
    for warning in warnings:
        notes.warn("disk", warning, "a full disk stops a run; it goes on when there is room again")
    if not warnings:
        wanted = disk_bytes(plan) >> 20
        notes.passed("disk", f"room on the disk of {existing(folder)} for the {wanted:,} MB that a run may take")


def _check_clock(notes: Notes) -> None:
    """Note a clock that stands before the time when this program was installed."""
    now, installed = time.time(), Path(__file__).stat().st_mtime
    shown = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(now))
    if now < installed:
        notes.warn("clock", f"{shown}, before this program was installed", "set the clock: certificates depend on it")
    else:
        notes.passed("clock", shown)
