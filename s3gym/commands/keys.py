"""``s3gym keygen``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from s3gym.output import out, plain, plain_errors


class Made(NamedTuple):
    """A key pair on disk."""

    private: Path
    registration: Path
    there: bool
    """Whether the private key lay there already, without its registration."""


def make_key(team: str, folder: Path, registry: Path | None, replaces: Path | None = None) -> Made:
    """Make a key pair; the private key is readable by its owner only.

    The private key comes first. Where it is there without its registration, as after a stop between the two, the
    registration is made of it.

    Raises:
        ValueError: If the team's name is no name, or the key to be replaced is none or the very one.
        FileExistsError: If there is a registration; nothing is ever overwritten.
    """
    from protocol.durable import PRIVATE, new_file
    from protocol.names import check_name
    from protocol.signing import generate_key, load_key, team_key, write_team_key

    try:
        check_name(team)
    except ValueError as error:
        raise ValueError(f"team: {error}") from error
    old = None if replaces is None else load_key(replaces.read_bytes())
    private, public = folder / f"{team}.key", (registry or folder) / f"{team}.json"
    if public.exists():
        raise FileExistsError(f"{public}: expected no such file; a key is never overwritten. Move it away first.")
    there = private.exists()
    if not there:
        new_file(private, generate_key(), mode=PRIVATE)
    key = load_key(private.read_bytes())
    if old is not None and team_key(team, old).keyid == team_key(team, key).keyid:
        raise ValueError(f"replaces: expected another key than the one in {private}; move that away first")
    new_file(public, write_team_key(team_key(team, key, replaces=old)))
    return Made(private, public, there)


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
    theirs. To change keys, move the old files away and give the old key with [bold]--replaces[/]. A private key that
    lies there without its registration, as after a stop between the two, gets its registration.
    """
    with plain_errors():
        made = make_key(team, folder, registry, replaces)
    console = out()
    console.print(f"Private key  {plain(str(made.private))}  ({'it was there; ' if made.there else ''}keep it secret)")
    console.print(f"Registration {plain(str(made.registration))}  (give it to the organisers)")
