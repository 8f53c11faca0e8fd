"""Good bundles of every kind that bad ones are made from: played by the real runner, once each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from protocol.decoding import decoding_at
from protocol.messages import Message
from protocol.preset import Preset, preset_named
from protocol.signing import team_key, write_team_key
from runner.entry import Plan, play_entry
from runner.models.model import Answer, FaultKind
from runner.models.reading import read_summary
from runner.retry import Asker, RetryPolicy
from tests.bundles import KEY, TEAM, Unwatched, run_apart
from tests.runner.scripted import Event, Scripted

Kind = Literal[
    "history",
    "summary",
    "failing",
    "overflowing",
    "forgetful",
    "narrow",
    "narrow-summary",
    "refused-twice",
    "refused-and-lost",
    "too-narrow",
    "one-step",
]
"""
* ``history``, ``summary``: nothing goes wrong.
* ``failing``: an exploration episode ends in a transport fault.
* ``overflowing``: the server refuses a prompt as too long, and takes it once it is cut.
* ``forgetful``: summary calls fail, one with a fault, the others with a reply that is empty, filtered, cut or declined.
* ``narrow``: the rule cuts prompts, of their history and of their own steps.
* ``narrow-summary``: the rule cuts the first summary call, the server another one.
* ``refused-twice``: the server refuses a step's prompt as too long, and the cut one again.
* ``refused-and-lost``: the server refuses a step's prompt as too long, and the cut one meets a transport fault.
* ``too-narrow``: no prompt of the game fits the input budget, so that every episode fails.
* ``one-step``: a round in which an exploration and a strict level of Tetris are equal; verification refuses it.
"""

COLLIDING = preset_named("smoke-1").model_copy(update={"id": "collide-143", "round": "collide-143", "max_steps": 1})
"""With one step a Tetris level is three blocks of seven kinds, so that chance soon finds two equal ones."""
FORGETFUL = preset_named("smoke-1").model_copy(update={"id": "forgetful", "explore_episodes": 6, "max_steps": 2})
NARROW = preset_named("smoke-1").model_copy(update={"id": "narrow", "input_tokens": 1_500})
TOO_NARROW = preset_named("smoke-1").model_copy(update={"id": "too-narrow", "input_tokens": 500})
PRESETS = {preset.id: preset for preset in (COLLIDING, FORGETFUL, NARROW, TOO_NARROW)}
PRESET_BY_KIND: dict[Kind, Preset] = {
    "one-step": COLLIDING,
    "forgetful": FORGETFUL,
    "narrow": NARROW,
    "narrow-summary": NARROW,
    "too-narrow": TOO_NARROW,
}
GAMES: dict[Kind, tuple[str, ...]] = {"one-step": ("tetris",), "too-narrow": ("pvz",)}


def preset_of(name: str) -> Preset:
    """Return a preset, also one that is made for tests."""
    return PRESETS[name] if name in PRESETS else preset_named(name)


class _Overflowing:
    """Refuses one prompt that holds history, once."""

    def __init__(self) -> None:
        self._done = False

    def __call__(self, number: int, messages: Sequence[Message]) -> Event | None:
        if self._done or "Hint Messages:" not in messages[1].content or len(messages) < 8:
            return None
        self._done = True
        return FaultKind.OVERFLOW


class _OfSummaries:
    """What happens to some of the summary calls, by their number from 1 on; the others go well."""

    def __init__(self, events: Mapping[int, Event]) -> None:
        self._events = events
        self._calls = 0

    def __call__(self, number: int, messages: Sequence[Message]) -> Event | None:
        if read_summary(messages) is None:
            return None
        self._calls += 1
        return self._events.get(self._calls)


_FAILING_LATER: dict[int, Event] = {
    2: FaultKind.SERVER,
    3: Answer("", "stop"),
    4: Answer("", "content_filter"),
    5: Answer("Tips:\n- Eat.", "length"),
    6: Answer("I decline.", "refusal"),
}
"""A memory is made first; then no summary call goes well."""
_REFUSED_ONCE: dict[int, Event] = {2: FaultKind.OVERFLOW}
"""The second summary call is refused as too long, once."""


class Good:
    """A registry and good bundles."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.keys = folder / "keys"
        self.keys.mkdir(parents=True)
        (self.keys / f"{TEAM}.json").write_bytes(write_team_key(team_key(TEAM, KEY)))

    def bundle(self, kind: Kind) -> Path:
        """Return the bundle of a kind, played when it is first asked for."""
        folder = self.folder / kind
        if not folder.exists():
            run_apart(play_entry(_plan(kind), _model(kind), folder, KEY, Unwatched(), _asker()))
        return folder / "bundle"


def _plan(kind: Kind) -> Plan:
    preset = PRESET_BY_KIND.get(kind, preset_named("smoke-1"))
    return Plan(
        entry=f"red-{kind}",
        team=TEAM,
        model="builtin:greedy",
        preset=preset,
        games=GAMES.get(kind, ("snake", "trust")),
        pathway="summary" if kind in ("summary", "forgetful", "narrow-summary") else "history",
        decoding=decoding_at(preset.temperature),
    )


def _model(kind: Kind) -> Scripted:
    """Return a model with what goes wrong; the tenth request is of an exploration step with steps before it."""
    if kind == "failing":
        return Scripted({10: FaultKind.SERVER})
    if kind == "refused-twice":
        return Scripted({10: FaultKind.OVERFLOW, 11: FaultKind.OVERFLOW})
    if kind == "refused-and-lost":
        return Scripted({10: FaultKind.OVERFLOW, 11: FaultKind.SERVER})
    if kind == "overflowing":
        return Scripted(_Overflowing())
    if kind == "narrow-summary":
        return Scripted(_OfSummaries(_REFUSED_ONCE))
    return Scripted(_OfSummaries(_FAILING_LATER) if kind == "forgetful" else {})


def _asker() -> Asker:
    return Asker(RetryPolicy(attempts=1, repeats=0, summary_repeats=0, failures_in_a_row=5))
