"""The prompts of an episode that is over, all at once: where none of them can have been cut.

``EpisodeContext`` makes a prompt at a time, as a run needs it, and cuts it by the rule. Who checks an episode knows all
of it: if its last prompt fits the budget, so did every one before, and their digests are those of one growing text.
"""

from __future__ import annotations

from collections.abc import Sequence

from games.base import Config
from games.play import Turn
from protocol.context import RunContext
from protocol.prompts import user_text
from protocol.tokens import MESSAGE_OVERHEAD, estimate, estimate_known, most


def whole_digests(run: RunContext, config: Config, turns: Sequence[Turn], lines: Sequence[str]) -> list[str] | None:
    """Return the context digest of each step of a new episode; None if the rule cuts one of its prompts.

    Args:
        run: What is carried; it stays as it is.
        config: The numbers that the episode was played under.
        turns: What stood before the player at each step.
        lines: The canonical line of each reply.
    """
    form = run.game.action_form
    users = [user_text(turn.feedback, turn.observation, form) for turn in turns]
    numbers = run.numbers(config)
    if not _fits(run, numbers, [*users, *lines[:-1]]):
        return None
    hashing = run.hint_hash(run.cut)
    hashing.add(numbers)
    return hashing.dialogue(users, lines)


def whole_tokens(run: RunContext, config: Config, turns: Sequence[Turn], lines: Sequence[str]) -> list[int]:
    """Return the estimate of each step's prompt of a new episode, given that ``whole_digests`` found none cut."""
    before = run.fixed_tokens(run.numbers(config)) + run.hint_tokens(run.cut)
    tokens = []
    for turn, line in zip(turns, lines, strict=True):
        told = estimate(user_text(turn.feedback, turn.observation, run.game.action_form))
        tokens.append(before + told)
        before += told + estimate_known(line) + 2 * MESSAGE_OVERHEAD
    return tokens


def _fits(run: RunContext, numbers: str, texts: Sequence[str]) -> bool:
    """Tell whether the last prompt, of which these are the messages, is within the budget."""
    left = run.budget.input_tokens - run.fixed_tokens(numbers) - (len(texts) - 1) * MESSAGE_OVERHEAD
    # A line end between them keeps the estimate of each as it is, and counts 1.
    left += len(texts) - 1
    joined = "\n".join(texts)
    return run.most_hint_tokens(run.cut) + most(joined) <= left or run.hint_tokens(run.cut) + estimate(joined) <= left
