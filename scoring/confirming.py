"""Checking a re-run with as little trust as a bundle: numbered steps in one order, for the log check and for the site.

The first steps need the entry's signed records alone, so a check of the whole board makes them without any replay;
the rest replays the re-run's episodes with the very function that replays a bundle's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from games.registry import game_named
from protocol.bundle import MAX_ENVELOPE, MAX_FILE, content_lines, file_name, list_files, read_file, sha256
from protocol.decoding import decoding_differences, without_secrets
from protocol.errors import BundleError
from protocol.preset import Preset
from protocol.records import EpisodeRecord
from protocol.signing import SignedBytes, check_signature, read_envelope
from protocol.strictjson import read_record, shown
from scoring.checks import completeness, separation
from scoring.checks.replaying import Job, replay_run
from scoring.checks.step import EnoughError, Faults, Step
from scoring.confirmation import (
    CONFIRMATION,
    CONFIRMATION_TYPE,
    CONFIRMATIONS,
    Confirmation,
    ConfirmedGame,
    RerunEntry,
    confirmed_game,
    entry_of,
    fresh_slots,
    on_round,
    staleness,
)
from scoring.crew import never
from scoring.report import Fault
from scoring.root_keys import Roots
from scoring.starts import start_of
from scoring.twins import episodes_digest
from scoring.verified import VerifiedBundle, VerifiedRun

FILES = Step(0, "files", "It holds the signed record and the episodes of every game of the entry, and nothing else")
SIGNATURE = Step(1, "signature", "The record is signed with the organisers' root key")
SUBJECT = Step(2, "subject", "It is about this very entry: its bundle, protocol, last checkpoint, decoding and games")
FRESHNESS = Step(3, "freshness", "Its round is none that the entry played, and has no level that it played")
RECORDS = Step(4, "records", "Its episodes are strict records, and the very ones that were signed")
COMPLETENESS = Step(5, "completeness", "They are the strict episodes of the round, on its seeds and starts, in order")
REPLAY = Step(6, "replay", "Every episode replays to the recorded actions, self-scores, rewards, end and score")
CONTEXTS = Step(7, "contexts", "Every prompt follows from the entry's records and matches its digest")
NUMBERS = Step(8, "numbers", "Its scores, means and intervals are those of the episodes")
STEPS: tuple[Step, ...] = (
    FILES,
    SIGNATURE,
    SUBJECT,
    FRESHNESS,
    RECORDS,
    COMPLETENESS,
    REPLAY,
    CONTEXTS,
    NUMBERS,
)
_REMEDY = "Restore it from the board's history, or re-run the entry again."


class ConfirmationError(BundleError):
    """A re-run was refused by one of its checks."""

    def __init__(self, fault: Fault, where: str) -> None:
        file = f"{where}/{fault.file}"
        super().__init__(file, fault.expected, fault.got, fault.remedy, place=fault.place, step=fault.step)
        self.check = fault.code


class Opened(NamedTuple):
    """A re-run whose record and episodes are those that were signed, not replayed yet."""

    told: Confirmation
    preset: Preset
    """The entry's protocol on the fresh round."""
    records: Mapping[str, tuple[EpisodeRecord, ...]]


def open_confirmation(folder: Path, roots: Roots, entry: RerunEntry) -> Opened:
    """Return a re-run of an entry after every check that needs no replay.

    Raises:
        ConfirmationError: At the first check that finds a fault.
    """
    where = _where(folder, entry)
    with _checking(FILES, where) as faults:
        _check_files(folder, entry, faults)
    with _checking(SIGNATURE, where) as faults:
        data = read_file(folder, CONFIRMATION, MAX_ENVELOPE)
        signed = read_envelope(data, CONFIRMATION, CONFIRMATION_TYPE)
        with faults.catching():
            _check_signer(signed, f"{entry.manifest.entry}/{folder.name}", sha256(data), roots)
    with _checking(SUBJECT, where) as faults:
        told = read_record(Confirmation, signed.payload, CONFIRMATION, "payload")
        _check_subject(told, entry, folder.name, faults)
        preset = on_round(entry.preset, told.round, told.strict_episodes)
    with _checking(FRESHNESS, where) as faults:
        stale = staleness(entry, preset)
        if stale is not None:
            remedy = "Re-run the entry on a round whose name nobody could know."
            faults.add(BundleError(CONFIRMATION, "a fresh round", stale, remedy, place="round"))
    with _checking(RECORDS, where) as faults:
        records = {game.game: _read_records(folder, game, faults) for game in told.games}
    with _checking(COMPLETENESS, where) as faults:
        for name, found in records.items():
            _check_places(name, found, preset, faults)
    return Opened(told, preset, records)


def read_confirmation(folder: Path, roots: Roots, bundle: VerifiedBundle) -> Confirmation:
    """Return a re-run of a verified bundle, after checking all of it that can be checked.

    The signature is the organisers'; the episodes are replayed on the round's seeds, their prompts rebuilt from the
    bundle, their numbers computed again. That the named model answered rests on the organisers' word alone.

    Raises:
        ConfirmationError: At the first check that finds a fault.
    """
    entry = entry_of(bundle)
    where = _where(folder, entry)
    opened = open_confirmation(folder, roots, entry)
    runs = {run.game.id: run for run in bundle.runs}
    for game in opened.told.games:
        _check_play(bundle, runs[game.game], opened, where)
    with _checking(NUMBERS, where) as faults:
        for game in opened.told.games:
            _same(confirmed_game(bundle, runs[game.game], opened.records[game.game]), game, faults)
    return opened.told


def _where(folder: Path, entry: RerunEntry) -> str:
    return f"{CONFIRMATIONS}/{entry.manifest.entry}/{shown(folder.name)[1:-1]}"


@contextmanager
def _checking(step: Step, where: str) -> Iterator[Faults]:
    """Make one check; any fault in it ends the checking."""
    faults = Faults(step)
    with suppress(EnoughError), faults.catching():
        yield faults
    if faults.found:
        raise ConfirmationError(faults.found[0], where)


def _check_files(folder: Path, entry: RerunEntry, faults: Faults) -> None:
    if folder.is_symlink() or not folder.is_dir():
        raise BundleError(".", "a folder", "something else", _REMEDY)
    wanted = {CONFIRMATION, *(file_name("episodes", game) for game in entry.levels)}
    present = list_files(folder).keys()
    for name in sorted(wanted - present):
        faults.add(BundleError(name, "the file", "none", _REMEDY))
    for name in sorted(present - wanted):
        faults.add(BundleError(shown(name)[1:-1], "no such file", "one", "Remove it: nothing vouches for it."))


def _check_signer(signed: SignedBytes, name: str, digest: str, roots: Roots) -> None:
    key = roots.signer(signed.keyid, name, digest)
    if key is None:
        expected = f"a signature by the root key {roots.current.keyid}"
        if roots.exchanges:
            expected += ", or a re-run that an earlier one left behind when it was exchanged"
        raise BundleError(CONFIRMATION, expected, f"one by {signed.keyid}", _REMEDY)
    check_signature(signed, key.keyid, key.public_key, CONFIRMATION)


def _check_subject(told: Confirmation, entry: RerunEntry, round_name: str, faults: Faults) -> None:
    manifest = entry.manifest
    sent = told.decoding
    declared = without_secrets(manifest.decoding)
    if sent.temperature is None:
        # An endpoint that takes no temperature is asked without one.
        declared = declared.model_copy(update={"temperature": None})
    compared: tuple[tuple[str, object, object], ...] = (
        ("entry", manifest.entry, told.entry),
        ("team", manifest.team, told.team),
        ("bundle_digest", entry.digest, told.bundle_digest),
        ("protocol", manifest.protocol, told.protocol),
        ("protocol_digest", manifest.protocol_digest, told.protocol_digest),
        ("round", round_name, told.round),
        ("checkpoint", entry.preset.checkpoints[-1], told.checkpoint),
        *((f"decoding.{name}", mine, theirs) for name, mine, theirs in decoding_differences(declared, sent)),
        (
            "games",
            [f"{rules.game} with rules version {rules.rules_version}" for rules in manifest.games],
            [f"{game.game} with rules version {game.rules_version}" for game in told.games],
        ),
    )
    for place, expected, got in compared:
        if expected != got:
            faults.add(BundleError(CONFIRMATION, shown(expected), shown(got), _REMEDY, place=place))


def _read_records(folder: Path, game: ConfirmedGame, faults: Faults) -> tuple[EpisodeRecord, ...]:
    file = file_name("episodes", game.game)
    lines = content_lines(read_file(folder, file, MAX_FILE), file)
    records = tuple(read_record(EpisodeRecord, line, file, f"line {number}") for number, line in enumerate(lines, 1))
    digest = episodes_digest(game.game, records).sha256
    if digest != game.episodes:
        faults.add(BundleError(file, f"episodes with the signed digest {game.episodes}", digest, _REMEDY))
    return records


def _check_places(name: str, records: tuple[EpisodeRecord, ...], preset: Preset, faults: Faults) -> None:
    game = game_named(name)
    completeness.check_episodes(game, records, fresh_slots(preset, name), preset, faults)
    if not faults.found:
        config = preset.config(game, "strict")
        for record in records:
            start = start_of(game, config, int(record.seed))
            separation.same_start(record, start, file_name("episodes", name), faults)


def _check_play(bundle: VerifiedBundle, run: VerifiedRun, opened: Opened, where: str) -> None:
    """Replay a re-run behind the exploration that it was asked with."""
    explored = tuple(each.record for each in run.episodes if each.record.phase == "explore")
    episodes = (*explored, *opened.records[run.game.id])
    played = replay_run(Job(run.game.id, bundle.manifest, opened.preset, episodes, run.memories), never)
    with _checking(REPLAY, where) as faults:
        faults.take(played.found)
    with _checking(CONTEXTS, where) as faults:
        faults.take(played.rebuilt.found)


def _same(computed: ConfirmedGame, told: ConfirmedGame, faults: Faults) -> None:
    """Compare what is computed with what is told; the last bits of an interval may differ between machines."""
    pairs = ((computed.mean, told.mean), (computed.low, told.low), (computed.high, told.high))
    near = all(
        one == other or (one is not None and other is not None and math.isclose(one, other, abs_tol=1e-9))
        for one, other in pairs
    )
    # Rules version and digest of the episodes have checks of their own.
    left = {"mean": told.mean, "low": told.low, "high": told.high}
    left_out = {"rules_version": told.rules_version, "episodes": told.episodes}
    if not near or computed.model_copy(update={**left, **left_out}) != told:
        expected = f"the numbers of the episodes: {_numbers(computed)}"
        faults.add(BundleError(CONFIRMATION, expected, _numbers(told), _REMEDY, place=told.game))


def _numbers(game: ConfirmedGame) -> str:
    scored = f"{len(game.scores)} scores with mean {game.mean} ({game.low} to {game.high}), {game.failed} failed"
    return f"{scored}, {game.claimed} claimed of {game.claimed_episodes} episodes"
