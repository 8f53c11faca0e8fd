"""What a run carries at its end, built again from its verified records: what a re-run asks the model with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from games.play import Turn
from games.registry import AnyGame
from protocol.context import Dropped, EpisodeContext, RunContext
from protocol.records import EpisodeRecord
from protocol.reply import canonical_line
from scoring.replay import Replayed, replay
from scoring.verified import VerifiedBundle, VerifiedRun


def prompts(
    context: EpisodeContext, game: AnyGame, record: EpisodeRecord, turns: Sequence[Turn], again: Replayed
) -> Iterator[str]:
    """Go through an episode's prompts as its record cut them, and yield the digest of each.

    Args:
        context: The episode's context.
        game: The game.
        record: The episode.
        turns: What stood before the player at each step.
        again: The episode as it is played again.

    Raises:
        ContextOverflowError: If the rule can build no such prompt.
        ValueError: If the record drops what the rule does not.
    """
    for step, turn, reply in zip(record.steps, turns, again.replies, strict=False):
        recall = None if game.recall is game.observe else game.recall(turn.state)
        context.turn(turn.feedback, turn.observation, recall)
        wanted = Dropped(step.dropped_episodes, step.dropped_steps, step.window)
        if context.dropped != wanted:
            if step.cut != "server_overflow":
                raise ValueError(f"{wanted} dropped where the rule drops {context.dropped}")
            context.drop_to(wanted)
        yield context.digest
        context.answered(canonical_line(reply))


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
        config = preset.config(game, record.phase)
        walked, turns = context.episode(config), list[Turn]()
        again = replay(game, config, record, turns.append)
        digests = tuple(prompts(walked, game, record, turns, again))
        if digests != tuple(step.context for step in record.steps):
            raise AssertionError(f"{game.id}: a verified prompt was built otherwise")
        if record.phase == "explore":
            if record.status == "valid":
                context.explored(walked, again.episode.steps[-1].feedback)
            context.memory = memories.get(record.index + 1, context.memory)
    return context
