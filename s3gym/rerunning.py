"""Playing the last checkpoint of an entry again: the runner asks, the scorer says what with and what came of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from protocol.bundle import RunFiles
from protocol.decoding import asked_with, beside_temperature, one_line, without_secrets
from protocol.preset import Preset
from protocol.records import Decoding, Endpoint, Manifest
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
from s3gym.opening import Access
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


def access_to(
    endpoint: Endpoint, base_url: str | None, api_key_env: str, api_key_header: str | None, timeout: float
) -> Access:
    """Return how the organisers reach an entry's model: at their own endpoint, by the API that the entry used."""
    return Access(
        base_url=base_url,
        api="responses" if endpoint.kind == "openai_responses" else "chat",
        api_key_env=api_key_env,
        api_key_header=api_key_header,
        context_tokens=endpoint.context_tokens,
        timeout=timeout,
    )


def decoding_to_send(manifest: Manifest, *, send_extras: bool) -> Decoding:
    """Return what a model is asked with again.

    Raises:
        ValueError: If that holds what a team wrote, which goes out with the organisers' key, and they have not agreed.
    """
    decoding = without_secrets(manifest.decoding)
    extras = [each for each in beside_temperature(decoding) if each.name.startswith(("body ", "header "))]
    if extras and not send_extras:
        raise ValueError(
            f"the entry asks with further fields or headers ({one_line(tuple(extras))}): expected --send-extras, since "
            "they would go to your endpoint with your key; read them first"
        )
    return decoding


async def rerun(
    plan: Rerun,
    model: Model,
    folder: Path,
    watcher: Watcher,
    asker: Asker,
    seats: Seats,
    ledger: Ledger,
    *,
    keep_going: bool = False,
) -> tuple[Confirmation, list[RunFiles]]:
    """Play the last checkpoint of every game on fresh seeds, or go on with it, and close the model whatever happens.

    Raises:
        JournalError: If the folder belongs to another re-run or is in use.
        PauseRunError: If it cannot go on now; what was played is kept.
    """
    try:
        with Journal.open(folder, _settings(plan, model)) as journal:
            output = plan.bundle.manifest.output_budget
            desk = Desk(model, journal, asker, output, watcher, ledger, keep_going=keep_going)
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
        **{each.name: each.value for each in asked_with(without_secrets(plan.bundle.manifest.decoding))},
        "base URL": f"one with the digest {address}",
        "source": source_digest(),
    }


def _confirmation(plan: Rerun, model: Model, runs: list[RunFiles], *, temperature_left: bool) -> Confirmation:
    manifest = plan.bundle.manifest
    decoding = without_secrets(manifest.decoding)
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
