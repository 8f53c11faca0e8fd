"""What the replies of an entry betray about the endpoint; a pure function of what the journal knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from protocol.messages import Message
from protocol.tokens import estimate
from runner.journal import Outcome

CUT_FROM = 2_000
"""Estimated tokens of a prompt from which its reported count says something."""
CUT_PERCENT = 60
"""A report below this share of the estimate betrays a prompt that was cut: of ten vocabularies, none comes near it."""
FILTERED_WARNING = 10
"""Filtered replies of one game after which its player is warned."""
_SMALL_CONTEXT = (
    "the endpoint seems to answer nothing to what its context does not hold. Give it a larger one, or declare its own "
    "with --context-tokens"
)
_SHOWN = 60
"""Characters of a name that an endpoint reports."""


class Findings:
    """Collects, over all games of an entry, what the endpoint does without saying so.

    * A server that cuts a prompt in silence reports far fewer prompt tokens than were sent.
    * A server that answers nothing to a prompt that is too long does answer the same one once it is cut.
    * A server that changes its model in the middle reports another name, or another fingerprint.

    Args:
        warn: Told of the first of each kind, while the run is played.
        adaptations: How requests are known to differ already; of further ones it is told as well.
    """

    def __init__(self, warn: Callable[[str], None], adaptations: Iterable[str] = ()) -> None:
        self._warn = warn
        self._adaptations = set(adaptations)
        self._counted = 0
        self._cuts: list[tuple[int, int]] = []
        self._models: Counter[str] = Counter()
        self._fingerprints: Counter[str] = Counter()
        self._faults: Counter[str] = Counter()
        self._filtered: Counter[str] = Counter()
        self._silent: Counter[bool] = Counter()

    def note(self, outcome: Outcome, messages: Callable[[], Sequence[Message]]) -> None:
        """Take in what came of one prompt.

        Args:
            outcome: What came of it.
            messages: Builds the prompt again; called only where its count is suspicious.
        """
        if outcome.fault is not None:
            self._faults[outcome.fault] += 1
        if outcome.finish == "content_filter":
            self._note_filtered(outcome.key.partition(" ")[0])
        if outcome.silent:
            self._note_silent(outcome)
        for each in outcome.adaptations:
            if each not in self._adaptations:
                self._adaptations.add(each)
                self._warn(f"adapted to the endpoint: {each}")
        self._note_name(self._models, outcome.model, "model name")
        self._note_name(self._fingerprints, outcome.fingerprint, "system fingerprint")
        reported = outcome.tokens_in
        if not reported:
            return
        self._counted += 1
        prompt_tokens = outcome.prompt_tokens
        if _too_few(reported, prompt_tokens) and _too_few(reported, _least_tokens(messages())):
            self._cuts.append((reported, prompt_tokens))
            if len(self._cuts) == 1:
                self._warn(
                    f"the endpoint counted {reported} tokens in a prompt of about {prompt_tokens}: it seems to cut "
                    "prompts without saying so. Give it a larger context, or declare its own with --context-tokens; "
                    "this run will be marked."
                )

    @property
    def deviations(self) -> tuple[str, ...]:
        """Return what makes the entry not comparable, for its manifest."""
        found = []
        if self._cuts:
            reported, sent = min(self._cuts, key=lambda cut: (cut[0] / cut[1], cut))
            found.append(
                f"context cut by server: {len(self._cuts)} of {self._counted} prompts that it counted, one at "
                f"{reported} tokens of about {sent}"
            )
        if len(self._models) > 1:
            (first, _), (second, times) = sorted(self._models.items(), key=lambda name: (-name[1], name[0]))[:2]
            more = f" and {len(self._models) - 2} more" if len(self._models) > 2 else ""
            found.append(f"model changed: the endpoint reported {first} and, {times} times, {second}{more}")
        return tuple(found)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what a player should hear at the end, beyond the deviations."""
        found = []
        if self._faults:
            kinds = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in sorted(self._faults.items()))
            found.append(f"replies that never came, by the last fault: {kinds}")
        if self._silent:
            found.append(
                f"{self._silent.total()} long prompts got an empty reply and were cut once more; "
                f"{self._silent[True]} of them were answered then: {_SMALL_CONTEXT}"
            )
        if len(self._fingerprints) > 1:
            found.append(
                f"the endpoint reported {len(self._fingerprints)} system fingerprints: it may have changed in the "
                "middle; they stand in the costs, step by step"
            )
        return tuple(found)

    def _note_silent(self, outcome: Outcome) -> None:
        answered = bool(outcome.reply and outcome.reply.strip())
        self._silent[answered] += 1
        if self._silent[answered] > 1:
            return
        cut = (
            f"{outcome.key}: an empty reply to a prompt of a new length. Cut to about {outcome.prompt_tokens:,} tokens"
        )
        if answered:
            self._warn(f"{cut}, it was answered: {_SMALL_CONTEXT}")
        else:
            self._warn(f"{cut}, it got none either, so length alone is not why; see the server's log")

    def _note_filtered(self, game: str) -> None:
        self._filtered[game] += 1
        if self._filtered[game] == FILTERED_WARNING:
            self._warn(
                f"{game}: {FILTERED_WARNING} replies were filtered so far; each counts as an invalid action, and a run "
                "with many of them is not ranked. See the content filter's settings, or leave the game out."
            )

    def _note_name(self, names: Counter[str], name: str | None, what: str) -> None:
        if not name:
            return
        shown = "".join(each if each.isprintable() else "\ufffd" for each in name[:_SHOWN])
        names[shown] += 1
        if len(names) == 2 and names[shown] == 1:
            first = next(iter(names))
            self._warn(f"the endpoint's {what} has changed from {first} to {shown}; the model may be another one")


def _too_few(reported: int, tokens: int) -> bool:
    return tokens >= CUT_FROM and reported * 100 < tokens * CUT_PERCENT


def _least_tokens(messages: Sequence[Message]) -> int:
    """Return an estimate that is low for any script: the usual one takes every byte outside ASCII for a token."""
    total = 0
    for message in messages:
        text = message.content
        plain = text.encode("ascii", "ignore").decode()
        total += estimate(plain) + (len(text) - len(plain)) // 2
    return total
