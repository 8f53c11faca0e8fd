"""Replay: ``play`` with a policy that reads recorded actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from games.base import Config, playable
from games.play import Episode, Turn, play_from
from games.registry import AnyGame
from protocol.records import EpisodeRecord
from protocol.reply import Reply, read_again, read_reply
from scoring.starts import start_of

_SHORT = 100
"""Characters of a text that is worth remembering once it was read, such as an answer line alone."""


class Replayed(NamedTuple):
    """An episode as the rules play it from the raw replies."""

    episode: Episode
    replies: tuple[Reply, ...]


def _unseen(turn: Turn) -> None:
    """Keep nothing of a turn."""


def _read(text: str) -> Reply:
    return read_again(text) if len(text) <= _SHORT else read_reply(text)


def replay(game: AnyGame, config: Config, record: EpisodeRecord, see: Callable[[Turn], None] = _unseen) -> Replayed:
    """Parse each raw reply again and play it.

    The recorded seed decides the start. Recorded actions, rewards and observations are not used: what comes back is
    what the rules give. Steps recorded after the end of the episode are not played.

    Args:
        game: The game.
        config: The numbers that the episode was played under.
        record: The episode.
        see: Told what stood before the player at each recorded step; a failed episode has one turn more than steps.
            Turns hold whole states, so they are not kept here.
    """
    replies = tuple(_read(step.reply) for step in record.steps)

    def policy(turn: Turn) -> str | None:
        see(turn)
        if turn.step >= len(replies):
            return None
        return playable(replies[turn.step].action)

    return Replayed(play_from(game, start_of(game, config, int(record.seed)).state, policy), replies)
