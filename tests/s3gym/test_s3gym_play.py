"""A person at the keyboard: the model's text, no reward before the end, every way out, and a result that replays."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from games.base import Config, Points, number
from games.play import Episode, Turn, play
from games.registry import GAMES, AnyGame, game_named
from protocol.context import RunContext
from protocol.preset import preset_named
from protocol.prompts import system_text
from protocol.reply import read_reply
from s3gym.judged import judge
from tests.s3gym.face import Face, refused
from tests.s3gym.terminal import sit

every_game = pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])
PROMPT = "\x1b[1m>\x1b[0m "


def greedy(game: AnyGame, config: Config, seed: int) -> tuple[Episode, list[str]]:
    """Return an episode of the game's own heuristic and the answer lines that make it."""
    lines: list[str] = []

    def policy(turn: Turn) -> str:
        move = game.baselines["greedy"](turn.observation, lambda _: 0)
        lines.append(f"Answer: {move.action}, Score: {move.score:g}")
        action = read_reply(lines[-1]).action
        assert action is not None
        return action

    return play(game, config, seed, policy), lines


@every_game
@pytest.mark.parametrize("mode", [[], ["--as-model"]], ids=["plain", "as-model"])
def test_every_game_can_be_played_to_its_end(face: Face, game: AnyGame, mode: list[str]) -> None:
    episode, lines = greedy(game, game.strict, 3)
    result = face("play", game.id, "--strict", "--seed", "3", *mode, text="".join(f"{line}\n" for line in lines))
    assert result.exit_code == 0, result.output
    count = "1 step" if len(lines) == 1 else f"{len(lines)} steps"
    assert f"{episode.end} after {count}, score {number(episode.score):g} (seed 3)" in result.output
    assert f"The same level again: s3gym play {game.id} --strict --seed 3" in result.output


def test_a_variant_is_played_and_named_in_the_command_that_plays_the_level_again(face: Face) -> None:
    pvz = game_named("pvz")
    text = face("play", "pvz", "--strict", "--variant", "sighted", "--seed", "3", text="NONE\n" * 4).output
    assert pvz.observe(pvz.start(pvz.config("strict-sighted"), 3)) in text
    assert "lost after 4 steps, score 3" in text
    assert "The same level again: s3gym play pvz --strict --variant sighted --seed 3" in text
    refused = face("play", "pvz", "--variant", "sigthed")
    assert refused.exit_code == 2
    assert "expected one of standard, sighted of game pvz, got 'sigthed'" in " ".join(refused.output.split())


@every_game
def test_the_table_at_the_end_has_every_action_and_reward(face: Face, game: AnyGame) -> None:
    episode, lines = greedy(game, game.explore, 5)
    result = face("play", game.id, "--seed", "5", "--json", text="".join(f"{line}\n" for line in lines))
    told = json.loads(result.stdout)
    assert [step["reward"] for step in told["steps"]] == [float(number(step.reward)) for step in episode.steps]
    assert [step["action"] for step in told["steps"]] == [step.action for step in episode.steps]
    assert [step["feedback"] for step in told["steps"]] == [step.feedback for step in episode.steps]
    assert (told["score"], told["end"], told["seed"]) == (float(number(episode.score)), episode.end, "5")
    assert (told["game"], told["config"], told["rules_version"]) == (game.id, "explore", game.rules_version)
    rows = re.findall(r"^ +([0-9]+) {2,}\S", result.stderr.partition("what happened")[2], re.MULTILINE)
    assert rows == [str(place) for place in range(1, len(lines) + 1)]


@every_game
def test_as_model_shows_the_messages_of_a_run_to_the_byte(face: Face, game: AnyGame) -> None:
    preset = preset_named("paper-1")
    context = RunContext(game, "history", preset.budget(preset.input_tokens)).episode(preset.config(game, "strict"))
    state = game.start(game.strict, 3)
    context.turn("", game.observe(state))
    action = game.baselines["greedy"](game.observe(state), lambda _: 0).action
    line = f"Answer: {action}, Score: 0.5"
    context.answered(line)
    after = game.step(state, action)
    if not after.done:
        context.turn(after.feedback, game.observe(after.state))

    shown = face("play", game.id, "--strict", "--seed", "3", "--as-model", text=f"thinking... {line}\nquit\n").stdout
    assert shown.startswith("--- these are the messages of a run")
    end = 0
    for place, message in enumerate(context.messages(), 1):
        at = shown.find(f"--- message {place}: {message.role} ---\n{message.content}\n\n", end)
        assert at >= 0, f"message {place} is not shown as it is"
        end = at + len(message.content)
    assert shown.count("--- message ") == len(context.messages())


def test_no_reward_and_no_score_is_shown_before_the_end(face: Face) -> None:
    whole = face("play", "trust", "--strict", "--seed", "1", text="cheat\n" * 10).stdout
    before = whole[: whole.index(" step   action")]
    game = game_named("trust")
    told = before.replace(system_text(game.rules), "").replace("Score: <SELF-SCORE>", "").replace("a self-score", "")
    assert not re.search(r"score|reward", told, re.IGNORECASE)
    assert "Round 10 of 10" in told


def test_a_person_can_leave_and_keeps_what_was_played(face: Face) -> None:
    for ending in ("quit\n", "QUIT\n", ""):
        result = face("play", "snake", "--seed", "1", text=f"UP\n{ending}")
        assert result.exit_code == 0, result.output
        assert "left before the end after 1 step, score 0 (seed 1)" in result.output
    assert "after 0 steps" in face("play", "snake", "--seed", "1", text="").output


@every_game
def test_the_line_that_is_asked_for_is_read_and_so_is_its_action_alone(face: Face, game: AnyGame) -> None:
    _, lines = greedy(game, game.explore, 5)
    whole, short = lines[0], lines[0].removeprefix("Answer: ")
    alone = short[: short.rindex(", Score: ")]
    steps = []
    for typed in (whole, short, alone):
        result = face("play", game.id, "--seed", "5", "--json", text=f"{typed}\nquit\n")
        assert "answer with the line that is asked for" in result.stderr
        assert f"Answer: {game.action_form}, Score: <SELF-SCORE>" in " ".join(result.stderr.split())
        assert "<SELF-SCORE> is a number: your own estimate of the immediate reward" in " ".join(result.stderr.split())
        steps += json.loads(result.stdout)["steps"]
    assert [step["action"] for step in steps] == [steps[0]["action"]] * 3
    assert [step["self_score"] for step in steps] == [float(whole.split("Score: ")[1])] * 2 + [None]


def test_the_rules_are_shown_again_and_cost_no_step(face: Face) -> None:
    result = face("play", "trust", "--seed", "1", text="rules\nquit\n")
    assert result.output.count(game_named("trust").rules) == 2
    assert "after 0 steps" in result.output


@every_game
def test_an_empty_line_is_the_empty_action_as_for_a_model(face: Face, game: AnyGame) -> None:
    after = game.step(game.start(game.explore, 2), "")
    told = json.loads(face("play", game.id, "--seed", "2", "--json", text="\nquit\n").stdout)
    assert told["steps"] == [
        {"action": "", "self_score": None, "reward": float(number(after.reward)), "feedback": after.feedback}
    ]


def test_as_model_an_empty_reply_is_asked_for_twice_more_and_then_an_invalid_action(face: Face) -> None:
    result = face("play", "trust", "--seed", "2", "--as-model", text="\n \n<think>so</think>\nquit\n")
    assert result.output.count("an empty reply is asked for again") == 2
    assert "left before the end after 1 step" in result.output
    assert "Answer: INVALID, Score: NA" in result.output


def test_as_model_words_that_hold_no_answer_are_an_invalid_action(face: Face) -> None:
    result = face("play", "trust", "--seed", "2", "--as-model", "--json", text="cheat\nAnswer: cheat, Score: 3\n")
    told = json.loads(result.stdout)
    assert [step["action"] for step in told["steps"]] == [None, "cheat"]
    assert [step["self_score"] for step in told["steps"]] == [None, 3.0]
    assert told["steps"][0]["feedback"].startswith("Invalid action")
    assert told["as_model"] is True


def test_self_judging_is_told_at_the_end(face: Face) -> None:
    """Against nice (seed 1 of 8), cheating pays 3 and collaborating 2."""
    lines = ["cheat, Score: 3", "cheat, Score: 0", "collaborate, Score: 1", "collaborate"]
    result = face("play", "trust", "--strict", "--seed", "1", text="\n".join(lines))
    assert "Self-judging: 2 of 3 steps agree" in result.output
    assert "over-confident 0, under-confident 1" in result.output
    assert "mean distance 1.33" in result.output
    assert "without a self-score: 1" in result.output
    assert "Self-judging" not in face("play", "trust", "--seed", "1", text="cheat\n").output


@pytest.mark.parametrize(
    ("said", "reward", "counts"),
    [
        ("Answer: a, Score: 1", 2, (1, 0, 0, 0)),
        ("Answer: a, Score: 0", 0, (1, 0, 0, 0)),
        ("Answer: a, Score: -1", -1, (1, 0, 0, 0)),
        ("Answer: a, Score: 1", 0, (0, 1, 0, 0)),
        ("Answer: a, Score: 1", -1, (0, 1, 0, 0)),
        ("Answer: a, Score: 0", 1, (0, 0, 1, 0)),
        ("Answer: a", 1, (0, 0, 0, 1)),
        ("hello", 0, (0, 0, 0, 1)),
        ("Answer: END, Score: 0", 0, (0, 0, 0, 0)),
    ],
)
def test_a_step_agrees_where_self_score_and_reward_are_both_positive_or_neither(
    said: str, reward: Points, counts: tuple[int, int, int, int]
) -> None:
    judged = judge([(read_reply(said), reward)])
    assert (judged.agreeing, judged.over, judged.under, judged.missing) == counts
    assert judged.steps == sum(counts[:3])


def test_the_command_at_the_end_plays_the_same_level(face: Face) -> None:
    for mode in ([], ["--strict"], ["--as-model"]):
        first = face("play", "snake", *mode, text="quit\n").output
        command = shlex.split(first.rpartition("The same level again: ")[2])
        assert command[:3] == ["s3gym", "play", "snake"]
        assert face(*command[1:], text="quit\n").output == first


@pytest.mark.parametrize(
    ("name", "near"), [("snke", "snake"), ("Snake", "snake"), ("trust evolution", "trust"), ("TRUST", "trust")]
)
def test_an_unknown_game_is_refused_with_the_nearest_name(face: Face, name: str, near: str) -> None:
    refused(face("play", name), 2, name, "expected one of", f"did you mean {near}?")
    refused(face("games", name), 2, f"did you mean {near}?")


def test_a_game_that_is_near_none_is_refused_with_all_names(face: Face) -> None:
    refused(face("play", "checkers"), 2, "checkers", *(game.id for game in GAMES))


@pytest.mark.parametrize("seed", ["-1", "abc", "1.5", "", str(2**63), "9" * 5_000, "１", "0x10", "1_0"])
def test_a_seed_that_is_none_is_refused(face: Face, seed: str) -> None:
    refused(face("play", "snake", "--seed", seed), 2, "seed", "[0, 2^63)")


def test_the_largest_seed_is_played_and_told_whole(face: Face) -> None:
    result = face("play", "snake", "--seed", str(2**63 - 1), "--json", text="UP\n")
    assert json.loads(result.stdout)["seed"] == str(2**63 - 1)


def test_SX_06_what_a_person_types_never_drives_the_terminal(face: Face) -> None:
    result = face("play", "trust", "--seed", "1", "--as-model", text="Answer: \x1b[2J\x07\u202e, Score: 1\nquit\n")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", result.output)


def test_in_a_terminal_boards_are_coloured_and_nothing_else_is_changed() -> None:
    arguments = ["play", "snake", "--seed", "3"]
    shown = sit(arguments, ["UP\n", "quit\n"], prompt=PROMPT)
    assert shown.code == 0
    assert "\x1b[1;32mH\x1b[0m" in shown.screen
    bare = re.sub(r"\x1b\[[0-9;]*m", "", shown.screen)
    assert game_named("snake").observe(game_named("snake").start(game_named("snake").explore, 3)) in bare
    assert "left before the end after 1 step" in bare


def test_NO_COLOR_is_obeyed() -> None:
    shown = sit(["play", "snake", "--seed", "3"], ["quit\n"], prompt=PROMPT, NO_COLOR="1")
    assert "\x1b[1mH\x1b[0m" in shown.screen
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", shown.screen)


@pytest.mark.parametrize(("key", "code"), [("\x03", 130), ("\x04", 0)], ids=["ctrl-c", "ctrl-d"])
def test_ctrl_c_and_ctrl_d_leave_with_what_was_played(key: str, code: int) -> None:
    shown = sit(["play", "trust", "--seed", "3", "--as-model"], ["Answer: cheat, Score: 3\n", key], prompt=PROMPT)
    assert shown.code == code, shown.screen
    assert "after 1 step, score 3" in shown.screen
    assert "Traceback" not in shown.screen


def test_sixty_columns_are_enough() -> None:
    shown = sit(["play", "snake", "--seed", "3"], ["UP\n", "\n", "quit\n"], prompt=PROMPT, columns=60)
    table = re.sub(r"\x1b\[[0-9;]*m", "", shown.screen).partition("what happened")[2].splitlines()
    assert all(len(line) <= 60 for line in table)
