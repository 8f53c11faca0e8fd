"""One reply of each game, read as a run reads it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from games.base import playable, refusal
from games.registry import AnyGame, game_named
from protocol.budgets import Budgets
from protocol.context import ContextOverflowError
from protocol.outcomes import ReplyKind, count_replies, reply_kind
from protocol.reply import Reply, read_reply
from runner.entry import Plan
from runner.models.model import Answer
from s3gym.doctor.asking import Fault, Heard, Questioner
from s3gym.doctor.findings import Notes, Sample
from s3gym.doctor.prompts import Opening
from s3gym.finishing import reply_parts

MOST_TOKENS = 4_000
"""New tokens of a sample at most; a protocol may allow more."""
_START = 120
_INVALID = refusal("").partition(":")[0]
_TROUBLE: Mapping[ReplyKind, str] = {
    ReplyKind.UNREADABLE: "no answer line: an invalid action in a run; look at how the reply begins and ends",
    ReplyKind.EMPTY: "the reply is empty: check that the model answers in `content` and not only in a reasoning field",
    ReplyKind.FILTERED: "a content filter answered: turn it down, or ask for an exception",
}


async def take_samples(
    asker: Questioner, plan: Plan, room: Budgets, *, system_role: bool, concurrency: int, notes: Notes
) -> None:
    """Ask for the first step of each game and note how the reply is read.

    Args:
        asker: Who asks.
        plan: The plan.
        room: What prompts and replies may hold.
        system_role: Whether there is a system message.
        concurrency: Requests under way at once.
        notes: Where findings go.
    """
    seats = asyncio.Semaphore(concurrency)

    heard: list[Answer] = []

    async def one(game: AnyGame) -> None:
        try:
            opening = Opening(game, plan, room.input_tokens, system_role=system_role)
        except ContextOverflowError as error:
            notes.fail(f"sample {game.id}", str(error), "give the server a larger context")
            return
        async with seats:
            got = await asker.ask(opening.context.messages(), min(room.output_tokens, MOST_TOKENS), opening.state)
        _note(game, opening, got, room, notes)
        if isinstance(got, Heard):
            heard.append(got.answer)

    await asyncio.gather(*(one(game_named(name)) for name in plan.games))
    _note_counts(heard, notes)


def _note_counts(heard: Sequence[Answer], notes: Notes) -> None:
    """Note how the replies are to be taken, counted as at the end of a run."""
    if not heard:
        return
    counts = count_replies((answer.text, answer.finish, read_reply(answer.text)) for answer in heard)
    found = f"{counts.steps} replies: {', '.join(reply_parts(counts))}"
    if counts.kinds[ReplyKind.ANSWERED] == counts.steps and not counts.cut_off + counts.second_answers:
        notes.passed("replies", found)
    else:
        notes.warn("replies", found, "see docs/reference/failures.md for what each of them is in a run")


def _note(game: AnyGame, opening: Opening, got: Heard | Fault, room: Budgets, notes: Notes) -> None:
    check = f"sample {game.id}"
    if isinstance(got, Fault):
        notes.fail(check, got.message, "read the endpoint's own words; a run would wait and ask again")
        return
    answer = got.answer
    reply = read_reply(answer.text)
    kind = reply_kind(answer.text, answer.finish, reply)
    feedback = game.step(opening.state, playable(reply.action)).feedback
    legal = reply.action is not None and not feedback.startswith(_INVALID)
    notes.sample(
        Sample(
            game=game.id,
            action=reply.action,
            score=reply.score,
            legal=legal,
            kind=kind.value,
            finish=answer.finish,
            seconds=round(got.seconds, 3),
            tokens_out=answer.usage.tokens_out,
            start=answer.text[:_START],
        )
    )
    took = f"{got.seconds:.1f} s, {got.tokens_out:,} tokens"
    _judge(check, reply, kind, feedback, f"{took}; begins: {answer.text[:_START]}", room, notes, legal=legal)


def _judge(
    check: str, reply: Reply, kind: ReplyKind, feedback: str, shown: str, room: Budgets, notes: Notes, *, legal: bool
) -> None:
    score = "no score" if reply.score is None else f"score {reply.score:g}"
    action = "no action" if reply.action is None else f"action {reply.action[:60] or 'empty'}"
    said = f"{action}, {score}; {shown}"
    if kind is ReplyKind.TRUNCATED:
        allowed = min(room.output_tokens, MOST_TOKENS)
        more = f"a run allows {room.output_tokens:,}" if allowed < room.output_tokens else "that is all a run allows"
        notes.warn(check, said, f"cut at {allowed:,} tokens before its answer; {more}: have it think less")
    elif kind in (ReplyKind.EMPTY, ReplyKind.FILTERED):
        notes.fail(check, said, _TROUBLE[kind])
    elif kind is ReplyKind.UNREADABLE:
        notes.warn(check, said, _TROUBLE[kind])
    elif not legal:
        notes.warn(check, said, f"read, but the game refuses it ({feedback}); the model's own mistake")
    elif reply.score is None:
        notes.warn(check, said, "the action counts, but without a self-score the judging metrics leave it out")
    else:
        notes.passed(check, said)
