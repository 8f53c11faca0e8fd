"""Step 7: every prompt is rebuilt from the records alone and compared by digest.

The builder is given exploration records, replies and observations only: a prompt whose digest matches holds no
verifier reward and no strict step of another episode.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from games.base import State
from games.play import Turn
from games.registry import AnyGame
from protocol.bundle import file_name
from protocol.context import ContextOverflowError, Dropped, EpisodeContext, RunContext
from protocol.errors import BundleError
from protocol.memory import memory_text
from protocol.preset import Preset
from protocol.records import CutReason, EpisodeRecord, Manifest, MemoryRecord
from protocol.reply import canonical_line
from protocol.schedule import episode_name
from protocol.strictjson import shown
from protocol.summary import SummaryPrompt
from scoring.checks.step import EnoughError, Faults, Step
from scoring.crew import Tick
from scoring.replay import Replayed
from scoring.report import Fault

STEP = Step(7, "contexts", "Every prompt is rebuilt from exploration records and matches its digest")
_REMEDY = "Prompts must be built by the protocol's rule; play the run again with this project's runner."


class Rebuilt(NamedTuple):
    """How many prompts of a run were rebuilt, up to the tenth fault."""

    prompts: int
    found: tuple[Fault, ...]


def check(runs: Sequence[Rebuilt], faults: Faults) -> None:
    """Take what was found while every run was replayed; it counts now that the replay holds."""
    for run in runs:
        faults.take(run.found)
    faults.detail = f"{sum(run.prompts for run in runs)} prompts rebuilt"


class Rebuild:
    """One run's prompts, in the order in which they were made.

    It follows the replay episode by episode: kept to the end, the states of a whole entry would take far more memory
    than its records, and played once more they would take the time.
    """

    def __init__(
        self, game: AnyGame, manifest: Manifest, preset: Preset, memories: Sequence[MemoryRecord], tick: Tick
    ) -> None:
        options = manifest.options
        self._game = game
        self._preset = preset
        self._faults = Faults(STEP, tick=tick)
        self._file = file_name("episodes", game.id)
        self._context = RunContext(
            game,
            options.pathway,
            preset.budget(manifest.input_budget),
            mode=options.summary_mode,
            system_role=options.system_role,
        )
        self._memories = {memory.index: memory for memory in memories}
        self._sources: list[int] = []
        self._prompts = 0
        self._enough = False

    def done(self) -> Rebuilt:
        """Return what was found in all that was followed."""
        return Rebuilt(self._prompts, tuple(self._faults.found))

    def follow(self, record: EpisodeRecord, again: Replayed, turns: Sequence[Turn]) -> None:
        """Rebuild the prompts of the next episode, and of the summary call after it.

        Args:
            record: The episode, whose replay agrees with it.
            again: Its replay.
            turns: What stood before the player at each step.
        """
        if self._enough:
            return
        try:
            self._follow(record, again, turns)
        except EnoughError:
            self._enough = True

    def _follow(self, record: EpisodeRecord, again: Replayed, turns: Sequence[Turn]) -> None:
        context = self._context.episode(self._preset.config(self._game, record.phase))
        self._prompts += self._episode(record, again, turns, context)
        if record.phase == "strict":
            return
        if record.status == "valid":
            self._context.explored(context, again.episode.steps[-1].feedback)
            self._sources.append(record.index)
        memory = self._memories.get(record.index + 1)
        if memory is not None:
            self._memory(memory)
            self._prompts += 1

    def _episode(self, record: EpisodeRecord, again: Replayed, turns: Sequence[Turn], context: EpisodeContext) -> int:
        place = episode_name(record)
        for index, step in enumerate(record.steps):
            turn = turns[index]
            wanted = Dropped(step.dropped_episodes, step.dropped_steps, step.window)
            try:
                context.turn(turn.feedback, turn.observation, self._recall(turn.state))
                self._drop(context, wanted, step.cut)
            except (ContextOverflowError, ValueError) as error:
                self._faults.add(
                    BundleError(
                        self._file, "a prompt that the rule can build", str(error), _REMEDY, place=place, step=index
                    )
                )
                return index
            if context.digest != step.context:
                self._faults.add(
                    BundleError(self._file, f"context {context.digest}", step.context, _REMEDY, place=place, step=index)
                )
            context.answered(canonical_line(again.replies[index]))
        if record.status == "failed":
            self._failed(record, turns[-1], context)
        return len(record.steps)

    def _failed(self, record: EpisodeRecord, turn: Turn, context: EpisodeContext) -> None:
        """A prompt that cannot fit by itself is never sent, so no transport fault can have come of it."""
        try:
            context.turn(turn.feedback, turn.observation, self._recall(turn.state))
        except ContextOverflowError as error:
            if record.failure != "context_overflow":
                place, step = episode_name(record), len(record.steps)
                expected = f"failure context_overflow ({error})"
                got = str(record.failure)
                self._faults.add(BundleError(self._file, expected, got, _REMEDY, place=place, step=step))

    def _recall(self, state: State) -> str | None:
        return None if self._game.recall is self._game.observe else self._game.recall(state)

    @staticmethod
    def _drop(context: EpisodeContext, wanted: Dropped, cut: CutReason) -> None:
        if context.dropped == wanted:
            if cut == "server_overflow":
                raise ValueError("a server overflow that dropped nothing")
            return
        if cut != "server_overflow":
            raise ValueError(f"{wanted} dropped where the rule drops {context.dropped}")
        context.drop_to(wanted)

    def _memory(self, memory: MemoryRecord) -> None:
        file = file_name("memory", self._game.id)
        place = f"memory {memory.index}"
        prompt = SummaryPrompt(self._context)
        wanted = Dropped(memory.dropped_episodes, memory.dropped_steps, 0)
        if prompt.dropped != wanted:
            if memory.cut != "server_overflow":
                got = f"{wanted} where the rule drops {prompt.dropped}"
                self._faults.add(BundleError(file, "the history cut by the rule", got, _REMEDY, place=place))
                return
            try:
                prompt.drop_to(wanted)
            except ValueError as error:
                self._faults.add(BundleError(file, "a cut within the history", str(error), _REMEDY, place=place))
                return
        elif memory.cut == "server_overflow":
            got = "one that dropped nothing"
            self._faults.add(BundleError(file, "a server overflow that drops history", got, _REMEDY, place=place))
        digest = prompt.digest
        text = memory_text(memory.reply or "", self._context.budget.memory_tokens)
        if text:
            prompt.remember(text)
        compared: tuple[tuple[str, object, object], ...] = (
            ("context", digest, memory.context),
            ("sources", tuple(self._sources[prompt.cut.episodes :]), memory.sources),
            ("status", "made" if text else "kept", memory.status),
            ("memory", self._context.memory, memory.memory),
        )
        for what, rebuilt, recorded in compared:
            if rebuilt != recorded:
                fault = BundleError(file, f"{what} {shown(rebuilt)}", shown(recorded), _REMEDY, place=place)
                self._faults.add(fault)
