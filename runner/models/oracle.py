"""``builtin:oracle``: sees the true state, in process; an upper anchor, never submittable."""

from __future__ import annotations

from collections.abc import Sequence

from games.base import State
from protocol.messages import Message
from protocol.records import Endpoint
from runner.models.builtin import answer_line, drawer, game_of
from runner.models.model import Answer, FaultKind, TransportFaultError
from runner.models.reading import read_step, read_summary

_NO_TIPS = "This player sees the true state and takes no tips."


class Oracle:
    """Plays each game's oracle; where a game has none, its greedy player."""

    def __init__(self, state: State | None = None) -> None:
        self._state = state

    @property
    def endpoint(self) -> Endpoint:
        """Return what the manifest says of this model."""
        return Endpoint(kind="builtin", model="oracle", context_tokens=None)

    @property
    def adaptations(self) -> tuple[str, ...]:
        """Return nothing: requests are taken as they are."""
        return ()

    def seeing(self, state: State) -> Oracle:
        """Return the oracle of one state."""
        return Oracle(state)

    async def ask(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        """Answer with full knowledge.

        Raises:
            TransportFaultError: If there is no game or no state to play.
        """
        if read_summary(messages) is not None:
            return Answer(_NO_TIPS, "stop")
        step = read_step(messages)
        if step is None or self._state is None:
            raise TransportFaultError(
                FaultKind.REFUSED, "builtin:oracle: expected a step whose true state it was shown"
            )
        game, draw = game_of(step), drawer(messages)
        move = (
            game.baselines["greedy"](step.observation, draw) if game.oracle is None else game.oracle(self._state, draw)
        )
        return Answer(answer_line(move), "stop")

    async def close(self) -> None:
        """Hold nothing."""
