"""What a finished run tells: where its bundle is, what kinds of replies came, and what to know of the endpoint."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from protocol.outcomes import CHANNEL_FAULTS, ReplyCounts, ReplyKind
from protocol.spoken import Leak
from runner.entry import Finished, Plan
from runner.tally import Tally
from s3gym.agreeing import after
from s3gym.options import REGISTRY
from s3gym.output import err, out, plain
from s3gym.settings import Settings

_TRUNCATED_ADVICE = "truncated: the reply reached its token limit before an answer; see the protocol's output budget"

LEAK_ADVICE = {
    Leak.CHANNELS: "set the server's reasoning parser (harmony for gpt-oss) and let it see special tokens",
    Leak.THINKING: "set the server's reasoning parser, so that thinking comes in a field of its own",
    Leak.TURNS: "set the model's own chat template and stop tokens at the server",
}
"""What to do where a server hands on what it should keep apart."""


def show_finished(plan: Plan, finished: Finished, settings: Settings) -> None:
    """Print the end of a run for people, with the command that checks it.

    Args:
        plan: What was played.
        finished: How it ended.
        settings: What it was told.
    """
    console = out()
    for each in finished.tallies:
        console.print(f"  {plain(each.game)}: {_counts(each)}")
    if any(each.replies.kinds[ReplyKind.TRUNCATED] for each in finished.tallies):
        console.print(f"  {_TRUNCATED_ADVICE}")
    for warning in (*finished.warnings, *leak_warnings(finished.tallies)):
        err().print(f"[yellow]warning:[/] {plain(warning)}")
    for line in after(plan, finished):
        console.print(plain(line), highlight=False)
    console.print(f"Signed bundle: {plain(str(finished.bundle))}")
    console.print(plain(_check(finished.bundle, settings, plan.team)))


def _check(bundle: Path, settings: Settings, team: str) -> str:
    """Return what checks a bundle alone: a command as a shell takes it, in the folder in which the run was started."""
    registration = f"{team}.json"
    folders = [each for each in (settings.key.parent, REGISTRY) if (each / registration).is_file()]
    words = ["s3gym", "verify", _word(bundle), "--keys", _word(folders[0]) if folders else "KEYS"]
    if settings.protocol.endswith(".toml"):
        words += ["--protocol", _word(Path(settings.protocol))]
    lacking = "" if folders else f" (KEYS is the folder with the registration {registration})"
    return f"Check it alone{lacking}: {shlex.join(words)}"


def _word(path: Path) -> str:
    """Return a path as a word that is never taken for a flag."""
    return f"./{path}" if str(path).startswith("-") else str(path)


def finished_json(plan: Plan, finished: Finished) -> str:
    """Return the end of a run for machines."""
    games = [
        {
            "game": each.game,
            "steps": each.replies.steps,
            "replies": {kind.value: count for kind, count in each.replies.kinds.items()},
            "cut_off": each.replies.cut_off,
            "second_answers": each.replies.second_answers,
            "failed_episodes": each.failed_episodes,
            "kept_memories": each.kept_memories,
            "comparable": each.row.reason is None,
            "reason": each.row.reason,
            "marks": list(each.row.marks),
        }
        for each in finished.tallies
    ]
    return json.dumps(
        {
            "entry": plan.entry,
            "bundle": str(finished.bundle),
            "adaptations": list(finished.adaptations),
            "warnings": [*finished.warnings, *leak_warnings(finished.tallies)],
            "games": games,
        }
    )


def leak_warnings(tallies: Sequence[Tally]) -> Iterator[str]:
    """Yield what the server handed on in the texts of replies, and what to do about it."""
    steps = sum(each.replies.steps for each in tallies)
    for leak, advice in LEAK_ADVICE.items():
        found = sum(each.leaks.get(leak, 0) for each in tallies)
        if found:
            yield f"the server hands on {leak.value} in the text of {found} of {steps} replies: {advice}"


def reply_parts(replies: ReplyCounts) -> list[str]:
    """Return counts of replies in words; whatever did not occur is left out, answers excepted."""
    kinds = [kind for kind in ReplyKind if replies.kinds[kind] or kind is ReplyKind.ANSWERED]
    parts = [f"{replies.kinds[kind]} {kind.value}" for kind in kinds]
    if replies.cut_off > replies.kinds[ReplyKind.TRUNCATED]:
        parts.append(f"{replies.cut_off - replies.kinds[ReplyKind.TRUNCATED]} cut off after an answer")
    if replies.second_answers:
        parts.append(f"{replies.second_answers} with another answer before the one played")
    return parts


def _counts(tally: Tally) -> str:
    """Return a run's counts in words."""
    replies = tally.replies
    parts = reply_parts(replies)
    if tally.failed_episodes:
        parts.append(f"{tally.failed_episodes} episodes failed")
    if tally.kept_memories:
        parts.append(f"{tally.kept_memories} summary calls without a memory")
    faults = sum(replies.kinds[kind] for kind in CHANNEL_FAULTS)
    share = f" ({100 * faults // replies.steps}% of the channel's making)" if faults else ""
    return f"{replies.steps} replies: {', '.join(parts)}{share}"
