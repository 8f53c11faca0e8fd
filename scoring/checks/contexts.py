"""Step 7: every prompt is rebuilt from the records alone and compared by digest.

The builder is given exploration records, replies and observations only: a prompt whose digest matches holds no
verifier reward and no strict step of another episode.
"""

from __future__ import annotations

from collections.abc import Sequence

from games.base import State
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
from scoring.checks.parsing import ParsedRun
from scoring.checks.step import Faults, Step
from scoring.replay import Replayed

STEP = Step(7, "contexts", "Every prompt is rebuilt from exploration records and matches its digest")
_REMEDY = "Prompts must be built by the protocol's rule; play the run again with this project's runner."


def check(
    manifest: Manifest,
    runs: Sequence[ParsedRun],
    replayed: Sequence[Sequence[Replayed]],
    preset: Preset,
    faults: Faults,
) -> None:
    """Rebuild every prompt of every run."""
    prompts = 0
    for run, episodes in zip(runs, replayed, strict=True):
        prompts += _Rebuild(manifest, run, preset, faults).run_through(episodes)
    faults.detail = f"{prompts} prompts rebuilt"


class _Rebuild:
    """One run's prompts, in the order in which they were made."""

    def __init__(self, manifest: Manifest, run: ParsedRun, preset: Preset, faults: Faults) -> None:
        options = manifest.options
        self._run = run
        self._preset = preset
        self._faults = faults
        self._file = file_name("episodes", run.game.id)
        self._context = RunContext(
            run.game,
            options.pathway,
            preset.budget(manifest.input_budget),
            mode=options.summary_mode,
            system_role=options.system_role,
        )
        self._memories = {memory.index: memory for memory in run.memories}
        self._sources: list[int] = []

    def run_through(self, replayed: Sequence[Replayed]) -> int:
        """Rebuild all prompts and return how many."""
        prompts = 0
        for record, again in zip(self._run.episodes, replayed, strict=True):
            context = self._context.episode(self._preset.config(self._run.game, record.phase))
            prompts += self._episode(record, again, context)
            if record.phase == "strict":
                continue
            if record.status == "valid":
                self._context.explored(context, again.episode.steps[-1].feedback)
                self._sources.append(record.index)
            memory = self._memories.get(record.index + 1)
            if memory is not None:
                self._memory(memory)
                prompts += 1
        return prompts

    def _episode(self, record: EpisodeRecord, again: Replayed, context: EpisodeContext) -> int:
        place = episode_name(record)
        for index, step in enumerate(record.steps):
            turn = again.turns[index]
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
        return len(record.steps)

    def _recall(self, state: State) -> str | None:
        game = self._run.game
        return None if game.recall is game.observe else game.recall(state)

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
        file = file_name("memory", self._run.game.id)
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
