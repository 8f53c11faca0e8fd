"""``s3gym registry``: the organisers' signed list of team keys."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError
from rich.table import Table

from protocol.errors import BundleError
from protocol.signing import TeamKey, generate_key, load_key
from protocol.strictjson import read_record, write_record
from s3gym.commands.submit import SUBMISSIONS, Submissions
from s3gym.commands.verify import Protocols, presets
from s3gym.output import out, plain, plain_errors
from s3gym.private_files import write_private
from scoring.acceptance import LOG, head_of, read_log
from scoring.board import open_board
from scoring.confirmed import signed_by
from scoring.log_check import check_board
from scoring.registry import read_team_key
from scoring.root_keys import root_of
from scoring.signed_registry import (
    REGISTRY,
    ROOT,
    Change,
    LogEnd,
    RegistryRecord,
    applied,
    exchanged,
    read_registry,
    read_root,
    sign_registry,
)

PENDING = "registry.pending.jsonl"
_MAX_PENDING = 4 << 20
app = typer.Typer(no_args_is_help=True, help="The signed registry of team keys (organisers).")
RootKeyFile = Annotated[Path, typer.Option("--root-key", help="The organisers' private key.")]
ROOT_KEY = Path("keys/root.key")
RegistrationFile = Annotated[Path, typer.Argument(metavar="FILE", help="The team's TEAM.json.")]
Team = Annotated[str, typer.Argument(help="The team.")]


def _pending(submissions: Path) -> list[Change]:
    path = submissions / PENDING
    if not path.exists():
        return []
    if path.stat().st_size > _MAX_PENDING:
        raise BundleError(PENDING, f"at most {_MAX_PENDING} bytes", "more", "Sign or remove it.")
    lines = path.read_bytes().splitlines()
    return [read_record(Change, line, PENDING, f"line {number}") for number, line in enumerate(lines, 1)]


def _next(submissions: Path, changes: list[Change]) -> RegistryRecord:
    """Return the registry as it would be with these changes, at where the log ends now."""
    record = read_registry(submissions, read_root(submissions)).record
    length = len(read_log(submissions / LOG))
    for change in changes:
        record = applied(record, change, length)
    return record


def _propose(submissions: Path, change: Change) -> None:
    changes = [*_pending(submissions), change]
    _next(submissions, changes)
    with (submissions / PENDING).open("ab") as file:
        file.write(write_record(change) + b"\n")
    out().print(
        f"{len(changes)} pending: {plain(str(submissions / PENDING))}. Nothing counts before s3gym registry sign."
    )


def _replace(path: Path, content: bytes) -> None:
    partial = path.with_name(f".{path.name}.partial")
    partial.write_bytes(content)
    partial.replace(path)


def _read_registration(path: Path) -> TeamKey:
    if not path.is_file():
        raise ValueError(f"registration: expected the team's TEAM.json, found none at {path}")
    return read_team_key(path.read_bytes()[:16385], path.name)


@app.command("init")
def init(submissions: Submissions = SUBMISSIONS, root_key: RootKeyFile = ROOT_KEY) -> None:
    """Begin a signed registry: make the root key where there is none, and sign an empty version 1.

    Keep the root key off the machine that builds the site. Publish its key id where others can see it: whoever reads
    the board compares it with root.json. From now on the folder keys/ of the board counts no more.
    """
    with plain_errors():
        for name in (REGISTRY, ROOT):
            if (submissions / name).exists():
                raise ValueError(f"{submissions / name}: expected no registry yet, found one; it is never begun anew")
        if read_log(submissions / LOG):
            raise ValueError(f"{submissions / LOG}: expected an empty log; a board begins with its signed registry")
        if not root_key.exists():
            write_private(root_key, generate_key())
        key = load_key(root_key.read_bytes())
        root = root_of(key)
        signed = sign_registry(RegistryRecord(version=1, root=root.keyid, keys=()), key)
        submissions.mkdir(parents=True, exist_ok=True)
        (submissions / ROOT).write_bytes(write_record(root) + b"\n")
        (submissions / REGISTRY).write_bytes(signed)
    console = out()
    console.print(f"Root key     {plain(str(root_key))}  (keep it secret and offline)")
    console.print(f"Its key id   {root.keyid}  (publish it)")
    console.print(f"Registry     {plain(str(submissions / REGISTRY))}, version 1, without a team")


@app.command("add")
def add(registration: RegistrationFile, submissions: Submissions = SUBMISSIONS) -> None:
    """Propose a team's first key, or the first one after a revoked one; the key must prove itself."""
    with plain_errors():
        key = _read_registration(registration)
        _propose(submissions, Change(kind="add", team=key.team, key=key))


@app.command("rotate")
def rotate(registration: RegistrationFile, submissions: Submissions = SUBMISSIONS) -> None:
    """Propose a new key in the place of a team's active one, which must have signed it too.

    The team makes the file with s3gym keygen TEAM --replaces OLD.key. Entries that the old key signed stay.
    """
    with plain_errors():
        key = _read_registration(registration)
        _propose(submissions, Change(kind="rotate", team=key.team, key=key))


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
    with plain_errors():
        try:
            change = Change(kind="revoke", team=team, position=position, reason=reason)
        except ValidationError as error:
            raise ValueError(f"revoke: {error.errors()[0]['msg']}") from error
        _propose(submissions, change)


@app.command("sign")
def sign(submissions: Submissions = SUBMISSIONS, root_key: RootKeyFile = ROOT_KEY) -> None:
    """Sign the pending changes as the next version; they count from where the log ends now."""
    with plain_errors():
        if not root_key.is_file():
            raise ValueError(f"root key: expected the organisers' private key, found none at {root_key}")
        board = open_board(submissions)
        changes = _pending(submissions)
        if not changes:
            raise ValueError(f"{submissions / PENDING}: expected pending changes, found none")
        record = _next(submissions, changes)
        record = record.model_copy(update={"version": record.version + 1})
        signed = sign_registry(record, load_key(root_key.read_bytes()))
        _replace(submissions / REGISTRY, signed)
        (submissions / PENDING).unlink()
    out().print(
        f"Version {record.version}: {len(changes)} changes, counting from position {len(board.lines)} of the log."
    )


@app.command("exchange-root")
def exchange_root(
    new_root_key: Annotated[Path, typer.Option(help="The new private key; it is made where there is none.")],
    submissions: Submissions = SUBMISSIONS,
    root_key: RootKeyFile = ROOT_KEY,
    protocol_file: Protocols = None,
) -> None:
    """Let a new root key take the place of the old one: both sign, and the registry goes up by one version.

    The old key names its successor, the new one proves that its owner has it. Both vouch for the log as it stands and
    for the re-runs that the old key signed; nothing else that the old key signs counts from then on. The whole board is
    checked first (s3gym log verify). Who knows the old key is told which one follows (s3gym registry verify --root).

    A root key that is lost cannot be exchanged.
    """
    with plain_errors():
        if not root_key.is_file():
            raise ValueError(f"root key: expected the organisers' private key, found none at {root_key}")
        board = open_board(submissions)
        registry = read_registry(submissions, read_root(submissions))
        if _pending(submissions):
            raise ValueError(f"{submissions / PENDING}: expected no pending change; sign or remove them first")
        old = load_key(root_key.read_bytes())
        if root_of(old) != registry.roots.current:
            raise ValueError(f"root key: expected key {registry.roots.current.keyid}, got {root_of(old).keyid}")
        fault = next(iter(check_board(submissions, preset_of=presets(protocol_file)).faults), None)
        if fault is not None:
            raise BundleError(fault.file, fault.expected, fault.got, fault.remedy, place=fault.place, step=fault.step)
        if not new_root_key.exists():
            write_private(new_root_key, generate_key())
        new = load_key(new_root_key.read_bytes())
        end = LogEnd(len(board.lines), head_of(board.lines))
        record = exchanged(registry, old, new, end, signed_by(board, registry.roots.current.keyid))
        _replace(submissions / REGISTRY, sign_registry(record, new))
        _replace(submissions / ROOT, write_record(root_of(new)) + b"\n")
        open_board(submissions)
    console = out()
    console.print(f"Root key     {plain(str(new_root_key))}  (keep it secret and offline; the old one signs no more)")
    console.print(f"Its key id   {record.root}  (publish it beside the old one, {registry.roots.current.keyid})")
    console.print(f"Registry     {plain(str(submissions / REGISTRY))}, version {record.version}")


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
        waiting = len(_pending(submissions))
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
