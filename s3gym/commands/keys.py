"""``s3gym keygen``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protocol.names import check_name
from protocol.signing import generate_key, load_key, team_key, write_team_key
from s3gym.output import out, plain, plain_errors
from s3gym.private_files import write_private


def make_key(team: str, folder: Path, registry: Path | None, replaces: Path | None = None) -> tuple[Path, Path]:
    """Make a key pair; the private key is readable by its owner only.

    Returns:
        The private key file and the registration file.

    Raises:
        ValueError: If the team's name is no name, or the key to be replaced is none.
        FileExistsError: If either file exists; a key is never overwritten.
    """
    try:
        check_name(team)
    except ValueError as error:
        raise ValueError(f"team: {error}") from error
    pem = generate_key()
    old = None if replaces is None else load_key(replaces.read_bytes())
    registration = write_team_key(team_key(team, load_key(pem), replaces=old))
    private, public = folder / f"{team}.key", (registry or folder) / f"{team}.json"
    for path in (private, public):
        if path.exists():
            raise FileExistsError(f"{path}: expected no such file; a key is never overwritten. Move it away first.")
    write_private(private, pem)
    public.parent.mkdir(parents=True, exist_ok=True)
    public.write_bytes(registration)
    return private, public


def keygen(
    team: Annotated[str, typer.Argument(help="Team name: lower-case letters, digits, dot, dash, underscore.")],
    folder: Annotated[Path, typer.Option("--out", help="Where the private key goes.")] = Path("keys"),
    registry: Annotated[
        Path | None,
        typer.Option(
            help="Register the public key here, on a local board without a signed registry (submissions/keys); else it "
            "lies beside the key."
        ),
    ] = None,
    replaces: Annotated[
        Path | None,
        typer.Option(help="The private key that the new one takes the place of: it signs the registration too."),
    ] = None,
) -> None:
    """Make a team's signing key and its registration.

    The private key stays with you: never put it into a bundle or a repository. The registration, [bold]TEAM.json[/],
    goes to the organisers: team and public key, signed with the key itself, so that nobody registers a key that is not
    theirs. To change keys, move the old files away and give the old key with [bold]--replaces[/].
    """
    with plain_errors():
        private, public = make_key(team, folder, registry, replaces)
    console = out()
    console.print(f"Private key  {plain(str(private))}  (keep it secret)")
    console.print(f"Registration {plain(str(public))}  (give it to the organisers)")
