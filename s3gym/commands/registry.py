"""``s3gym registry``: the organisers' signed list of team keys."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from s3gym.options import ROOT_KEY, SUBMISSIONS, ProtocolFiles, RootKeyFile, Submissions
from s3gym.output import out, plain, plain_errors

app = typer.Typer(no_args_is_help=True, help="The signed registry of team keys (organisers).")
RegistrationFile = Annotated[Path, typer.Argument(metavar="FILE", help="The team's TEAM.json.")]
Team = Annotated[str, typer.Argument(help="The team.")]


@app.command("init")
def init(submissions: Submissions = SUBMISSIONS, root_key: RootKeyFile = ROOT_KEY) -> None:
    """Begin a signed registry: make the root key where there is none, and sign an empty version 1.

    Keep the root key off the machine that builds the site. Publish its key id where others can see it: whoever reads
    the board compares it with root.json. From now on the folder keys/ of the board counts no more.
    """
    from protocol.durable import PRIVATE, new_file
    from protocol.signing import generate_key, load_key
    from scoring.root_files import begin, check_unbegun
    from scoring.signed_registry import REGISTRY

    with plain_errors():
        check_unbegun(submissions)
        if not root_key.exists():
            if (submissions / REGISTRY).exists():
                raise ValueError(f"root key: expected the one that signed {submissions / REGISTRY}, found none")
            new_file(root_key, generate_key(), mode=PRIVATE)
        root = begin(submissions, load_key(root_key.read_bytes()))
    console = out()
    console.print(f"Root key     {plain(str(root_key))}  (keep it secret and offline)")
    console.print(f"Its key id   {root.keyid}  (publish it)")
    console.print(f"Registry     {plain(str(submissions / REGISTRY))}, version 1, without a team")


@app.command("add")
def add(registration: RegistrationFile, submissions: Submissions = SUBMISSIONS) -> None:
    """Propose a team's first key, or the first one after a revoked one; the key must prove itself."""
    from s3gym.registering import propose_change, read_registration
    from scoring.signed_registry import Change

    with plain_errors():
        key = read_registration(registration)
        propose_change(submissions, Change(kind="add", team=key.team, key=key))


@app.command("rotate")
def rotate(registration: RegistrationFile, submissions: Submissions = SUBMISSIONS) -> None:
    """Propose a new key in the place of a team's active one, which must have signed it too.

    The team makes the file with s3gym keygen TEAM --replaces OLD.key. Entries that the old key signed stay.
    """
    from s3gym.registering import propose_change, read_registration
    from scoring.signed_registry import Change

    with plain_errors():
        key = read_registration(registration)
        propose_change(submissions, Change(kind="rotate", team=key.team, key=key))


@app.command("revoke")
def revoke(
    team: Team,
    reason: Annotated[str, typer.Option(help="Why; it is published.")],
    position: Annotated[
        int | None,
        typer.Option(min=0, help="Log position from which the key no longer counts. Default: where the log ends."),
    ] = None,
    submissions: Submissions = SUBMISSIONS,
) -> None:
    """Propose that a team's active key no longer counts: entries before the position stay, later ones are refused.

    With an earlier position, entries that stand after it must be disqualified; s3gym log verify names them.
    """
    from pydantic import ValidationError

    from s3gym.registering import propose_change
    from scoring.signed_registry import Change

    with plain_errors():
        try:
            change = Change(kind="revoke", team=team, position=position, reason=reason)
        except ValidationError as error:
            raise ValueError(f"revoke: {error.errors()[0]['msg']}") from error
        propose_change(submissions, change)


@app.command("sign")
def sign(submissions: Submissions = SUBMISSIONS, root_key: RootKeyFile = ROOT_KEY) -> None:
    """Sign the pending changes as the next version; they count from where the log ends now."""
    from protocol.signing import load_key
    from scoring.pending import sign_pending

    with plain_errors():
        if not root_key.is_file():
            raise ValueError(f"root key: expected the organisers' private key, found none at {root_key}")
        signed = sign_pending(submissions, load_key(root_key.read_bytes()))
    if not signed.changes:
        out().print(
            f"All that was pending is in version {signed.version} already, signed before a stop; it is done now."
        )
        return
    out().print(
        f"Version {signed.version}: {signed.changes} changes, counting from position {signed.position} of the log."
    )


@app.command("exchange-root")
def exchange_root(
    new_root_key: Annotated[
        Path | None, typer.Option(help="The new private key; it is made where there is none.")
    ] = None,
    submissions: Submissions = SUBMISSIONS,
    root_key: RootKeyFile = ROOT_KEY,
    protocol: ProtocolFiles = None,
    to_finish: Annotated[
        bool, typer.Option("--finish", help="Finish an exchange that stopped between its two files; no key is needed.")
    ] = False,
) -> None:
    """Let a new root key take the place of the old one: both sign, and the registry goes up by one version.

    The old key names its successor, the new one proves that its owner has it. Both vouch for the log as it stands and
    for the re-runs that the old key signed; nothing else that the old key signs counts from then on. The whole board is
    checked first (s3gym log verify). Who knows the old key is told which one follows (s3gym registry verify --root).

    If it stops at any moment, run it again: it begins anew, goes on, or says that it is done. Between its two files
    every reader refuses the board and names the command that finishes it, --finish.

    A root key that is lost cannot be exchanged.
    """
    from protocol.own import protocols
    from s3gym.registering import exchange_keys, gone_on
    from scoring.root_files import finish
    from scoring.signed_registry import REGISTRY, ROOT

    with plain_errors():
        if to_finish:
            done = finish(submissions)
        elif new_root_key is None:
            raise ValueError("new root key: expected --new-root-key FILE, or --finish")
        else:
            done = gone_on(submissions, root_key, new_root_key) or exchange_keys(
                submissions, root_key, new_root_key, protocols(protocol, submissions)
            )
    console = out()
    if done is None:
        console.print(f"Nothing to finish: {ROOT} names the key that signs {REGISTRY}.")
        return
    where = "" if new_root_key is None else f"{plain(str(new_root_key))}  "
    console.print(f"Root key     {where}(keep it secret and offline; the old one signs no more)")
    console.print(f"Its key id   {done.new.keyid}  (publish it beside the old one, {done.old.keyid})")
    console.print(f"Registry     {plain(str(submissions / REGISTRY))}, version {done.version}")


@app.command("verify")
def verify(
    submissions: Submissions = SUBMISSIONS,
    root: Annotated[str | None, typer.Option(help="The root key id that you know from elsewhere.")] = None,
) -> None:
    """Check the registry: root signature, every proof, one team a key, one active key a team, no older version.

    A root key that was exchanged is followed to the one that signs now, offline, by the signatures of both keys of each
    exchange; it says so, since from then on you know another key.

    Exit code 0: it holds; 1: it does not; 2: there is none to check.
    """
    from rich.table import Table

    from protocol.errors import BundleError
    from scoring.board import open_board
    from scoring.pending import read_pending
    from scoring.signed_registry import REGISTRY, ROOT, read_registry, read_root

    with plain_errors():
        if not (submissions / ROOT).exists() and not (submissions / REGISTRY).exists():
            raise ValueError(f"{submissions}: expected a signed registry, found none; begin one: s3gym registry init")
        known = read_root(submissions)
        record, _, roots = read_registry(submissions, known)
        since = roots.since(root or known.keyid)
        if since is None:
            got = f"{known.keyid}, to which no exchange leads from there"
            raise BundleError(ROOT, f"the root key {root}", got, "Do not trust this board.")
        open_board(submissions)
        waiting, signed = map(len, read_pending(submissions))
    table = Table(box=None, pad_edge=False)
    for heading in ("team", "key", "status", "from", "until", "reason"):
        table.add_column(heading, overflow="fold")
    for key in record.keys:
        until = "" if key.until is None else str(key.until)
        table.add_row(key.team, key.keyid[:16], key.status, str(key.since), until, plain(key.reason or ""))
    console = out()
    console.print(table)
    console.print(f"Version {record.version}, {len(record.keys)} keys, signed by root key {known.keyid}")
    for each in roots.exchanges:
        console.print(
            f"Root key {each.old.keyid} gave way to {each.new.keyid} with version {each.version}; both signed."
        )
    if since:
        console.print(
            f"[yellow]The root key that you know was exchanged: compare with {known.keyid} from now on.[/] Ask the "
            "organisers by another channel: a stolen key can be exchanged by its thief as well."
        )
    if waiting:
        console.print(f"[yellow]{waiting} pending changes are not signed and do not count.[/]")
    if signed:
        console.print(
            f"[yellow]{signed} changes are signed and listed as pending: s3gym registry sign takes them off.[/]"
        )
