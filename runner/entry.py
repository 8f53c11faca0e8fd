"""From a plan to a signed bundle: every game's run, then the manifest."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from games.registry import AnyGame, game_named
from protocol.budgets import Budgets, budgets
from protocol.bundle import RunFiles, write_bundle
from protocol.checkpoints import checkpoint_records
from protocol.comparable import Declared, decoding_deviations
from protocol.context import Pathway, RunContext, SummaryMode
from protocol.decoding import asked_with, decoding_at
from protocol.names import check_name
from protocol.preset import Preset
from protocol.records import Decoding, Endpoint, GameRules, Manifest, PathwayOptions
from protocol.totals import failure_counts, totals
from runner.desk import Asks, Desk
from runner.journal import Journal
from runner.ledger import Ledger
from runner.loop import Table, play_run
from runner.models.model import TEMPERATURE_LEFT, Model
from runner.pathways.history import HistoryPathway
from runner.pathways.pathway import PathwayRunner
from runner.pathways.summary import SummaryPathway
from runner.retry import Asker
from runner.source import source_digest, version
from runner.storing import storing
from runner.tally import Tally, tally
from runner.together import Seats, together
from runner.watcher import Watcher

BUNDLE = "bundle"
_NO_SYSTEM_ROLE = "no system message sent: the endpoint refuses one"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be played."""

    entry: str
    team: str
    model: str
    """The base model as claimed."""
    preset: Preset
    games: tuple[str, ...]
    pathway: Pathway
    summary_mode: SummaryMode = "rebuild"
    system_role: bool | None = None
    """Whether prompts have a system message; None finds out what the endpoint takes, before the first step."""
    decoding: Decoding = field(default_factory=lambda: decoding_at(None))
    """As sent; what is not set is left to the server."""
    address: str | None = None
    """Where the model is asked, without secrets: a run goes on nowhere else. No file holds more of it than a digest."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished entry."""

    bundle: Path
    warnings: tuple[str, ...]
    """What a player should know: about the bundle, and about what the endpoint did."""
    tallies: tuple[Tally, ...]
    """What kinds of replies came and what becomes of the row, game by game."""
    adaptations: tuple[str, ...]
    """How requests had to differ for the endpoint to take them."""


@dataclass(frozen=True, slots=True)
class Sounded:
    """What is known of an entry before its first step."""

    declared: Declared
    adaptations: tuple[str, ...]
    """How requests had to differ so far."""
    begun: bool
    """Whether there are replies already: then this goes on with a run."""
    seconds: float | None
    """How long the endpoint took to answer a small prompt; None if it was not asked."""
    tokens: int
    """Tokens of that answer, as far as they are known."""


async def play_entry(
    plan: Plan,
    model: Model,
    folder: Path,
    key: Ed25519PrivateKey,
    watcher: Watcher,
    asker: Asker,
    *,
    seats: Seats | None = None,
    ledger: Ledger | None = None,
    keep_going: bool = False,
) -> Finished:
    """Play an entry, or go on with it, and write its signed bundle.

    Args:
        plan: What is to be played.
        model: Who plays.
        folder: The run folder: it holds the journal and, at the end, the bundle.
        key: The team's private key.
        watcher: Who is told how it goes.
        asker: The retry policy.
        seats: How much is played at once; by default one episode after the other. The bundle is the same however many.
        ledger: What counts requests and cost, and stops the run at their bounds.
        keep_going: Whether it goes on though the first replies hold no answer.

    Raises:
        JournalError: If the folder belongs to another run or is in use.
        PauseRunError: If the run cannot go on now; what was played is kept and nothing is scored.
        StorageError: If the disk does not take the journal or the bundle; the same holds.
        ValueError: If the plan does not fit the preset.
    """
    games = playable_games(plan)
    room = budgets(plan.preset, model.endpoint)
    with Journal.open(folder, _settings(plan, model.endpoint, room)) as journal:
        desk = Desk(model, journal, asker, room.output_tokens, watcher, ledger, keep_going=keep_going)
        seats = seats or Seats()
        plan, adaptations = await _found_out(plan, model.endpoint, desk)
        runs = await together([run_of(plan, game, room, desk, watcher, seats) for game in games])
        adaptations = (*journal.adaptations, *adaptations)
        manifest = _manifest(plan, model.endpoint, room, runs, adaptations, desk.findings.deviations)
        bundle = folder / BUNDLE
        with storing(bundle):
            written = write_bundle(bundle, manifest, runs, key)
        warnings = (*desk.findings.deviations, *desk.findings.warnings, *written)
        return Finished(bundle, warnings, tuple(tally(run, plan.preset, manifest) for run in runs), adaptations)


async def sound(
    plan: Plan, model: Model, folder: Path, watcher: Watcher, asker: Asker, ledger: Ledger | None = None
) -> Sounded:
    """Find out what can be known of an entry before its first step: at most a small prompt is sent, once.

    Raises:
        JournalError: If the folder belongs to another run or is in use.
        PauseRunError: If the endpoint cannot answer now.
        StorageError: If the disk does not take the journal.
        ValueError: If the plan does not fit the preset.
    """
    playable_games(plan)
    room = budgets(plan.preset, model.endpoint)
    with Journal.open(folder, _settings(plan, model.endpoint, room)) as journal:
        desk = Desk(model, journal, asker, room.output_tokens, watcher, ledger)
        plan, adaptations = await _found_out(plan, model.endpoint, desk)
        adaptations = (*journal.adaptations, *adaptations)
        decoding = _decoding(plan, adaptations)
        told = Declared(
            model.endpoint,
            room.input_tokens,
            room.output_tokens,
            plan.system_role is not False,
            decoding_deviations(plan.preset, decoding),
        )
        found = journal.found
        seconds, tokens = (None, 0) if found is None else (found.seconds, found.tokens_out or 0)
        return Sounded(told, adaptations, bool(journal.outcomes), seconds, tokens)


async def _found_out(plan: Plan, endpoint: Endpoint, desk: Desk) -> tuple[Plan, tuple[str, ...]]:
    """Return a plan that says whether prompts have a system message, and what that changes."""
    if not _to_be_found_out(plan, endpoint):
        return plan, ()
    plan = replace(plan, system_role=await desk.takes_system_role())
    return plan, () if plan.system_role else (_NO_SYSTEM_ROLE,)


def playable_games(plan: Plan) -> tuple[AnyGame, ...]:
    """Return the games of a plan, after checking that it can be played at all.

    Raises:
        ValueError: If a name is no name, a game is unknown, given twice, or of another rules version than the preset's.
    """
    for what, name in (("entry", plan.entry), ("team", plan.team)):
        try:
            check_name(name)
        except ValueError as error:
            raise ValueError(f"{what}: {error}") from error
    if not plan.games or len(set(plan.games)) != len(plan.games):
        raise ValueError(f"game: expected one or more games, each once, got {' '.join(plan.games) or 'none'}")
    return tuple(_playable(plan.preset, name) for name in plan.games)


def _playable(preset: Preset, name: str) -> AnyGame:
    game = game_named(name)
    if name not in preset.games:
        raise ValueError(f"game: expected one of protocol {preset.id} ({', '.join(preset.games)}), got {name!r}")
    if preset.games[name].rules_version != game.rules_version:
        raise ValueError(
            f"game {name}: expected rules version {preset.games[name].rules_version} of protocol {preset.id}, "
            f"this release plays {game.rules_version}; use the release that the protocol was made for"
        )
    return game


async def run_of(plan: Plan, game: AnyGame, room: Budgets, desk: Asks, watcher: Watcher, seats: Seats) -> RunFiles:
    """Play one game's run of a plan."""
    context = RunContext(
        game,
        plan.pathway,
        plan.preset.budget(room.input_tokens),
        mode=plan.summary_mode,
        system_role=plan.system_role is not False,
    )
    pathway: PathwayRunner = SummaryPathway() if plan.pathway == "summary" else HistoryPathway()
    async with seats.runs:
        return await play_run(Table(game, plan.preset, context, pathway, desk, watcher, seats))


def _settings(plan: Plan, endpoint: Endpoint, room: Budgets) -> dict[str, str]:
    return {
        "entry": plan.entry,
        "team": plan.team,
        "model": plan.model,
        "protocol": plan.preset.id,
        "protocol digest": plan.preset.digest,
        "games": " ".join(plan.games),
        "pathway": plan.pathway,
        "summary mode": plan.summary_mode,
        "system role": "found out" if _to_be_found_out(plan, endpoint) else str(plan.system_role is not False),
        **{each.name: each.value for each in asked_with(plan.decoding)},
        "endpoint": f"{endpoint.kind} {endpoint.model}",
        "base URL": _digest_of(plan.address),
        "budgets": f"{room.input_tokens} in, {room.output_tokens} out",
        "source": source_digest(),
    }


def _digest_of(address: str | None) -> str:
    if address is None:
        return "none"
    return f"one with the digest {hashlib.sha256(address.encode()).hexdigest()[:12]}"


def _to_be_found_out(plan: Plan, endpoint: Endpoint) -> bool:
    """Return whether it is open if the endpoint takes a system message; our own take all that the protocol sends."""
    return plan.system_role is None and endpoint.kind in ("openai_chat", "openai_responses")


def _manifest(
    plan: Plan,
    endpoint: Endpoint,
    room: Budgets,
    runs: Sequence[RunFiles],
    adaptations: Sequence[str],
    deviations: Sequence[str],
) -> Manifest:
    decoding = _decoding(plan, adaptations)
    episodes = list(itertools.chain.from_iterable(run.episodes for run in runs))
    return Manifest(
        entry=plan.entry,
        team=plan.team,
        model=plan.model,
        protocol=plan.preset.id,
        protocol_digest=plan.preset.digest,
        options=PathwayOptions(
            pathway=plan.pathway, summary_mode=plan.summary_mode, system_role=plan.system_role is not False
        ),
        games=tuple(GameRules(game=run.game, rules_version=game_named(run.game).rules_version) for run in runs),
        input_budget=room.input_tokens,
        output_budget=room.output_tokens,
        decoding=decoding,
        endpoint=endpoint,
        runner_version=version(),
        runner_digest=source_digest(),
        adaptations=tuple(adaptations),
        deviations=(*decoding_deviations(plan.preset, decoding), *deviations),
        totals=totals(episodes, list(itertools.chain.from_iterable(run.costs for run in runs))),
        failures=failure_counts(episodes),
        checkpoints=tuple(
            itertools.chain.from_iterable(checkpoint_records(plan.preset, run.game, run.episodes) for run in runs)
        ),
        contents=(),
    )


def _decoding(plan: Plan, adaptations: Sequence[str]) -> Decoding:
    """Return the decoding as it was sent in the end."""
    left = any(adaptation.startswith(TEMPERATURE_LEFT) for adaptation in adaptations)
    return plan.decoding.model_copy(update={"temperature": None}) if left else plan.decoding
