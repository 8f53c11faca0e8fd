"""``s3gym keygen``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from protocol.names import check_name
from protocol.signing import generate_key, load_key, team_key, write_team_key
from s3gym.output import out, plain, plain_errors


def make_key(team: str, folder: Path, registry: Path | None) -> tuple[Path, Path]:
    """Make a key pair; the private key is readable by its owner only.

    Returns:
        The private key file and the registration file.

    Raises:
        ValueError: If the team's name is no name.
        FileExistsError: If either file exists; a key is never overwritten.
    """
    try:
        check_name(team)
    except ValueError as error:
        raise ValueError(f"team: {error}") from error
    pem = generate_key()
    registration = write_team_key(team_key(team, load_key(pem)))
    folder.mkdir(parents=True, exist_ok=True)
    private, public = folder / f"{team}.key", (registry or folder) / f"{team}.json"
    public.parent.mkdir(parents=True, exist_ok=True)
    for path in (private, public):
        if path.exists():
            raise FileExistsError(f"{path}: expected no such file; a key is never overwritten. Move it away first.")
    descriptor = os.open(private, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(pem)
    public.write_bytes(registration)
    return private, public


def keygen(
    team: Annotated[str, typer.Argument(help="Team name: lower-case letters, digits, dot, dash, underscore.")],
    folder: Annotated[Path, typer.Option("--out", help="Where the private key goes.")] = Path("keys"),
    registry: Annotated[
        Path | None,
        typer.Option(help="Register the public key here (organisers: submissions/keys); else it lies beside the key."),
    ] = None,
) -> None:
    """Make a team's signing key.

    The private key stays with you: never put it into a bundle or a repository. The registration, [bold]TEAM.json[/],
    goes to the organisers, or into the registry folder of your own board.
    """
    with plain_errors():
        private, public = make_key(team, folder, registry)
    console = out()
    console.print(f"Private key  {plain(str(private))}  (keep it secret)")
    console.print(f"Registration {plain(str(public))}  (give it to the organisers)")
