"""Step 7: every prompt is rebuilt from the records alone and compared by digest.

The builder is given exploration records, replies and observations only: a prompt whose digest matches holds no
verifier reward and no strict step of another episode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from games.base import State
from games.play import Turn
from games.registry import AnyGame
from protocol.bundle import file_name
from protocol.carry import CarriedStep, episode_pieces
from protocol.context import ContextOverflowError, Dropped, EpisodeContext, RunContext
from protocol.errors import BundleError
from protocol.memory import memory_text
from protocol.preset import Preset
from protocol.records import CutReason, EpisodeRecord, Manifest, MemoryRecord
from protocol.reply import canonical_line
from protocol.schedule import episode_name
from protocol.strictjson import shown
from protocol.summary import SummaryPrompt
from protocol.whole import whole_digests
from scoring.checks.estimates import Prompts
from scoring.checks.places import CostPlace, step_place, summary_place
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
    estimates: Mapping[CostPlace, tuple[int, ...]]
    """What the prompt of each cost that is said to be estimated may be estimated at."""


def check(runs: Sequence[Rebuilt], faults: Faults) -> None:
    """Take what was found while every run was replayed; it counts now that the replay holds."""
    for run in runs:
        faults.take(run.found)
    faults.detail = f"{sum(run.prompts for run in runs)} prompts rebuilt"


_CLAIMED = attrgetter("context", "dropped_episodes", "dropped_steps", "window", "cut")
_Explored = Callable[[str], None]
"""Carries a completed exploration episode on; given what its last action did."""


class Rebuild:
    """One run's prompts, in the order in which they were made.

    It follows the replay episode by episode: kept to the end, the states of a whole entry would take far more memory
    than its records, and played once more they would take the time.
    """

    def __init__(
        self,
        game: AnyGame,
        manifest: Manifest,
        preset: Preset,
        memories: Sequence[MemoryRecord],
        estimated: Set[CostPlace],
        tick: Tick,
    ) -> None:
        options = manifest.options
        self._game = game
        self._recalls = game.recall is not game.observe
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
        self._estimates = Prompts(estimated)
        self._sources: list[int] = []
        self._prompts = 0
        self._enough = False

    def done(self) -> Rebuilt:
        """Return what was found in all that was followed."""
        return Rebuilt(self._prompts, tuple(self._faults.found), self._estimates.tokens)

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
        lines = list(map(canonical_line, again.replies))
        explored = self._whole(record, turns, lines) or self._episode(record, turns, lines)
        if record.phase == "strict":
            return
        if record.status == "valid":
            explored(again.episode.steps[-1].feedback)
            self._sources.append(record.index)
        memory = self._memories.get(record.index + 1)
        if memory is not None:
            self._memory(memory)
            self._prompts += 1

    def _whole(self, record: EpisodeRecord, turns: Sequence[Turn], lines: Sequence[str]) -> _Explored | None:
        """Compare all prompts of an episode at once.

        Returns:
            How its steps are carried on; None if a prompt was cut or differs, or if the episode was not played out.
        """
        if len(turns) != len(lines):
            return None
        run = self._context
        config = self._preset.config(self._game, record.phase)
        digests = whole_digests(run, config, turns, lines)
        if digests is None:
            return None
        episodes, steps = run.cut
        claimed = list(map(_CLAIMED, record.steps))
        if claimed != [(digest, episodes, steps, 0, "rule") for digest in digests]:
            return None
        self._prompts += len(digests)
        self._estimates.whole(record, run, config, turns, lines)
        return partial(self._carry_on, turns, lines)

    def _carry_on(self, turns: Sequence[Turn], lines: Sequence[str], last_feedback: str) -> None:
        told = [(turn, self._recall(turn.state)) for turn in turns]
        steps = [
            CarriedStep(turn.feedback, turn.observation if recall is None else recall, line)
            for (turn, recall), line in zip(told, lines, strict=True)
        ]
        self._context.carry.add(episode_pieces(steps, last_feedback))

    def _episode(self, record: EpisodeRecord, turns: Sequence[Turn], lines: Sequence[str]) -> _Explored:
        """Rebuild the prompts of an episode one by one, and return how its steps are carried on."""
        context = self._context.episode(self._preset.config(self._game, record.phase))
        self._prompts += self._steps(record, turns, lines, context)
        return partial(self._context.explored, context)

    def _steps(
        self, record: EpisodeRecord, turns: Sequence[Turn], lines: Sequence[str], context: EpisodeContext
    ) -> int:
        for index, (step, turn, line) in enumerate(zip(record.steps, turns, lines, strict=False)):
            try:
                context.turn(turn.feedback, turn.observation, self._recall(turn.state))
                if step.cut != "rule" or context.dropped != (step.dropped_episodes, step.dropped_steps, step.window):
                    self._drop(context, Dropped(step.dropped_episodes, step.dropped_steps, step.window), step.cut)
            except (ContextOverflowError, ValueError) as error:
                self._differs(record, index, "a prompt that the rule can build", str(error))
                return index
            if context.digest != step.context:
                self._differs(record, index, f"context {context.digest}", step.context)
            self._estimates.note(step_place(record, index), context)
            context.answered(line)
        if record.status == "failed":
            self._failed(record, turns[-1], context)
        return len(record.steps)

    def _differs(self, record: EpisodeRecord, step: int, expected: str, got: str) -> None:
        place = episode_name(record)
        self._faults.add(BundleError(self._file, expected, got, _REMEDY, place=place, step=step))

    def _failed(self, record: EpisodeRecord, turn: Turn, context: EpisodeContext) -> None:
        """A prompt that cannot fit by itself is never sent, so no transport fault can have come of it."""
        try:
            context.turn(turn.feedback, turn.observation, self._recall(turn.state))
        except ContextOverflowError as error:
            if record.failure != "context_overflow":
                expected = f"failure context_overflow ({error})"
                self._differs(record, len(record.steps), expected, str(record.failure))
            self._estimates.note(step_place(record, len(record.steps)), context)
        else:
            self._estimates.failed(record, context)

    def _recall(self, state: State) -> str | None:
        return self._game.recall(state) if self._recalls else None

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
        self._estimates.note(summary_place(memory.index), prompt)
        digest = prompt.digest
        if memory.status == "made" and memory.reply is not None:
            prompt.remember(memory_text(memory.reply, self._context.budget.memory_tokens))
        compared: tuple[tuple[str, object, object], ...] = (
            ("context", digest, memory.context),
            ("sources", tuple(self._sources[prompt.cut.episodes :]), memory.sources),
            ("memory", self._context.memory, memory.memory),
        )
        for what, rebuilt, recorded in compared:
            if rebuilt != recorded:
                fault = BundleError(file, f"{what} {shown(rebuilt)}", shown(recorded), _REMEDY, place=place)
                self._faults.add(fault)
