"""The registry of teams: which key may sign for whom, and from which position of the acceptance log on."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from protocol.bundle import read_file
from protocol.errors import BundleError
from protocol.signing import TeamKey, check_registration
from protocol.strictjson import read_record
from scoring.acceptance import RegistryMark
from scoring.root_keys import Roots
from scoring.signed_registry import REGISTRY, ROOT, SignedRegistry, read_registry, read_root

KEYS = "keys"
MAX_KEY_FILE = 16384


class Registry:
    """A folder with one ``<team>.json`` a team: an unsigned registry, as a local board has it."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise ValueError(
                f"registry: expected a folder of team keys (TEAM.json), found none at {folder}; give one with --keys"
            )
        self._folder = folder

    def __call__(self, team: str) -> TeamKey:
        """Return the registered key of a team.

        Raises:
            BundleError: If the team has none, or its file is not valid.
        """
        path = self._folder / f"{team}.json"
        file = f"keys/{team}.json"
        if not path.is_file():
            raise _unknown(file)
        key = read_team_key(read_file(self._folder, f"{team}.json", MAX_KEY_FILE), file)
        if key.team != team:
            raise BundleError(file, f"the key of {team}", f"the key of {key.team}", "Register the key again.")
        return key


class Keyring(NamedTuple):
    """The keys of a board over time."""

    keys_of: Callable[[str], tuple[TeamKey, ...]]
    """Every key that a team has or had; raises BundleError for an unknown team."""
    mark: RegistryMark | None
    """Version and digest of a signed registry; None for an unsigned one."""
    roots: Roots | None
    """Who signs it, and who did before."""
    reach: int = 0
    """The furthest position of the log at which a key of a signed registry begins or ends to count."""

    @property
    def words(self) -> str:
        """Return what kind of registry this is, as it is shown beside whatever rests on it."""
        if self.mark is None:
            return "unsigned registry"
        words = f"registry version {self.mark.version}, signed by the organisers' root key {self.mark.root}"
        exchanges = () if self.roots is None else self.roots.exchanges
        before = (f"{each.old.keyid} before version {each.version}" for each in reversed(exchanges))
        return "; ".join([words, *before])

    @property
    def short(self) -> str:
        """Return the same in few words."""
        return "unsigned registry" if self.mark is None else f"signed registry, version {self.mark.version}"

    def at(self, position: int) -> Callable[[str], TeamKey]:
        """Return who may sign for a team at a position of the log."""

        def key_of(team: str) -> TeamKey:
            keys = [key for key in self.keys_of(team) if key.since <= position]
            if not keys:
                raise _unknown(f"keys/{team}.json")
            key = keys[-1]
            for each in keys:
                if each.until is not None and position < each.until:
                    key = each.model_copy(update={"status": "active"})
                elif each.until is None and each.status == "active":
                    key = each
            return key

        return key_of


def open_keyring(submissions: Path) -> Keyring:
    """Return the keys of a board: those of its signed registry, or of its folder ``keys/`` where it never had one.

    Raises:
        BundleError: If a signed registry is damaged or gone.
        ValueError: If there is no registry.
    """
    if not any(os.path.lexists(submissions / name) for name in (ROOT, REGISTRY)):
        if not (submissions / KEYS).is_dir():
            raise ValueError(
                f"board: expected a folder with a registry, {REGISTRY} or {KEYS}/, found none in {submissions}; "
                "point at the board with --submissions"
            )
        registry = Registry(submissions / KEYS)
        return Keyring(lambda team: (registry(team),), None, None)
    return keyring_of(read_registry(submissions, read_root(submissions)))


def keyring_of(registry: SignedRegistry) -> Keyring:
    """Return the keys of a signed registry."""
    record, digest, roots = registry

    def keys_of(team: str) -> tuple[TeamKey, ...]:
        keys = tuple(key for key in record.keys if key.team == team)
        if not keys:
            raise _unknown(f"{REGISTRY}, team {team}")
        return keys

    mark = RegistryMark(version=record.version, digest=digest, root=roots.current.keyid)
    return Keyring(keys_of, mark, roots, max((key.until or key.since for key in record.keys), default=0))


def read_team_key(data: bytes, file: str) -> TeamKey:
    """Return the key of a registration file; a proof in it must hold.

    Raises:
        BundleError: If it is not valid.
    """
    key = read_record(TeamKey, data, file)
    if key.proof is not None and key.replaces is None:
        check_registration(key, file)
    return key


def _unknown(file: str) -> BundleError:
    return BundleError(
        file, "a registered key of this team", "no such team", "Register the team's public key first (s3gym keygen)."
    )
