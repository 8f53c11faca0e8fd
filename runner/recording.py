"""A run as it was recorded: a journal that may still grow, or a bundle."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from protocol.budgets import Budgets
from protocol.bundle import ENVELOPE
from protocol.preset import Preset
from runner.bundled import read_bundled
from runner.entry import BUNDLE, Plan, playable_games
from runner.journal import JOURNAL, Outcome, read_journal

PresetOf = Callable[[str], Preset]
_BUDGETS = re.compile(r"([0-9]{1,16}) in, ([0-9]{1,16}) out", re.ASCII)
_RELEASE = "use the release of this package that it was played with"


class Recording(NamedTuple):
    """What was played, and what came of every prompt so far."""

    plan: Plan
    room: Budgets
    outcomes: Mapping[str, Outcome]
    """By key."""


def read_recording(folder: Path, preset_of: PresetOf) -> Recording:
    """Return what a run folder or a bundle holds; nothing is locked, nothing is verified.

    Args:
        folder: A run folder, whether its run is under way, paused or finished, or a bundle.
        preset_of: Where protocols are looked up.

    Raises:
        BundleError: If a bundle cannot be read.
        JournalError: If a journal is damaged.
        ValueError: If it is neither, or of another release.
        OSError: If it cannot be read.
    """
    if (folder / JOURNAL).is_file():
        return _from_journal(folder / JOURNAL, preset_of)
    for place in (folder, folder / BUNDLE):
        if (place / ENVELOPE).is_file():
            return _from_bundle(place, preset_of)
    raise ValueError(f"{folder}: expected a run folder with {JOURNAL}, or a bundle with {ENVELOPE}, found neither")


def _from_journal(path: Path, preset_of: PresetOf) -> Recording:
    recorded = read_journal(path)
    settings = recorded.settings
    try:
        preset = _preset(preset_of, settings["protocol"], settings["protocol digest"])
        numbers = _BUDGETS.fullmatch(settings["budgets"])
        plan = Plan(
            entry=settings["entry"],
            team=settings["team"],
            model=settings["model"],
            preset=preset,
            games=tuple(settings["games"].split()),
            pathway="summary" if settings["pathway"] == "summary" else "history",
            summary_mode="recursive" if settings["summary mode"] == "recursive" else "rebuild",
            system_role=_system_role(settings["system role"], recorded.system_role),
        )
    except KeyError as error:
        raise ValueError(f"{path}, line 1: expected a setting named {error}, found none; {_RELEASE}") from error
    if numbers is None:
        raise ValueError(f"{path}, line 1: expected budgets, got {settings['budgets'][:80]!a}; {_RELEASE}")
    playable_games(plan)
    return Recording(plan, Budgets(int(numbers[1]), int(numbers[2])), recorded.outcomes)


def _system_role(setting: str, found: bool | None) -> bool | None:
    """Return whether prompts have a system message: as set, or as found out; None while that is under way."""
    return found if setting == "found out" else setting == "True"


def _from_bundle(folder: Path, preset_of: PresetOf) -> Recording:
    bundled = read_bundled(folder)
    manifest = bundled.manifest
    plan = Plan(
        entry=manifest.entry,
        team=manifest.team,
        model=manifest.model,
        preset=_preset(preset_of, manifest.protocol, manifest.protocol_digest),
        games=tuple(rules.game for rules in manifest.games),
        pathway=manifest.options.pathway,
        summary_mode=manifest.options.summary_mode,
        system_role=manifest.options.system_role,
    )
    playable_games(plan)
    return Recording(plan, Budgets(manifest.input_budget, manifest.output_budget), bundled.outcomes)


def _preset(preset_of: PresetOf, name: str, digest: str) -> Preset:
    preset = preset_of(name)
    if preset.digest != digest:
        got = f"expected digest {digest[:12]!a}..., this one has {preset.digest[:12]}..."
        raise ValueError(f"protocol {name}: {got}; {_RELEASE}")
    return preset
