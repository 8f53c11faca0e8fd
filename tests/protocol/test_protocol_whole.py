"""All prompts of an episode at once are those that are made one by one, and never where one of these is cut."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from games.base import Config
from games.play import Turn
from games.registry import game_named
from protocol.carry import Carry, Cut
from protocol.context import Budget, ContextOverflowError, Pathway, RunContext
from protocol.messages import Hashing, Message, messages_digest
from protocol.tokens import MESSAGE_OVERHEAD, estimate, most
from protocol.whole import whole_digests, whole_tokens

SNAKE = game_named("snake")
STATE = SNAKE.start(SNAKE.strict, 1)
texts = st.text(alphabet=st.sampled_from("ab .#1\n\té漢"), max_size=60)
shapes = st.lists(
    st.tuples(texts, texts, st.sampled_from(["Answer: UP, Score: 0", "Answer: é 1, Score: NA"])), min_size=1, max_size=6
)


def one_by_one(
    run: RunContext, config: Config, turns: Sequence[Turn], lines: Sequence[str]
) -> list[list[Message]] | None:
    """Make the messages of each prompt as a run does; None if the rule cuts one or cannot build it."""
    context = run.episode(config)
    before = context.dropped
    prompts = []
    for turn, line in zip(turns, lines, strict=True):
        try:
            context.turn(turn.feedback, turn.observation)
        except ContextOverflowError:
            return None
        if context.dropped != before:
            return None
        prompts.append(context.messages())
        context.answered(line)
    return prompts


def carried(run: RunContext, shape: list[tuple[str, str, str]]) -> None:
    """Play an exploration episode and carry it on, if its prompts can be built."""
    context = run.episode(SNAKE.explore)
    for feedback, observation, line in shape:
        try:
            context.turn(feedback, observation)
        except ContextOverflowError:
            return
        context.answered(line)
    run.explored(context, "over.")


@settings(max_examples=200)
@given(
    explored=st.lists(shapes, max_size=3),
    played=shapes,
    room=st.integers(0, 500),
    pathway=st.sampled_from(["history", "summary"]),
    system_role=st.booleans(),
    memory=st.none() | texts,
)
def test_all_prompts_at_once_are_those_made_one_by_one_unless_one_is_cut(
    explored: list[list[tuple[str, str, str]]],
    played: list[tuple[str, str, str]],
    room: int,
    pathway: Pathway,
    system_role: bool,
    memory: str | None,
) -> None:
    bare = RunContext(SNAKE, pathway, Budget(10**6, 100, 80), system_role=system_role).episode(SNAKE.strict)
    bare.turn("", "")
    run = RunContext(SNAKE, pathway, Budget(bare.tokens + room, 100, 80), system_role=system_role)
    for shape in explored:
        carried(run, shape)
    run.memory = memory if pathway == "summary" else None
    turns = [Turn(at, feedback, observation, STATE) for at, (feedback, observation, _) in enumerate(played)]
    lines = [line for _, _, line in played]
    prompts = one_by_one(run, SNAKE.strict, turns, lines)
    digests = whole_digests(run, SNAKE.strict, turns, lines)
    assert digests == (None if prompts is None else list(map(messages_digest, prompts)))
    if prompts is not None:
        assert whole_tokens(run, SNAKE.strict, turns, lines) == [
            sum(estimate(message.content) + MESSAGE_OVERHEAD for message in messages) for messages in prompts
        ]


@given(texts, st.lists(st.tuples(texts, texts), max_size=4))
def test_a_dialogue_is_hashed_as_its_messages_are(first: str, exchanges: list[tuple[str, str]]) -> None:
    hashing = Hashing()
    hashing.add(first)
    got = hashing.dialogue([user for user, _ in exchanges], [line for _, line in exchanges])
    messages: list[Message] = []
    wanted = []
    for at, (user, line) in enumerate(exchanges):
        messages.append(Message("user", f"{first}{user}" if at == 0 else user))
        wanted.append(messages_digest(messages))
        messages.append(Message("assistant", line))
    assert got == wanted
    if exchanges:
        assert hashing.hexdigest() == messages_digest(messages)
    hashing.add("more")
    hashing.close("user")
    last = Message("user", "more" if exchanges else f"{first}more")
    assert hashing.hexdigest() == messages_digest([*messages, last])


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_a_text_never_counts_more_than_is_said_without_counting(text: str) -> None:
    assert estimate(text) <= most(text)


@given(
    st.lists(st.lists(texts.map(lambda text: f"{text}\n"), max_size=3), max_size=5),
    st.lists(st.tuples(st.booleans(), st.integers(0, 5), st.integers(0, 3)), max_size=12),
)
def test_a_carry_counts_the_same_whenever_it_is_asked(
    episodes: list[list[str]], asked: list[tuple[bool, int, int]]
) -> None:
    carry = Carry()
    waiting = list(episodes)
    for add, at, steps in asked:
        if add and waiting:
            carry.add(tuple(waiting.pop(0)))
        known = episodes[: len(carry)]
        cut = Cut(min(at, len(known)), steps if at < len(known) else 0)
        left = [piece for number, pieces in enumerate(known) for place, piece in enumerate(pieces)
                if (number, place) >= cut]  # fmt: skip
        exact = sum(map(estimate, left))
        assert exact <= carry.most_tokens(cut)
        assert (carry.most_tokens(cut) == 0) == (not left)
        if at % 2:
            assert carry.tokens(cut) == exact
            assert carry.most_tokens(cut) == exact
