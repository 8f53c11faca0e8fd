"""From settings to a plan that can be played: everything is checked before anything is spent or made."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from games.registry import GAMES
from protocol.decoding import beside_temperature, one_line
from protocol.names import MAX_NAME
from protocol.preset import Preset, preset_file, preset_named
from protocol.records import Decoding
from protocol.schedule import schedule
from protocol.signing import load_key
from runner.entry import BUNDLE, Plan, playable_games
from runner.models.base_url import read_base_url
from runner.prices import Prices, read_prices
from s3gym.extras import body_table, header_table, recorded
from s3gym.opening import OURS
from s3gym.settings import Settings, key_of
from s3gym.toml_text import toml_value

MAX_KEY = 16 << 10
"""Bytes of a key file."""
_LIKE_OURS = tuple(each.replace(":", "-") for each in OURS)
_DIGITS = 8
_REPLY_BYTES = 8_000
"""What a step takes on the disk, journal and bundle together, where replies are long."""
_LEAST_BYTES = 100 << 20


@dataclass(frozen=True, slots=True)
class Ready:
    """What a run needs beside its plan."""

    folder: Path
    key: Ed25519PrivateKey
    warnings: tuple[str, ...]


def entry_id(model: str, pathway: str, protocol: str) -> str:
    """Return an entry id made from what is played: safe as a file name on every system, no two for the same.

    What a safe name cannot tell stands in it as a digest: signs, capital letters, an end that was too long.
    """
    text = f"{model}-{pathway}-{protocol}"
    slug = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    ours = model.startswith(OURS)
    if len(slug) <= MAX_NAME and (ours or (slug == text and not slug.startswith(_LIKE_OURS))):
        return slug
    digest = hashlib.sha256(f"{model}\n{pathway}\n{protocol}".encode()).hexdigest()[:_DIGITS]
    return f"{slug[: MAX_NAME - _DIGITS - 1].strip('-')}-{digest}".strip("-")


def default_games(preset: Preset) -> tuple[str, ...]:
    """Return every game of a protocol that this release plays."""
    return tuple(game.id for game in GAMES if game.id in preset.games)


def preset_of(protocol: str) -> Preset:
    """Return the protocol that a setting names: a preset id, or a file.

    Raises:
        ValueError: If there is none.
    """
    return preset_file(Path(protocol)) if protocol.endswith(".toml") else preset_named(protocol)


def plan_of(settings: Settings) -> Plan:
    """Return what is to be played.

    Raises:
        ValueError: If the protocol, a game or a name is none, or the base URL cannot be read.
    """
    preset = preset_of(settings.protocol)
    plan = Plan(
        entry=settings.entry or entry_id(settings.model, settings.pathway, preset.id),
        team=settings.team or settings.key.stem,
        model=settings.model,
        preset=preset,
        games=settings.game or default_games(preset),
        pathway=settings.pathway,
        summary_mode=settings.summary_mode,
        system_role=settings.system_role,
        decoding=decoding_of(settings, preset),
        address=_address(settings),
    )
    playable_games(plan)
    return plan


def decoding_of(settings: Settings, preset: Preset) -> Decoding:
    """Return what a model is asked with.

    Raises:
        ValueError: If settings do not go together: nothing is recorded that is not sent.
    """
    decoding = Decoding(
        temperature=preset.temperature if settings.temperature is None else settings.temperature,
        top_p=settings.top_p,
        sampling_seed=settings.sampling_seed,
        reasoning_effort=settings.reasoning_effort,
        stream=settings.stream,
        extra_body=settings.extra_body,
        extra_headers=recorded(settings.extra_headers),
    )
    found = beside_temperature(decoding)
    if settings.model.startswith(OURS) and (found or settings.api != "chat"):
        given = one_line(found) or "api: responses"
        raise ValueError(f"{settings.model}: expected no settings of requests, since no endpoint is asked, got {given}")
    if settings.api == "responses" and settings.sampling_seed is not None:
        raise ValueError("sampling-seed: expected none, since the Responses API takes none; leave it out")
    if (
        settings.api == "responses"
        and settings.reasoning_effort
        and any(each.name == "reasoning" for each in settings.extra_body)
    ):
        raise ValueError("reasoning-effort: expected it once, got it beside extra-body, reasoning; put it in there")
    named = (settings.api_key_header or "").lower()
    if any(each.name == named for each in settings.extra_headers):
        raise ValueError(f"extra-headers, {named}: expected another header than that of the key")
    return decoding


def _address(settings: Settings) -> str | None:
    """Return where a model is asked, without user name, password and query; None if it is played here."""
    if settings.base_url is None:
        return None
    shown = read_base_url(settings.base_url).shown
    return None if settings.model.startswith(OURS) else shown


def prices_of(settings: Settings) -> Prices | None:
    """Return the prices of the model, where a table is given.

    Raises:
        ValueError: If the table cannot be read or does not have the model.
        OSError: If there is no such file.
    """
    return None if settings.prices is None else read_prices(settings.prices, settings.model)


def ready(settings: Settings, plan: Plan) -> Ready:
    """Return what a run needs, after checking it without making anything.

    Raises:
        ValueError: If the run is finished, its folder cannot be written, or the key file holds no key.
    """
    folder = settings.out or Path("runs") / plan.entry
    if (folder / BUNDLE).exists():
        raise ValueError(
            f"{folder / BUNDLE}: expected no bundle yet, found one: this run is finished. Choose another --out."
        )
    check_writable(folder)
    return Ready(folder, private_key(settings.key), disk_warnings(folder, plan))


def private_key(path: Path) -> Ed25519PrivateKey:
    """Return the key of a key file.

    Raises:
        ValueError: If there is no such file, or it holds no key.
    """
    if not path.is_file():
        raise ValueError(f"{path}: expected the team's private key, found none. Make one: s3gym keygen TEAM")
    with path.open("rb") as file:
        return load_key(file.read(MAX_KEY))


def check_writable(folder: Path) -> None:
    """Check that a run folder can be written, whether it is there already or not.

    Raises:
        ValueError: If it cannot.
    """
    there = existing(folder)
    if not there.is_dir():
        raise ValueError(f"{folder}: expected a folder for the run, but {there} is a file. Choose another --out.")
    if not os.access(there, os.W_OK | os.X_OK):
        raise ValueError(f"{folder}: expected a folder that can be written, but {there} cannot. Choose another --out.")


def existing(path: Path) -> Path:
    """Return a path, or the nearest one above it that exists."""
    path = path.absolute()
    while not path.exists() and path != path.parent:
        path = path.parent
    return path


def disk_warnings(folder: Path, plan: Plan) -> tuple[str, ...]:
    """Return a warning where the disk may be too small for a run."""
    free, wanted = shutil.disk_usage(existing(folder)).free, disk_bytes(plan)
    if free >= wanted:
        return ()
    found = f"{free >> 20:,} MB are free on its disk, the run may take up to {wanted >> 20:,} MB"
    return (f"{folder}: {found}; free some or choose another --out",)


def disk_bytes(plan: Plan) -> int:
    """Return the bytes that a run may take on the disk."""
    steps = sum(
        plan.preset.config(game, slot.phase).max_steps
        for game in playable_games(plan)
        for slot in schedule(plan.preset, game.id)
    )
    return _LEAST_BYTES + steps * _REPLY_BYTES


def effective_toml(settings: Settings, plan: Plan) -> str:
    """Return the settings of a run as a configuration file, what is derived written out."""
    derived: dict[str, object] = {
        "entry": plan.entry,
        "team": plan.team,
        "game": plan.games,
        "temperature": plan.decoding.temperature,
        "extra_body": body_table(settings.extra_body),
        "extra_headers": header_table(settings.extra_headers),
        "out": settings.out or Path("runs") / plan.entry,
    }
    lines = []
    for name in Settings.model_fields:
        key = key_of(name)
        value: object = derived.get(name, getattr(settings, name))
        if name == "base_url" and settings.base_url is not None:
            url = read_base_url(settings.base_url)
            value = url.shown
            if url.secrets:
                lines.append("# without its user name, password and query, which may be secrets")
        lines.append(f"# {key}: not set" if value is None else f"{key} = {toml_value(value)}")
    return "\n".join(lines) + "\n"
