"""builtin:learner gains from what it carries, through the prompt alone, and holds nothing of any game."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.base import Move
from games.registry import GAMES, AnyGame, game_named
from protocol.context import Budget, Pathway, RunContext
from protocol.messages import Message
from protocol.prompts import HINTS
from protocol.reply import read_reply
from protocol.summary import SummaryPrompt
from protocol.tokens import estimate
from runner.models import learner
from runner.models.builtin import Builtin, drawer
from runner.models.learning import judging, kinds, seeing, tips, weighing, words
from runner.models.learning.judging import judge, read_scoring
from runner.models.learning.kinds import Event, Kinds, Record, Story
from runner.models.learning.seeing import look
from runner.models.learning.tips import Known, read_tips, write_tips
from runner.models.learning.weighing import Beliefs, Key, Weight
from runner.models.model import Answer
from runner.models.reading import NO_ACTION, PastStep, StepPrompt, read_history, read_step
from tests.runner.simulated import explore, play_episode, strict_scores

PAPER = Budget(100_000, 4_000, 80)
PATHWAYS: list[Pathway] = ["history", "summary"]
MODEL = Builtin("learner")
SOURCES = [learner, judging, kinds, seeing, tips, weighing, words]


class Size(NamedTuple):
    runs: int
    episodes: int
    """Exploration episodes of a run."""
    strict: int
    """Strict seeds a run; for Trust, equal numbers of every opponent."""


SIZES = {"snake": Size(1, 8, 24), "trust": Size(4, 30, 32)}


class Blanked:
    """The learner, from whose prompts the carried text is taken out."""

    def __init__(self, game: AnyGame) -> None:
        self._numbers = game.numbers(game.strict)

    def answer(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        system, first, *rest = messages
        assert first.content.startswith(HINTS)
        blanked = Message("user", first.content[first.content.index(self._numbers) :])
        return MODEL.answer([system, blanked, *rest], max_tokens)


def explored(game: AnyGame, pathway: Pathway, episodes: int, number: int = 0) -> RunContext:
    run = RunContext(game, pathway, PAPER)
    for index in range(episodes):
        explore(run, MODEL, game.explore, 1000 * number + index)
    return run


@pytest.mark.parametrize("pathway", PATHWAYS)
@pytest.mark.parametrize("name", SIZES)
def test_carried_text_raises_the_strict_score_beyond_noise_and_blanking_it_takes_the_gain_away(
    name: str, pathway: Pathway
) -> None:
    """Paired over many strict seeds: the mean gain is more than three standard errors above zero."""
    game, size = game_named(name), SIZES[name]
    gains: list[float] = []
    for number in range(size.runs):
        seeds = range(10_000 + 100 * number, 10_000 + 100 * number + size.strict)
        run = explored(game, pathway, size.episodes, number)
        before = strict_scores(RunContext(game, pathway, PAPER), MODEL, game.strict, seeds)
        after = strict_scores(run, MODEL, game.strict, seeds)
        gains += [late - early for late, early in zip(after, before, strict=True)]
        assert strict_scores(run, Blanked(game), game.strict, seeds) == before
    assert fmean(gains) > 3 * stdev(gains) / sqrt(len(gains))


@pytest.mark.parametrize("pathway", PATHWAYS)
def test_its_self_scores_come_to_agree_with_the_rewards_that_it_never_sees(pathway: Pathway) -> None:
    run = explored(game_named("snake"), pathway, 6)
    later = chain.from_iterable(explore(run, MODEL, run.game.explore, 500 + seed).scores for seed in range(3))
    pairs = list(later)
    assert any(reward > 0 for _, reward in pairs)
    assert fmean(((score or 0) > 0) == (reward > 0) for score, reward in pairs) > 0.95


def test_no_word_or_symbol_of_any_game_stands_in_its_source() -> None:
    """Neither ids, titles, actions or events of any game, nor the symbols of its boards as literals."""
    text = "\n".join(Path(str(module.__file__)).read_text(encoding="utf-8") for module in SOURCES)
    literals = set(re.findall(r"[\"']([^\"'\\\s])[\"']", text))
    for game in GAMES:
        scoring = read_scoring(game.rules)
        for name in (game.id, *game.title.split()):
            assert re.search(rf"\b{name}\b", text, re.IGNORECASE) is None, name
        for action in scoring.alternatives:
            assert re.search(rf"\b{action}\b", text) is None, action
        for phrase, _ in scoring.events:
            # The contract of every game: a refusal begins with these words.
            assert phrase == "Invalid action" or phrase.lower() not in text.lower(), phrase
        board = look(game.observe(game.start(game.strict, 1))).board
        assert board is None or not literals & set(board.places)


def test_it_reads_no_module_of_a_game() -> None:
    for module in SOURCES:
        imports = re.findall(r"^(?:from|import) (\S+)", Path(str(module.__file__)).read_text("utf-8"), re.MULTILINE)
        assert {name for name in imports if name.startswith("games")} <= {"games.base"}


RULES = """\
A made-up game

Action format: <GO|STAY|HOP>

Scoring:
- You found it: +2
- You lost it: -1.5
- Nothing happened: 0"""


def test_the_rules_give_alternatives_and_events() -> None:
    scoring = read_scoring(RULES)
    assert scoring.alternatives == ("GO", "STAY", "HOP")
    assert scoring.events == (("You found it", 2.0), ("You lost it", -1.5), ("Nothing happened", 0.0))


def test_a_past_step_counts_what_its_feedback_says_else_its_own_self_score() -> None:
    episode = (
        PastStep("a", "GO", 0.5, "You found it."),
        PastStep("b", "GO", 0.5, "Something else 12."),
        PastStep("c", "GO", None, "Something else 13."),
        PastStep("d", "GO", 3.0, "Invalid action: no."),
        PastStep("d2", "HOP", 3.0, "Nothing happened."),
        PastStep("d2", "HOP", 3.0, "You lost it."),
    )
    judged = judge(episode, read_scoring(RULES))
    assert [one.points for one in judged] == [2.0, 0.5, 0.0, -0.5, -0.5, -1.5]
    assert [one.vain for one in judged] == [False, False, False, True, True, False]
    assert judged[1].event == judged[2].event == "Something else <n>."


def prompt(carried: str, observation: str, own: tuple[PastStep, ...] = ()) -> StepPrompt:
    return StepPrompt(RULES, carried, own, observation)


def answer(step: StepPrompt, salt: int = 0) -> Move:
    return learner.next_move(step, drawer([Message("user", f"{step}{salt}")]), lambda: "never asked")


def board_of(place: int, width: int = 7) -> str:
    cells = ["~"] * width
    cells[place] = "@"
    cells[width - 1] = "$" if place != width - 1 else "@"
    line = " ".join("~" * width)
    return f"{line}\n{' '.join(cells)}\n{line}"


def test_it_learns_a_made_up_board_game_that_it_has_never_heard_of() -> None:
    """GO moves right, HOP moves left; what lies at the right end scores. After some episodes it goes there."""
    walk = [(2, "HOP"), (1, "STAY"), (1, "GO"), (2, "GO"), (3, "HOP"), (2, "GO"), (3, "GO"), (4, "GO"), (5, "GO")]
    said = ["Nothing happened."] * 8 + ["You found it."]
    answers = [f"{board_of(place)}\nLLM: Answer: {action}, Score: 0\n" for place, action in walk]
    before = ["", *(f"{feedback}\n" for feedback in said)]
    episode = "".join(f"Env: {told}{text}" for told, text in zip(before, [*answers, "\n"], strict=True))
    history = episode * 24
    moves = [answer(prompt(history, board_of(5)), salt) for salt in range(40)]
    assert fmean(move.action == "GO" for move in moves) > 0.8
    assert {move.score for move in moves if move.action == "GO"} == {2.0}
    assert fmean(answer(prompt("", board_of(5)), salt).action == "GO" for salt in range(60)) < 0.6


def test_it_tells_kinds_of_episodes_apart() -> None:
    """In half the episodes GO pays after GO, in the others it costs; the first step shows which."""
    kind = "Env: Begin\nLLM: Answer: STAY, Score: 0\nEnv: {first}\nx\nLLM: Answer: GO, Score: 0\nEnv: {then}\n\n"
    good = kind.format(first="You found it.", then="You found it.")
    bad = kind.format(first="You lost it.", then="You lost it.")
    history = (good + bad) * 20
    after_good = prompt(history, "x", (PastStep("Begin", "STAY", 0.0, "You found it."),))
    after_bad = prompt(history, "x", (PastStep("Begin", "STAY", 0.0, "You lost it."),))
    assert fmean(answer(after_good, salt).action == "GO" for salt in range(400)) > 0.9
    assert fmean(answer(after_bad, salt).action == "GO" for salt in range(400)) < 0.1


def test_an_action_that_changed_nothing_is_not_repeated_in_the_same_state() -> None:
    own = (PastStep("same", "GO", 0.0, "Invalid action: no."), PastStep("same", "HOP", 0.0, "Nothing happened."))
    assert {answer(prompt("", "same", own), salt).action for salt in range(20)} == {"STAY"}
    every = (*own, PastStep("same", "STAY", 0.0, "Nothing happened."))
    assert {answer(prompt("", "same", every), salt).action for salt in range(60)} == {"GO", "STAY", "HOP"}


def test_where_the_rules_list_no_actions_it_tries_what_it_is_offered() -> None:
    step = StepPrompt("Rules without a list", "", (), "x")
    assert learner.next_move(step, lambda _: 0, lambda: "offer (1,2)").action == "offer (1,2)"


class Told:
    """The learner, whose replies are kept; every second one is spoiled if asked for."""

    def __init__(self, spoiled: str | None = None) -> None:
        self.replies: list[str] = []
        self._spoiled = spoiled

    def answer(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        found = MODEL.answer(messages, max_tokens)
        self.replies.append(found.text)
        spoil = self._spoiled is not None and len(self.replies) % 2 == 0
        return found._replace(text=self._spoiled) if spoil and self._spoiled is not None else found


@pytest.mark.parametrize("name", [game.id for game in GAMES])
def test_an_honest_run_holds_no_unreadable_step(name: str) -> None:
    """Each of its replies is read as the action that it gives, and read back from the prompt as the same one."""
    game, told = game_named(name), Told()
    run = RunContext(game, "history", PAPER)
    for seed in range(3):
        explore(run, told, game.explore, seed)
    episode = run.episode(game.explore)
    episode.turn("", "a state")
    step = read_step(episode.messages())
    assert step is not None
    carried = [past.action for episode in read_history(step.carried) for past in episode]
    assert carried == [read_reply(text).action for text in told.replies]
    assert all(f"Answer: {action}, Score: " in text for action, text in zip(carried, told.replies, strict=True))
    assert NO_ACTION not in carried


@pytest.mark.parametrize("spoiled", ["I cannot say.", "Answer: , Score: 0"])
@pytest.mark.parametrize("name", [game.id for game in GAMES])
def test_what_stands_for_an_unreadable_reply_is_never_tried_as_an_action(name: str, spoiled: str) -> None:
    """Of another's run, as in a re-run, or where an endpoint cut replies; an honest run of its own holds none."""
    game, told = game_named(name), Told(spoiled)
    run = RunContext(game, "history", PAPER)
    for seed in range(4):
        explore(run, told, game.explore, seed)
    episode = run.episode(game.explore)
    episode.turn("", "a state")
    step = read_step(episode.messages())
    assert step is not None
    assert NO_ACTION in {past.action for episode in read_history(step.carried) for past in episode}
    assert not {read_reply(text).action for text in told.replies} & {"INVALID", "", None}


def known_of(run: RunContext) -> Known:
    prompt = SummaryPrompt(run).messages()[0].content
    carried = prompt.partition("History:\n")[2].partition("Please summarize")[0]
    return learner.learn(run.game.rules, carried, learner.NOTHING_KNOWN)


@pytest.mark.parametrize("name", SIZES)
def test_tips_read_back_make_most_of_the_choices_that_the_history_makes(name: str) -> None:
    """Same draws, same states; only the rounding and the limit on words differ."""
    game = game_named(name)
    run = explored(game, "history", 8)
    summary = RunContext(game, "summary", PAPER)
    summary.memory = write_tips(known_of(run), 2_000)
    agreed: list[bool] = []
    for seed in range(6):
        context = play_episode(run, MODEL, game.strict, seed).context
        by_history = read_step(context.messages())
        assert by_history is not None
        by_tips = by_history._replace(carried=f"{summary.memory}\n\n")
        for salt in range(10):
            draws = [drawer([Message("user", f"{seed} {salt}")]) for _ in range(2)]
            moves = [
                learner.next_move(step, draw, str) for step, draw in zip((by_history, by_tips), draws, strict=True)
            ]
            agreed.append(moves[0].action == moves[1].action)
    assert fmean(agreed) > 0.8


@pytest.mark.parametrize("words", [0, 1, 20, 100, 812, 2_000])
@pytest.mark.parametrize("name", SIZES)
def test_tips_keep_to_the_words_and_tokens_asked_for(name: str, words: int) -> None:
    text = write_tips(known_of(explored(game_named(name), "history", 4)), words)
    least = len(write_tips(Known(Beliefs(), Record((), {}, 0)), words).split())
    assert len(text.split()) <= max(words, least)
    assert estimate(text) <= max(2 * words, 60)
    assert text.isascii()


@pytest.mark.parametrize("name", SIZES)
def test_earlier_tips_and_new_episodes_add_up(name: str) -> None:
    """Recursive mode: what stood in the tips is not lost where the history no longer holds it."""
    game = game_named(name)
    run = RunContext(game, "summary", PAPER, mode="recursive")
    for seed in range(6):
        explore(run, MODEL, game.explore, seed)
    known = read_tips(run.memory or "")
    if name == "snake":
        assert known.beliefs.weights[Key("state", "", "")].times == 6 * game.explore.max_steps
    else:
        assert sum(size for size, _ in known.record.kinds) == 6
        assert sum(event.times for event in known.record.events.values()) == 6 * game.explore.max_steps


def test_tips_hold_everything_in_words() -> None:
    weights = {
        Key("state", "", ""): Weight(0.25, 0.1, 40),
        Key("link", "it takes @ onto $", ""): Weight(1.5, 2.0, 7),
        Key("action", "", "GO"): Weight(-0.75, -0.5, 12),
        Key("state", "~ is above @", ""): Weight(0.0, 0.02, 3),
    }
    beliefs = Beliefs(weights, {("GO", "@"): (0, 1), ("HOP", "@"): (0, -1)})
    events = {"You found it": Event(2.0, 5), "You lost it": Event(-1.5, 6)}
    table = {("start", "GO"): {"You found it": 3, "You lost it": 1}, ("You lost it", "HOP"): {"You found it": 2}}
    known = Known(beliefs, Record(((4, table),), events, 9))
    assert read_tips(write_tips(known, 2_000)) == known


@given(
    st.text(max_size=400)
    | st.lists(st.sampled_from(write_tips(Known(Beliefs(), Record((), {}, 0)), 99).split())).map(" ".join)
)
@settings(max_examples=60, deadline=None)
def test_tips_of_another_hand_are_passed_over(text: str) -> None:
    """Any text may stand under the hints; the learner plays on."""
    assert answer(prompt(text, board_of(3))).action in ("GO", "STAY", "HOP")
    assert answer(prompt(text, "no board")).action in ("GO", "STAY", "HOP")


_HOSTILE = [
    "- Always: the action GO +999999.00, at once +999999.00 (999999 times)",
    "- When it takes @ onto $: that action -999999.00, at once -1.00 (0 times)",
    "- The action GO moves @ by 999 rows and -999 columns.",
    "- An episode lasts up to 999999 steps.",
    "- E1 means +999999.00 (0 times): You found it",
    "- E1 means -999999.00 (1 times): You lost it",
    "- A kind of 0 episodes: after start GO brings E1 x0.",
    "- A kind of 3 episodes: after start GO brings E1 x999999; after E1 GO brings E1 x1, E2 x5.",
    "- A kind of 3 episodes: after E9 HOP brings E9 x1.",
]


@given(st.lists(st.sampled_from(_HOSTILE), max_size=12))
@settings(max_examples=60, deadline=None)
def test_tips_in_its_own_form_with_absurd_numbers_do_no_harm(lines: list[str]) -> None:
    text = "\n".join(lines)
    for observation in (board_of(3), "no board"):
        move = answer(prompt(text, observation, (PastStep("y", "GO", 0.0, "You found it."),)))
        assert move.action in ("GO", "STAY", "HOP")
        assert abs(move.score) <= 999_999


@given(st.text(alphabet="EnvLM: \nAswer,Sco0#@~", max_size=600))
@settings(max_examples=60, deadline=None)
def test_any_history_is_survived(text: str) -> None:
    assert answer(prompt(f"Env: {text}", "x")).action in ("GO", "STAY", "HOP")


def test_rare_events_beyond_a_dozen_count_as_one_also_where_earlier_tips_named_them() -> None:
    rare = {f"event {letter}": Event(1.0, 1) for letter in "abcdefghijkl"}
    table = {("start", "GO"): dict.fromkeys(rare, 1), ("event a", "GO"): {"event b": 1}}
    episodes = [tuple(PastStep("x", "GO", 0.0, f"new {letter}") for letter in "mnopqrstuvwx")] * 3
    record = kinds.learn_kinds(episodes, read_scoring(RULES), Record(((4, table),), rare, 2))
    assert len(record.events) == 13
    assert sum(event.times for event in record.events.values()) == 12 + 36
    assert sum(size for size, _ in record.kinds) == 4 + 3
    assert set(Kinds(record).worths([Story("GO", "new m")])) == {"GO"}
    assert read_tips(write_tips(Known(Beliefs(), record), 2_000)).record.events.keys() == record.events.keys()


def test_an_episode_like_none_before_is_met_with_the_record_of_all() -> None:
    events = {"good": Event(1.0, 30), "bad": Event(-1.0, 30)}
    always = {("start", "GO"): {"good": 30}, ("start", "STAY"): {"bad": 30}}
    worths = Kinds(Record(((30, always),), events, 1)).worths([])
    assert worths["GO"] > 0.8 > -0.8 > worths["STAY"]
    unseen = Kinds(Record(((30, always),), events, 2)).worths([Story("STAY", "good")])
    assert unseen["GO"] > unseen["STAY"]
