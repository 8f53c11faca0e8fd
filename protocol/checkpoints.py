"""Checkpoint means, derived from the episodes of a run."""

from __future__ import annotations

import math
from collections.abc import Sequence

from protocol.preset import Preset
from protocol.records import CheckpointRecord, EpisodeRecord


def checkpoint_records(preset: Preset, game: str, episodes: Sequence[EpisodeRecord]) -> tuple[CheckpointRecord, ...]:
    """Return every checkpoint of a run.

    y_k is the mean of the scores of its strict episodes, unrounded (at x = 0, of all its repeats); a checkpoint
    fails if fewer than all of them are valid.
    """
    records = []
    for x in preset.checkpoints:
        expected = preset.strict_episodes * (preset.baseline_repeats if x == 0 else 1)
        scores = [
            episode.score
            for episode in episodes
            if episode.phase == "strict" and episode.checkpoint == x and episode.score is not None
        ]
        score = math.fsum(scores) / expected if len(scores) == expected else None
        records.append(CheckpointRecord(game=game, checkpoint=x, valid=len(scores), score=score))
    return tuple(records)
