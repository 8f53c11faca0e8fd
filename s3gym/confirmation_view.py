"""The entry that is re-run, and what its re-run gave."""

from __future__ import annotations

from pathlib import Path

from rich import box
from rich.table import Table

from s3gym.output import out
from scoring.acceptance import TOMBSTONES
from scoring.board import Board
from scoring.confirmation import Confirmation
from scoring.verified import VerifiedBundle
from scoring.verify import PresetOf, verify


def board_bundle(board: Board, bundle: Path, preset_of: PresetOf) -> VerifiedBundle:
    """Verify an entry of a board, with the key that counted at its position.

    Raises:
        RefusedError: If it no longer passes.
        ValueError: If it is not the bundle of an entry that stands or is held.
    """
    standing = board.standings.get(bundle.resolve().name)
    if standing is None or standing.state in TOMBSTONES:
        raise ValueError(f"bundle: expected an entry of the board that stands or is held, got {bundle}")
    verified = verify(bundle, board.keyring.at(standing.accepted_at), preset_of)
    if verified.digest != standing.subject.bundle_digest:
        raise ValueError(f"bundle: expected the bundle {standing.subject.bundle_digest}, got {verified.digest}")
    return verified


def show_confirmation(confirmation: Confirmation) -> None:
    """Print what a re-run gave, beside what was claimed."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("game")
    for heading in ("re-run", "95% interval", "episodes", "claimed", "of episodes"):
        table.add_column(heading, justify="right", no_wrap=True)
    for game in confirmation.games:
        interval = "-" if game.low is None or game.high is None else f"{game.low:.3f} to {game.high:.3f}"
        mean, claimed = ("-" if value is None else f"{value:.3f}" for value in (game.mean, game.claimed))
        table.add_row(game.game, mean, interval, str(len(game.scores)), claimed, str(game.claimed_episodes))
    out().print(table)
