"""Playing the last checkpoint of an entry again: the runner asks, the scorer says what with and what came of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from protocol.bundle import RunFiles
from protocol.preset import Preset
from runner.desk import Desk
from runner.journal import Journal
from runner.ledger import Ledger
from runner.loop import Table, play_slots
from runner.models.model import TEMPERATURE_LEFT, Model
from runner.pathways.history import HistoryPathway
from runner.retry import Asker
from runner.source import source_digest, version
from runner.together import Seats, together
from runner.watcher import Watcher
from scoring.carried import last_context
from scoring.confirmation import Confirmation, confirmed_game, fresh_slots
from scoring.verified import VerifiedBundle


@dataclass(frozen=True, slots=True)
class Rerun:
    """What is to be played again."""

    bundle: VerifiedBundle
    preset: Preset
    """The entry's protocol on a fresh round."""
    model: str
    address: str | None
    """Where the model is asked, without secrets; no file holds more of it than a digest."""


async def rerun(
    plan: Rerun, model: Model, folder: Path, watcher: Watcher, asker: Asker, seats: Seats, ledger: Ledger
) -> tuple[Confirmation, list[RunFiles]]:
    """Play the last checkpoint of every game on fresh seeds, or go on with it, and close the model whatever happens.

    Raises:
        JournalError: If the folder belongs to another re-run or is in use.
        PauseRunError: If it cannot go on now; what was played is kept.
    """
    try:
        with Journal.open(folder, _settings(plan, model)) as journal:
            desk = Desk(model, journal, asker, plan.bundle.manifest.output_budget, watcher, ledger)
            tables = [
                Table(run.game, plan.preset, last_context(plan.bundle, run), HistoryPathway(), desk, watcher, seats)
                for run in plan.bundle.runs
            ]
            runs = await together([play_slots(table, fresh_slots(plan.preset, table.game.id)) for table in tables])
            left = any(each.startswith(TEMPERATURE_LEFT) for each in journal.adaptations)
            return _confirmation(plan, model, runs, temperature_left=left), runs
    finally:
        await model.close()


def _settings(plan: Rerun, model: Model) -> dict[str, str]:
    address = "none" if plan.address is None else hashlib.sha256(plan.address.encode()).hexdigest()[:12]
    return {
        "re-run of": plan.bundle.digest,
        "round": plan.preset.round,
        "strict episodes": str(plan.preset.strict_episodes),
        "model": plan.model,
        "endpoint": f"{model.endpoint.kind} {model.endpoint.model}",
        "base URL": f"one with the digest {address}",
        "source": source_digest(),
    }


def _confirmation(plan: Rerun, model: Model, runs: list[RunFiles], *, temperature_left: bool) -> Confirmation:
    manifest = plan.bundle.manifest
    decoding = manifest.decoding
    return Confirmation(
        entry=manifest.entry,
        team=manifest.team,
        bundle_digest=plan.bundle.digest,
        protocol=manifest.protocol,
        protocol_digest=manifest.protocol_digest,
        round=plan.preset.round,
        strict_episodes=plan.preset.strict_episodes,
        checkpoint=plan.preset.checkpoints[-1],
        model=plan.model,
        endpoint=model.endpoint,
        decoding=decoding.model_copy(update={"temperature": None}) if temperature_left else decoding,
        runner_version=version(),
        runner_digest=source_digest(),
        games=tuple(
            confirmed_game(plan.bundle, run, files.episodes) for run, files in zip(plan.bundle.runs, runs, strict=True)
        ),
    )
