"""A re-run by the organisers: what it gave, signed with their root key, and read again with as little trust."""

from __future__ import annotations

import gzip
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import Field

from games.base import number
from protocol.bundle import MAX_ENVELOPE, MAX_FILE, content_lines, file_name, read_file
from protocol.context import ContextOverflowError
from protocol.digests import layout_digest
from protocol.errors import BundleError
from protocol.preset import Preset
from protocol.records import Count, Decoding, Digest, Endpoint, EpisodeRecord, Label, Name, Points, Record
from protocol.schedule import Slot, episode_name, strict_seeds
from protocol.signing import check_signature, read_envelope, sign
from protocol.strictjson import read_record, write_record
from scoring.carried import last_context, walk
from scoring.signed_registry import RootKey
from scoring.statistics.means import mean_interval
from scoring.twins import episodes_digest
from scoring.verified import VerifiedBundle, VerifiedRun

CONFIRMATIONS = "confirmations"
CONFIRMATION = "confirmation.dsse.json"
CONFIRMATION_TYPE = "application/vnd.s3gym.confirmation+json"
_REMEDY = "Restore it from the board's history, or re-run the entry again."


class ConfirmedGame(Record):
    """What the re-run of one game gave, beside what the entry claims."""

    game: Name
    rules_version: Count
    scores: tuple[Points, ...]
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
    games: tuple[ConfirmedGame, ...]


def fresh_preset(bundle: VerifiedBundle, round_name: str, strict_episodes: int) -> Preset:
    """Return an entry's protocol on strict seeds of a fresh round.

    Raises:
        ValueError: If the round is the entry's own, or one of its levels was played by the entry or comes twice.
    """
    if round_name == bundle.preset.round:
        raise ValueError(f"round: expected a fresh one, got {round_name!r}, on which the entry was played")
    changed = {"round": round_name, "strict_episodes": strict_episodes}
    preset = Preset.model_validate({**bundle.preset.model_dump(), **changed})
    for run in bundle.runs:
        if not run.game.distinct_layouts:
            continue
        config = preset.config(run.game, "strict")
        played = {episode.record.layout_digest for episode in run.episodes}
        for seed in strict_seeds(preset, run.game.id):
            layout = layout_digest(run.game, run.game.start(config, seed))
            if layout in played:
                raise ValueError(f"round {round_name}: a level of {run.game.id} was played before; choose another name")
            played.add(layout)
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


def read_confirmation(folder: Path, root: RootKey, bundle: VerifiedBundle) -> Confirmation:
    """Return a confirmation of a verified bundle, after checking all of it that can be checked.

    The signature is the organisers'; the episodes are replayed on the round's seeds, their prompts rebuilt from the
    bundle, their numbers computed again. That the named model answered rests on the organisers' word alone.

    Raises:
        BundleError: If anything in it does not hold.
    """
    where = f"{CONFIRMATIONS}/{bundle.manifest.entry}/{folder.name}"
    file = f"{where}/{CONFIRMATION}"
    signed = read_envelope(read_file(folder, CONFIRMATION, MAX_ENVELOPE), file, CONFIRMATION_TYPE)
    if signed.keyid != root.keyid:
        raise BundleError(file, f"a signature by the root key {root.keyid}", f"one by {signed.keyid}", _REMEDY)
    check_signature(signed, root.keyid, root.public_key, file)
    found = read_record(Confirmation, signed.payload, file, "payload")
    manifest = bundle.manifest
    told = (found.entry, found.team, found.bundle_digest, found.protocol_digest, found.round)
    wanted = (manifest.entry, manifest.team, bundle.digest, manifest.protocol_digest, folder.name)
    if told != wanted or [game.game for game in found.games] != [run.game.id for run in bundle.runs]:
        raise BundleError(file, f"a confirmation of {' '.join(wanted[:3])}, all its games", "another one", _REMEDY)
    try:
        preset = fresh_preset(bundle, found.round, found.strict_episodes)
    except ValueError as error:
        raise BundleError(file, "a fresh round", str(error), _REMEDY) from error
    for run, game in zip(bundle.runs, found.games, strict=True):
        name = file_name("episodes", run.game.id)
        lines = content_lines(read_file(folder, name, MAX_FILE), name)
        records = [read_record(EpisodeRecord, line, f"{where}/{name}", f"line {i}") for i, line in enumerate(lines, 1)]
        _check_episodes(bundle, run, preset, records, f"{where}/{name}")
        _same(confirmed_game(bundle, run, records), game, file)
    return found


def _check_episodes(
    bundle: VerifiedBundle, run: VerifiedRun, preset: Preset, records: Sequence[EpisodeRecord], file: str
) -> None:
    slots = fresh_slots(preset, run.game.id)
    told = [(each.game, each.phase, each.checkpoint, each.index, each.replicate, each.seed) for each in records]
    if told != [(run.game.id, s.phase, s.checkpoint, s.index, s.replicate, str(s.seed)) for s in slots]:
        raise BundleError(file, "the strict episodes of the round, in order", "others", _REMEDY)
    config = preset.config(run.game, "strict")
    context = last_context(bundle, run)
    for record in records:
        place = episode_name(record)
        try:
            again, digests = walk(context.episode(config), run.game, config, record)
        except (ContextOverflowError, ValueError) as error:
            raise BundleError(file, "prompts that the rule can build", str(error), _REMEDY, place=place) from error
        if digests != tuple(step.context for step in record.steps):
            raise BundleError(file, "the prompts that follow from the bundle", "others", _REMEDY, place=place)
        end = again.episode.end
        score = float(number(again.episode.score)) if end is not None else None
        if (end, score, len(again.episode.steps)) != (record.end, record.score, len(record.steps)):
            raise BundleError(file, f"the score {score}", str(record.score), _REMEDY, place=place)


def _same(computed: ConfirmedGame, told: ConfirmedGame, file: str) -> None:
    """Compare what is computed with what is told; the last bits of an interval may differ between machines."""
    pairs = ((computed.mean, told.mean), (computed.low, told.low), (computed.high, told.high))
    near = all(
        one == other or (one is not None and other is not None and math.isclose(one, other, abs_tol=1e-9))
        for one, other in pairs
    )
    rounded = {"mean": computed.mean, "low": computed.low, "high": computed.high}
    if not near or told.model_copy(update=rounded) != computed:
        got = f"{told.mean} ({told.low} to {told.high})"
        expected = f"the numbers of the episodes: {computed.mean} ({computed.low} to {computed.high})"
        raise BundleError(file, expected, got, _REMEDY, place=told.game)
