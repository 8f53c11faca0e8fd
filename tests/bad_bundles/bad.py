"""What a bad bundle is: a good one with one fault in it, and what verification must say of it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from protocol.preset import Preset, preset_named
from scoring.checks.signature import KeyOf
from scoring.registry import Registry
from tests.bad_bundles.good import Good, Kind
from tests.bundles import KEY
from tests.scoring.forge import Change, Fields, Json, Parts, forge

Make = Callable[[Good, Path], Path]
"""Write a bad bundle into a new folder, from good ones, and return the folder that is verified."""
Spoil = Callable[[Path], object]
"""Change files of a bundle as they lie."""


def registered(good: Good, folder: Path) -> KeyOf:
    """Return the registry with which the good bundles are accepted."""
    return Registry(good.keys)


@dataclass(frozen=True)
class Bad:
    """One fault."""

    name: str
    """What is wrong, as the name of a folder."""
    step: str
    """The code of the one step that must refuse it."""
    changed: str
    """What is changed, in words."""
    says: tuple[str, ...]
    """What the line of its first fault must hold."""
    make: Make
    keys: Callable[[Good, Path], KeyOf] = registered
    """The registry that it is verified with; it may be made in the folder."""
    preset_of: Callable[[str], Preset] = preset_named
    patches: Mapping[str, object] = field(default_factory=dict)
    """Limits that are scaled down, so that what breaks them stays small: name and value."""
    good_passes: bool = True
    """Whether a good bundle is accepted under the same patches and registry: not where the fault lies in them."""


def signed(change: Change, kind: Kind = "history") -> Make:
    """Change what a bundle holds, make its digests right again and sign it with the registered key."""
    return lambda good, target: forge(good.bundle(kind), target, KEY, change)


def spoiled(spoil: Spoil, kind: Kind = "history") -> Make:
    """Change the files of a bundle after it was signed."""

    def make(good: Good, target: Path) -> Path:
        shutil.copytree(good.bundle(kind), target)
        spoil(target)
        return target

    return make


def listed(value: Json) -> list[Fields]:
    """Return a list of objects."""
    assert isinstance(value, list)
    return [fields(each) for each in value]


def fields(value: Json) -> Fields:
    """Return an object."""
    assert isinstance(value, dict)
    return value


def setting(place: Callable[[Parts], Fields], **values: Json) -> Change:
    """Set fields of one object of a bundle."""
    return lambda parts: place(parts).update(values)


def manifest(parts: Parts) -> Fields:
    """Return the manifest."""
    return parts.manifest


def decoding(parts: Parts) -> Fields:
    """Return what the manifest says that the model was asked with."""
    return fields(parts.manifest["decoding"])


def step(parts: Parts) -> Fields:
    """Return the first step of the first strict episode of Snake."""
    return parts.step()


def episode(parts: Parts) -> Fields:
    """Return the first strict episode of Snake."""
    return parts.episode()


def memory(parts: Parts) -> Fields:
    """Return the first memory of Snake."""
    return parts.lines["memory/snake.jsonl"][0]


def cost(parts: Parts) -> Fields:
    """Return the first cost of Snake."""
    return parts.lines["costs/snake.jsonl"][0]
