"""The first replies of a run: whether they are worth going on from, before money is spent on the rest."""

from __future__ import annotations

from collections import Counter

from protocol.outcomes import ReplyKind, reply_kind
from protocol.records import Endpoint
from protocol.reply import read_reply
from runner.journal import Outcome
from runner.retry import PauseRunError

FIRST = 10
"""Replies to steps that are looked at."""
MOST_WITHOUT_ANSWER = 7
"""Of them; one more, and the run stops."""
KEEP_GOING = "--keep-going"
_WITHOUT_ANSWER = (ReplyKind.EMPTY, ReplyKind.UNREADABLE, ReplyKind.TRUNCATED)
_ADVICE = {
    ReplyKind.EMPTY: "check that the model answers in `content`, and that its context holds the prompts",
    ReplyKind.UNREADABLE: "read some of them in the journal; s3gym doctor shows how a reply is read",
    ReplyKind.TRUNCATED: "have the model think less, or play a protocol with a larger output budget",
}


class Beginning:
    """Counts the first replies of a run, those of earlier sittings included.

    A filtered reply is none of those that it counts as useless: a filter may stop all prompts of one game and none of
    the others. Players that cost nothing, on this machine, are left to play as they do.

    Args:
        endpoint: Who plays.
        keep_going: Whether the run goes on whatever came first.
    """

    def __init__(self, endpoint: Endpoint, *, keep_going: bool) -> None:
        self._watches = not keep_going and endpoint.kind not in ("builtin", "embedded")
        self._kinds: Counter[ReplyKind] = Counter()

    def note(self, outcome: Outcome) -> None:
        """Take in what came of a step; a summary call is none."""
        if not self._watches or self._kinds.total() >= FIRST or " step " not in outcome.key:
            return
        if outcome.reply is not None and outcome.finish is not None:
            self._kinds[reply_kind(outcome.reply, outcome.finish, read_reply(outcome.reply))] += 1

    def check(self) -> None:
        """Look at what came so far, before anything more is asked.

        Raises:
            PauseRunError: If too few of the first replies hold an answer.
        """
        counts = {kind: self._kinds[kind] for kind in _WITHOUT_ANSWER if self._kinds[kind]}
        useless = sum(counts.values())
        if useless <= MOST_WITHOUT_ANSWER:
            return
        kinds = ", ".join(f"{count} {kind}" for kind, count in counts.items())
        advice = _ADVICE[max(counts, key=lambda kind: counts[kind])]
        raise PauseRunError(
            f"{useless} of the first {self._kinds.total()} replies hold no answer ({kinds}): {advice}. These replies "
            f"stay as they are: begin anew with another --out, or go on from them with {KEEP_GOING}"
        )
