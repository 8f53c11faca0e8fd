"""What a run carries at its end, built again from its verified records: what a re-run asks the model with."""

from __future__ import annotations

from typing import NamedTuple

from games.base import Config
from games.play import Turn
from games.registry import AnyGame
from protocol.context import Dropped, EpisodeContext, RunContext
from protocol.records import EpisodeRecord
from protocol.reply import canonical_line
from scoring.replay import Replayed, replay
from scoring.verified import VerifiedBundle, VerifiedRun


class Walked(NamedTuple):
    """An episode, replayed along with its prompts."""

    replayed: Replayed
    digests: tuple[str, ...]
    """The digest of each step's prompt."""


def walk(context: EpisodeContext, game: AnyGame, config: Config, record: EpisodeRecord) -> Walked:
    """Play an episode's replies again and build its prompts, cut as the record says.

    Raises:
        ContextOverflowError: If the rule can build no such prompt.
        ValueError: If the record drops what the rule does not.
    """
    turns: list[Turn] = []
    again = replay(game, config, record, turns.append)
    digests = []
    for step, turn, reply in zip(record.steps, turns, again.replies, strict=False):
        recall = None if game.recall is game.observe else game.recall(turn.state)
        context.turn(turn.feedback, turn.observation, recall)
        wanted = Dropped(step.dropped_episodes, step.dropped_steps, step.window)
        if context.dropped != wanted:
            if step.cut != "server_overflow":
                raise ValueError(f"{wanted} dropped where the rule drops {context.dropped}")
            context.drop_to(wanted)
        digests.append(context.digest)
        context.answered(canonical_line(reply))
    return Walked(again, tuple(digests))


def last_context(bundle: VerifiedBundle, run: VerifiedRun) -> RunContext:
    """Return what the last checkpoint of a run was asked with: the whole history, or the last memory.

    The prompts of that checkpoint are built from it and compared with their verified digests.
    """
    manifest, preset, game = bundle.manifest, bundle.preset, run.game
    options = manifest.options
    context = RunContext(
        game,
        options.pathway,
        preset.budget(manifest.input_budget),
        mode=options.summary_mode,
        system_role=options.system_role,
    )
    memories = {memory.index: memory.memory for memory in run.memories}
    for episode in run.episodes:
        record = episode.record
        last = record.checkpoint == preset.checkpoints[-1]
        if record.phase == "strict" and not last:
            continue
        played = context.episode(preset.config(game, record.phase))
        again, digests = walk(played, game, preset.config(game, record.phase), record)
        if digests != tuple(step.context for step in record.steps):
            raise AssertionError(f"{game.id}: a verified prompt was built otherwise")
        if record.phase == "explore":
            if record.status == "valid":
                context.explored(played, again.episode.steps[-1].feedback)
            context.memory = memories.get(record.index + 1, context.memory)
    return context
