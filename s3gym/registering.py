"""Changes to a signed registry and the exchange of its root key, as the organisers make them on their machine."""

from __future__ import annotations

from pathlib import Path

from protocol.bundle import read_file
from protocol.durable import PRIVATE, new_file
from protocol.signing import TeamKey, generate_key, load_key
from s3gym.output import out, plain
from scoring.pending import PENDING, propose, read_pending
from scoring.registry import MAX_KEY_FILE, read_team_key
from scoring.root_files import Exchange, check_exchange, done_before, exchange, finish
from scoring.root_keys import root_of
from scoring.signed_registry import Change, read_ahead, read_root
from scoring.verify import PresetOf


def propose_change(submissions: Path, change: Change) -> None:
    """Write a change down as pending, and say so."""
    waiting = propose(submissions, change)
    out().print(f"{waiting} pending: {plain(str(submissions / PENDING))}. Nothing counts before s3gym registry sign.")


def read_registration(path: Path) -> TeamKey:
    """Return the key of a team's registration."""
    if not path.is_file():
        raise ValueError(f"registration: expected the team's TEAM.json, found none at {path}")
    return read_team_key(read_file(path.resolve().parent, path.resolve().name, MAX_KEY_FILE), path.name)


def gone_on(submissions: Path, root_key: Path, new_root_key: Path) -> Exchange | None:
    """Finish the exchange between these keys if it stopped; None if it was not begun."""
    if not new_root_key.is_file():
        return None
    new = load_key(new_root_key.read_bytes())
    ahead = read_ahead(submissions, read_root(submissions))
    if ahead is not None and ahead.roots.current == root_of(new):
        return finish(submissions)
    if ahead is not None or not root_key.is_file():
        return None
    return done_before(submissions, load_key(root_key.read_bytes()), new)


def exchange_keys(submissions: Path, root_key: Path, new_root_key: Path, preset_of: PresetOf) -> Exchange:
    """Let a new root key take the place of the old one; the whole board is checked first."""
    if not root_key.is_file():
        raise ValueError(f"root key: expected the organisers' private key, found none at {root_key}")
    if read_pending(submissions).waiting:
        raise ValueError(f"{submissions / PENDING}: expected no pending change; sign or remove them first")
    old = load_key(root_key.read_bytes())
    check_exchange(submissions, old, preset_of)
    if not new_root_key.exists():
        new_file(new_root_key, generate_key(), mode=PRIVATE)
    return exchange(submissions, old, load_key(new_root_key.read_bytes()))
