"""The registry of teams: which key may sign for whom."""

from __future__ import annotations

from pathlib import Path

from protocol.bundle import read_file
from protocol.errors import BundleError
from protocol.signing import TeamKey
from protocol.strictjson import read_record

_MAX_KEY_FILE = 4096


class Registry:
    """A folder with one ``<team>.json`` a team."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise ValueError(f"registry: expected a folder of team keys, found none at {folder}")
        self._folder = folder

    def __call__(self, team: str) -> TeamKey:
        """Return the registered key of a team.

        Raises:
            BundleError: If the team has none, or its file is not valid.
        """
        path = self._folder / f"{team}.json"
        file = f"keys/{team}.json"
        if not path.is_file():
            raise BundleError(
                file,
                "a registered key of this team",
                "no such team",
                "Register the team's public key first (s3gym keygen).",
            )
        data = read_file(self._folder, f"{team}.json", _MAX_KEY_FILE)
        key = read_record(TeamKey, data, file)
        if key.team != team:
            raise BundleError(file, f"the key of {team}", f"the key of {key.team}", "Register the key again.")
        return key
