"""Trust Evolution obeys its written rules, and its opponents their textbook definitions."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.base import End
from games.trust.config import EXPLORE, SIGHTED_EXPLORE, SIGHTED_STRICT, STRICT, TrustConfig
from games.trust.opponents import OPPONENTS
from games.trust.rules import TRUST, TrustState
from tests.games.episodes import drawer, varied

ORDER = ["copycat", "nice", "cheater", "grudger", "detective", "copykitten", "simpleton", "random"]
WORD = {"C": "collaborate", "D": "cheat", "?": "I will not cheat"}
PAYS = {"CC": 2, "CD": -1, "DC": 3, "DD": 0}
HISTORIES = ["".join(letters) for letters in product("CD", repeat=10)]
COINS = (0.1, 0.9, 0.9, 0.49, 0.5, 0.0, 0.7, 0.3, 0.6, 0.2)
BOTH = pytest.mark.parametrize("config", [EXPLORE, STRICT], ids=["explore", "strict"])
every_opponent = pytest.mark.parametrize("opponent", ORDER)


def against(opponent: str, rounds: int = 10, config: TrustConfig = STRICT) -> TrustState:
    coins = (COINS * (rounds // 10 + 1))[:rounds]
    return TrustState(replace(config, max_steps=rounds), 0, None, opponent, coins, "", "", "")


def game(opponent: str, actions: str) -> tuple[str, int]:
    """The opponent's answers and the player's score, through the engine."""
    state, score = against(opponent), 0
    for action in actions:
        state, _, reward = TRUST.step(state, WORD[action])
        score += int(reward)
    return state.answers, score


@pytest.mark.parametrize(
    ("opponent", "player", "answers"),
    [
        ("copycat", "CDDCCDCDDD", "CCDDCCDCDD"),
        ("nice", "CDDCCDCDDD", "CCCCCCCCCC"),
        ("cheater", "CDDCCDCDDD", "DDDDDDDDDD"),
        ("grudger", "CCCDCCCCCC", "CCCCDDDDDD"),
        ("grudger", "DCCCCCCCCC", "CDDDDDDDDD"),
        ("grudger", "CCCCCCCCCD", "CCCCCCCCCC"),
        # never cheated in the first four rounds: it exploits for ever, whatever comes later
        ("detective", "CCCCCDDCCC", "CDCCDDDDDD"),
        # cheated in the fourth round: from the fifth on it copies, the fourth round first
        ("detective", "CCCDCDDCCC", "CDCCDCDDCC"),
        ("detective", "DCCCCDCDDC", "CDCCCCDCDD"),
        ("copykitten", "CDCDDCDDDC", "CCCCCDCCDD"),
        # it stays after a collaboration of the player and shifts after a cheat
        ("simpleton", "CCDCDDCDDD", "CCCDDCDDCD"),
        ("simpleton", "DDDDDDDDDD", "CDCDCDCDCD"),
        ("simpleton", "DCCCCCCCCC", "CDDDDDDDDD"),
        ("random", "CDDCCDCDDD", "CDDCDCDCDC"),
        ("random", "DDDDDDDDDD", "CDDCDCDCDC"),
    ],
)
def test_an_opponent_answers_as_worked_out_by_hand(opponent: str, player: str, answers: str) -> None:
    assert game(opponent, player)[0] == answers


@pytest.mark.parametrize(
    ("player", "scores"),
    [
        ("D" * 10, {"nice": 30, "copycat": 3, "cheater": 0, "grudger": 3, "copykitten": 6, "simpleton": 15}),
        ("C" * 10, {"nice": 20, "copycat": 20, "cheater": -10, "grudger": 20, "copykitten": 20, "simpleton": 20}),
        # C D C C and then a copy of ten cheats: 3 + 0 + 3 + 3; of ten collaborations, exploited: 2 - 1 + 2 + 2 - 6
        ("D" * 10, {"detective": 9}),
        ("C" * 10, {"detective": -1}),
    ],
)
def test_ten_equal_actions_pay_what_the_definitions_give(player: str, scores: dict[str, int]) -> None:
    assert {opponent: game(opponent, player)[1] for opponent in scores} == scores


def test_no_two_opponents_agree_on_all_histories() -> None:
    whole = {opponent: tuple(game(opponent, player)[0] for player in HISTORIES) for opponent in ORDER}
    assert len(set(whole.values())) == len(ORDER)


@every_opponent
def test_an_opponent_knows_nothing_of_the_present_and_the_future(opponent: str) -> None:
    answers = {player: game(opponent, player)[0] for player in HISTORIES}
    for length in range(10):
        heads = {(player[:length], answer[: length + 1]) for player, answer in answers.items()}
        assert len(heads) == 2**length


@every_opponent
@given(player=st.text("CD", max_size=12), draw=st.floats(0, 1, exclude_max=True))
def test_an_opponent_is_a_function_of_its_arguments(opponent: str, player: str, draw: float) -> None:
    own = "".join(OPPONENTS["simpleton"](player[:past], player[:past], draw) for past in range(len(player)))
    answers = {OPPONENTS[opponent](player, own, draw) for _ in range(3)}
    assert len(answers) == 1
    assert answers <= {"C", "D"}


def test_GM_25_the_payoffs_in_the_prompt_are_those_of_the_engine() -> None:
    past = {"C": "collaborated", "D": "cheated"}
    for pair, pays in PAYS.items():
        mine, theirs = pair[0], pair[1]
        state = against("nice" if theirs == "C" else "cheater")
        step = TRUST.step(state, WORD[mine])
        assert step.reward == pays
        event = f"You {past[mine]} and the opponent {past[theirs]}"
        assert step.feedback == f"{event}."
        assert f"- {event}: {pays:+}\n".replace("+0", "0") in TRUST.rules


@BOTH
@pytest.mark.parametrize("rounds", [1, 2, 8, 10, 12, 100])
def test_GM_25_exactly_as_many_rounds_are_played_as_the_prompt_says(config: TrustConfig, rounds: int) -> None:
    config = replace(config, max_steps=rounds)
    assert f"Rounds: {rounds}\n" in TRUST.numbers(config)
    state = TRUST.start(config, 7)
    for count in range(1, rounds + 1):
        assert state.end is None
        assert TRUST.observe(state).startswith(f"Round {count} of {rounds}\n")
        state = TRUST.step(state, "collaborate" if count % 3 else "nonsense").state
    assert state.end is End.STEP_LIMIT


def test_GM_23_the_last_round_is_told_and_is_played_like_any_other() -> None:
    state = against("copycat")
    for _ in range(9):
        state = TRUST.step(state, "collaborate").state
    assert TRUST.observe(state).startswith("Round 10 of 10\n")
    assert TRUST.step(state, "cheat").reward == 3
    assert TRUST.step(state, "cheat").end is TRUST.step(state, "").end is End.STEP_LIMIT


def test_strict_meets_each_opponent_once_in_every_eight_seeds() -> None:
    assert list(OPPONENTS) == ORDER
    for block in (0, 8, 2**63 - 8):
        assert [TRUST.start(STRICT, block + place).opponent for place in range(8)] == ORDER


def test_strict_meets_each_opponent_by_its_weight_in_every_sixteen_seeds_where_blind_play_is_held_down() -> None:
    met = [TRUST.start(SIGHTED_STRICT, 2**63 - 16 + place).opponent for place in range(16)]
    assert met == ["copycat", "nice", *["cheater"] * 6, *["grudger"] * 3, *["detective"] * 2, *ORDER[5:]]


def test_explore_draws_the_opponent_by_weights_of_17() -> None:
    """Each seed's opponent is worked out here from the hash of its stream."""
    weights = {"nice": 4, "copycat": 3, "copykitten": 3, "simpleton": 2, "grudger": 2, "detective": 1, "cheater": 1}
    weights["random"] = 1
    urn = [opponent for opponent in ORDER for _ in range(weights[opponent])]
    assert len(urn) == 17
    counts = Counter[str]()
    for seed in range(1_700):
        key = hashlib.sha256(f"trust\n2\nexplore\n{seed}\nopponent".encode()).digest()
        draw = Random(int.from_bytes(key, "big")).random()
        opponent = TRUST.start(EXPLORE, seed).opponent
        assert opponent == urn[int(draw * 17)]
        counts[opponent] += 1
    # 100 expected for each weight of 1; the standard deviation grows with the root of it
    assert all(abs(counts[opponent] - 100 * weight) < 50 * weight**0.5 for opponent, weight in weights.items())


def test_the_coins_are_those_of_the_stream() -> None:
    key = hashlib.sha256(b"trust\n2\nstrict\n7\ncoins").digest()
    generator = Random(int.from_bytes(key, "big"))
    answers = "".join("C" if generator.random() < 0.5 else "D" for _ in range(10))
    state = TRUST.start(STRICT, 7)
    assert TRUST.layout(state) == f"random {answers}"
    for _ in range(10):
        state = TRUST.step(state, "cheat").state
    assert state.answers == answers


@pytest.mark.parametrize(
    "changes", [{"max_steps": 0}, {"weights": (1,)}, {"weights": (0,) * 8}, {"weights": (-1,) * 8}]
)
def test_a_setting_that_cannot_be_played_is_refused(changes: dict[str, int | tuple[int, ...]]) -> None:
    with pytest.raises(ValueError, match="expected"):
        varied(EXPLORE, changes)


@pytest.mark.parametrize(
    "action",
    ["cheat", "Cheat", "CHEAT", " cheat\n", "[cheat]", "<cheat>", '"cheat"', "`cheat`", "**cheat**", "cheat.",
     "(cheat)", "\N{FULLWIDTH LEFT PARENTHESIS}cheat\N{FULLWIDTH RIGHT PARENTHESIS}"],
)  # fmt: skip
def test_one_word_is_read_whatever_stands_around_it(action: str) -> None:
    assert TRUST.step(against("nice"), action).reward == 3


@every_opponent
@pytest.mark.parametrize(
    "action",
    ["", "I will not cheat", "cheat, collaborate", "collaborate|cheat", "<collaborate|cheat>", "cheated", "c", "defect",
     "not cheat", "-cheat", "\N{FULLWIDTH LATIN SMALL LETTER C}heat", "INVALID", "cheat" * 200_000],
)  # fmt: skip
def test_anything_else_pays_nothing_and_is_seen_as_a_collaboration(opponent: str, action: str) -> None:
    step, plain = TRUST.step(against(opponent), action), TRUST.step(against(opponent), "collaborate")
    assert step.reward == 0
    assert step.feedback.startswith("Invalid action: expected exactly one of collaborate, cheat. The opponent c")
    assert step.state.answers == plain.state.answers
    assert step.state.seen == plain.state.seen
    for later in ("cheat", "collaborate", "cheat", "cheat"):
        step, plain = TRUST.step(step.state, later), TRUST.step(plain.state, later)
        assert step.state.answers == plain.state.answers


def test_an_invalid_round_among_cheats_looks_like_a_peace_offer() -> None:
    assert game("copycat", "D?D") == ("CDC", 3 + 0 + 3)


def test_the_observation_lists_every_round() -> None:
    state = against("copycat")
    assert TRUST.observe(state) == "Round 1 of 10\nNo round has been played."
    for action in ("D", "?", "C"):
        state = TRUST.step(state, WORD[action]).state
    assert TRUST.observe(state).split("\n") == [
        "Round 4 of 10",
        "Round 1: you cheat, opponent collaborate",
        "Round 2: you invalid (the opponent saw collaborate), opponent cheat",
        "Round 3: you collaborate, opponent collaborate",
    ]


@BOTH
def test_GM_26_the_observation_is_what_happened_and_nothing_of_the_opponent(config: TrustConfig) -> None:
    seen = set()
    for seed in range(60):
        state = TRUST.start(config, seed)
        for _ in range(6):
            state = TRUST.step(state, "collaborate").state
        seen.add((state.answers, TRUST.observe(state)))
        for text in (TRUST.observe(state), TRUST.rules, TRUST.numbers(config)):
            assert not re.search(r"copycat|nice|cheater|grudger|detective|copykitten|simpleton|random", text)
    assert len({answers for answers, _ in seen}) == len(seen)


@every_opponent
@pytest.mark.parametrize("done", ["", "D", "CCC", "CDCD", "?DD?C"])
def test_the_oracle_finds_the_best_of_all_ways_on(opponent: str, done: str) -> None:
    state = against(opponent)
    for action in done:
        state = TRUST.step(state, WORD[action]).state
    left = 10 - len(done)
    before = game(opponent, done)[1]
    best = max(game(opponent, done + "".join(way))[1] for way in product("CD", repeat=left)) - before
    oracle = TRUST.oracle
    assert oracle is not None
    scored = 0
    while state.end is None:
        action, expected = oracle(state, drawer(0))
        state, _, reward = TRUST.step(state, action)
        assert reward == expected
        scored += int(reward)
    assert scored == best


def test_the_best_replies_pay_what_the_readme_says() -> None:
    best = {opponent: max(game(opponent, player)[1] for player in HISTORIES) for opponent in ORDER[:-1]}
    assert best == {
        "copycat": 21,
        "grudger": 21,
        "detective": 21,
        "simpleton": 21,
        "nice": 30,
        "copykitten": 26,
        "cheater": 0,
    }
    # against coins cheating always pays best: 3 for each collaboration, half of ten on average
    assert (sum(best.values()) + 15) / 8 == 19.375


def test_the_table_in_the_readme_is_that_of_the_code() -> None:
    readme = (Path(__file__).resolve().parents[2] / "games" / "trust" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d) \| (\w+) \| (.+) \| (\d) \| (\d) \| (\d) \|$", readme, re.MULTILINE)
    weights = list(zip(EXPLORE.weights, SIGHTED_EXPLORE.weights, SIGHTED_STRICT.weights, strict=True))
    assert [(int(row[0]), row[1], tuple(map(int, row[3:]))) for row in rows] == [
        (place, name, weights[place]) for place, name in enumerate(OPPONENTS)
    ]
    assert [f"{row[2]}." for row in rows] == [opponent.__doc__ for opponent in OPPONENTS.values()]


def test_the_baselines_play_as_described() -> None:
    greedy = TRUST.baselines["greedy"]
    state = against("copykitten", 4)
    moves = []
    for forced in ("cheat", "cheat", "collaborate", None):
        move = greedy(TRUST.observe(state), drawer(0))
        moves.append(move)
        state = TRUST.step(state, forced or move.action).state
    # the kitten answers C C D C: the copy of its last action, with a cheat in the last round
    assert moves == [("collaborate", 2), ("collaborate", 2), ("collaborate", 2), ("cheat", 0)]
    assert TRUST.baselines["idle"](TRUST.observe(state), drawer(0)) == ("collaborate", 0)
    tosses = {TRUST.baselines["random"](TRUST.observe(state), drawer(seed)) for seed in range(40)}
    assert tosses == {("collaborate", 0), ("collaborate", 1), ("cheat", 0), ("cheat", 1)}
