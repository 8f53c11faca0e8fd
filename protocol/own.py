"""Protocols of one's own: files that a person points at or a board holds, beside those that ship; never a bundle's."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from games.near import hint
from protocol.errors import BundleError
from protocol.preset import Preset, preset_file, preset_named, preset_names

PROTOCOLS = "protocols"
"""The folder of a board that holds its own protocols, each as ID.toml."""
MAX_OWN = 200
"""Protocol files of one board."""
_SUFFIX = ".toml"
_RESTORE = "Restore the folder from the board's history."


@dataclass(frozen=True, slots=True)
class Protocols:
    """Where protocols are looked up: those of one's own, and those that ship."""

    own: Mapping[str, Preset] = field(default_factory=dict)

    def __call__(self, name: str) -> Preset:
        """Return the protocol with this id.

        Raises:
            ValueError: If there is none.
        """
        if name in self.own:
            return self.own[name]
        if self.own and name not in preset_names():
            known = (*preset_names(), *self.own)
            raise ValueError(f"protocol: expected one of {', '.join(known)}, got {name!r}{hint(name, known)}")
        return preset_named(name)


def protocols(files: Iterable[Path] | None, board: Path | None = None) -> Protocols:
    """Return where protocols are looked up: the given files, those that a board holds, and those that ship.

    Args:
        files: Files that a person points at.
        board: The folder of a board; what lies in its folder of protocols is read.

    Raises:
        ValueError: If a file holds none, or another one under the id of a released one or of another file.
        BundleError: If the board's folder holds what it should not.
    """
    found: dict[str, tuple[Path, Preset]] = {}
    for file in (*(files or ()), *(() if board is None else _board_files(board))):
        preset = preset_file(file)
        first, known = found.setdefault(preset.id, (file, preset))
        if known.digest != preset.digest:
            raise ValueError(
                f"{file}: expected another id than {preset.id!r}, or the very protocol that {first} holds: one id "
                "stands for one protocol"
            )
    return Protocols({name: preset for name, (_, preset) in found.items()})


def _board_files(board: Path) -> tuple[Path, ...]:
    """Return the protocol files of a board, each named after the protocol in it.

    Raises:
        BundleError: If there are too many, one is no plain file, or it is named after another protocol.
    """
    folder = board / PROTOCOLS
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise BundleError(PROTOCOLS, "a folder", "something else", _RESTORE)
    if not folder.is_dir():
        return ()
    files = sorted(path for path in folder.iterdir() if path.suffix == _SUFFIX)
    if len(files) > MAX_OWN:
        raise BundleError(PROTOCOLS, f"at most {MAX_OWN} protocol files", str(len(files)), _RESTORE)
    for path in files:
        place = f"{PROTOCOLS}/{path.name!a}"
        if not stat.S_ISREG(path.lstat().st_mode):
            raise BundleError(place, "a plain file", "a link or something else", _RESTORE)
        held = preset_file(path).id
        if path.name != f"{held}{_SUFFIX}":
            remedy = "Name the file after the id of the protocol in it, so that no two hold one id."
            raise BundleError(place, f"the file name {held}{_SUFFIX}", "another one", remedy)
    return tuple(files)
