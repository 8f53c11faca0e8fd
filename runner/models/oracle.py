"""``builtin:oracle``: sees the true state, in process; an upper anchor, never submittable."""

from __future__ import annotations

from collections.abc import Sequence

from games.base import State
from games.registry import GAMES
from protocol.messages import Message
from protocol.records import Endpoint
from runner.models.builtin import answer_line, drawer
from runner.models.model import Answer
from runner.models.reading import read_step


class Oracle:
    """Plays each game's oracle; where a game has none, its greedy player."""

    def __init__(self) -> None:
        self._state: State | None = None

    @property
    def endpoint(self) -> Endpoint:
        """Return what the manifest says of this model."""
        return Endpoint(kind="builtin", model="oracle", context_tokens=None)

    @property
    def adaptations(self) -> tuple[str, ...]:
        """Return nothing: requests are taken as they are."""
        return ()

    def look(self, state: State) -> None:
        """Take in the state that the next action is for."""
        self._state = state

    def ask(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        """Answer with full knowledge."""
        step = read_step(messages)
        game = next((game for game in GAMES if step is not None and game.rules == step.rules), None)
        if step is None or game is None or self._state is None:
            return Answer("Tips:\n- This player sees the true state and takes no tips.", "stop")
        if game.oracle is None:
            return Answer(answer_line(game.baselines["greedy"](step.observation, drawer(messages))), "stop")
        return Answer(answer_line(game.oracle(self._state, drawer(messages))), "stop")

    def close(self) -> None:
        """Forget the state."""
        self._state = None
