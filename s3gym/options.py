"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

GAMES_KNOWN = "chess, minesweeper, nullify, tetris, snake, pvz, trust"
"""What help texts name; a test compares it with the games, which take longer to import than a help to print."""
REGISTRY = Path("submissions/keys")
Keys = Annotated[
    Path, typer.Option("--keys", help="Folder of registered team keys (TEAM.json), or a board with a signed registry.")
]
ProtocolFiles = Annotated[
    list[Path] | None,
    typer.Option("--protocol", metavar="FILE", help="The file of a protocol that is not released (repeat for more)."),
]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Verify every bundle again, also where this very bundle was accepted before.")
]
SUBMISSIONS = Path("submissions")
Submissions = Annotated[Path, typer.Option("--submissions", help="The board: its registry, entries/ and log.jsonl.")]
ROOT_KEY = Path("keys/root.key")
RootKeyFile = Annotated[Path, typer.Option("--root-key", help="The organisers' private key.")]
