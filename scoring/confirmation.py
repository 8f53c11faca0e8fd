"""A re-run by the organisers: on what it is played, what it gave, and its files, signed with their root key."""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import Field

from games.registry import game_named
from protocol.bundle import file_name
from protocol.preset import Preset
from protocol.record import Record
from protocol.records import Count, Decoding, Digest, Endpoint, EpisodeRecord, Label, Manifest, Name, Points
from protocol.schedule import Slot, strict_seeds
from protocol.signing import sign
from protocol.strictjson import Several, write_record
from scoring.starts import start_of
from scoring.statistics.means import mean_interval
from scoring.twins import episodes_digest
from scoring.verified import VerifiedBundle, VerifiedRun

CONFIRMATIONS = "confirmations"
CONFIRMATION = "confirmation.dsse.json"
CONFIRMATION_TYPE = "application/vnd.s3gym.confirmation+json"


class ConfirmedGame(Record):
    """What the re-run of one game gave, beside what the entry claims."""

    game: Name
    rules_version: Count
    scores: Several[Points]
    """The scores of the valid episodes, in the order of the seeds."""
    failed: Count
    mean: Points | None
    low: Points | None
    """The ends of the simple 95% t interval of the mean; null where the scores do not vary or are fewer than two."""
    high: Points | None
    claimed: Points | None
    """The entry's last checkpoint, on its own seeds; null if that failed."""
    claimed_episodes: Count
    episodes: Digest
    """The digest of the episodes, which lie beside the record."""


class Confirmation(Record):
    """An independent confirmation of an entry."""

    schema_id: Literal["s3gym-confirmation-1"] = "s3gym-confirmation-1"
    entry: Name
    team: Name
    bundle_digest: Digest
    protocol: Name
    protocol_digest: Digest
    round: Name
    strict_episodes: Annotated[int, Field(ge=1, le=1000)]
    checkpoint: Count
    model: Label
    """The model that was asked for, as the organisers name it."""
    endpoint: Endpoint
    decoding: Decoding
    runner_version: Label
    runner_digest: Digest
    games: Several[ConfirmedGame]


class RerunEntry(NamedTuple):
    """The entry that a re-run is about, as its accepted bundle says."""

    manifest: Manifest
    digest: str
    """SHA-256 of the envelope file."""
    preset: Preset
    levels: Mapping[str, frozenset[str]]
    """The layout digests of all levels that it played, by game, in the order of its games."""


def entry_of(bundle: VerifiedBundle) -> RerunEntry:
    """Return what a re-run must know of an entry."""
    levels = {run.game.id: frozenset(each.record.layout_digest for each in run.episodes) for run in bundle.runs}
    return RerunEntry(bundle.manifest, bundle.digest, bundle.preset, levels)


def on_round(preset: Preset, round_name: str, strict_episodes: int) -> Preset:
    """Return a protocol on so many strict seeds of another round."""
    changed = {"round": round_name, "strict_episodes": strict_episodes}
    return Preset.model_validate({**preset.model_dump(), **changed})


def staleness(entry: RerunEntry, preset: Preset) -> str | None:
    """Return why a round is not fresh: the entry's own, or with a level that it played or that comes twice."""
    if preset.round == entry.preset.round:
        return f"{preset.round}, on which the entry was played"
    for name, levels in entry.levels.items():
        game = game_named(name)
        if not game.distinct_layouts:
            continue
        config = preset.config(game, "strict")
        played = set(levels)
        for seed in strict_seeds(preset, name):
            layout = start_of(game, config, seed).layout_digest
            if layout in played:
                return f"{preset.round}, where a level of {name} was played before"
            played.add(layout)
    return None


def fresh_preset(bundle: VerifiedBundle, round_name: str, strict_episodes: int) -> Preset:
    """Return an entry's protocol on strict seeds of a fresh round.

    Raises:
        ValueError: If the round is the entry's own, or one of its levels was played by the entry or comes twice.
    """
    preset = on_round(bundle.preset, round_name, strict_episodes)
    stale = staleness(entry_of(bundle), preset)
    if stale is not None:
        raise ValueError(f"round: expected a fresh one, got {stale}; choose another name")
    return preset


def fresh_slots(preset: Preset, game: str) -> tuple[Slot, ...]:
    """Return the strict episodes of a re-run: the last checkpoint on the round's seeds."""
    seeds = strict_seeds(preset, game)
    return tuple(Slot("strict", preset.checkpoints[-1], index, 0, seed) for index, seed in enumerate(seeds))


def confirmed_game(bundle: VerifiedBundle, run: VerifiedRun, records: Sequence[EpisodeRecord]) -> ConfirmedGame:
    """Return what a re-run's episodes say of one game."""
    scores = tuple(record.score for record in records if record.score is not None)
    found = mean_interval(scores) if scores else None
    last = bundle.preset.checkpoints[-1]
    claimed = next(each for each in bundle.manifest.checkpoints if each.game == run.game.id and each.checkpoint == last)
    return ConfirmedGame(
        game=run.game.id,
        rules_version=run.game.rules_version,
        scores=scores,
        failed=len(records) - len(scores),
        mean=None if found is None else found.mean,
        low=None if found is None else found.low,
        high=None if found is None else found.high,
        claimed=claimed.score,
        claimed_episodes=claimed.valid,
        episodes=episodes_digest(run.game.id, records).sha256,
    )


def confirmation_files(
    confirmation: Confirmation, records: dict[str, Sequence[EpisodeRecord]], key: Ed25519PrivateKey
) -> dict[str, bytes]:
    """Return the files of a signed confirmation."""
    files = {
        file_name("episodes", game): gzip.compress(b"".join(write_record(each) + b"\n" for each in found), mtime=0)
        for game, found in records.items()
    }
    files[CONFIRMATION] = sign(write_record(confirmation), key, CONFIRMATION_TYPE)
    return files
