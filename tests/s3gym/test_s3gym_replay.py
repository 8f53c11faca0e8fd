"""A bundle is shown as the rules play it, beside what it claims; nothing refused looks accepted."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from games.base import number
from games.play import Turn
from protocol.bundle import ENVELOPE
from protocol.preset import preset_named
from runner.models.model import Answer, FaultKind
from scoring.registry import Registry
from scoring.replay import replay
from scoring.verified import VerifiedRun
from scoring.verify import verify
from tests.bundles import KEY, Board
from tests.runner.scripted import Scripted
from tests.s3gym.face import Face, refused
from tests.s3gym.terminal import ROOT, sit
from tests.scoring.forge import Change, Parts, forge

HOSTILE = (
    "\x1b[2J\x1b]0;title\x07[bold]hi[/] :apple: \u202e\u200b\rAnswer: cheat, Score: 3\n"
    "action  none\nAnswer: UP, Score: 1"
)


def listed(face: Face, board: Board, *arguments: str) -> list[dict[str, object]]:
    """Return what a replay prints as JSON lines."""
    result = face("replay", str(board.bundle("history")), "--keys", str(board.keys), "--json", *arguments)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def verified_run(board: Board, game: str) -> VerifiedRun:
    """Return a game's run as verification gives it."""
    bundle = verify(board.bundle("history"), Registry(board.keys))
    return next(run for run in bundle.runs if run.game.id == game)


def test_the_episodes_are_listed_with_what_the_rules_give(face: Face, board: Board) -> None:
    bundle = verify(board.bundle("history"), Registry(board.keys))
    result = face("replay", str(board.bundle("history")), "--keys", str(board.keys))
    assert result.exit_code == 0, result.output
    assert result.output.startswith("accepted red-history by red: builtin:greedy, history, smoke-1\n")
    lines = iter(result.output.splitlines())
    for run in bundle.runs:
        assert run.game.id in lines
        for episode in run.episodes:
            record = episode.record
            line = next(line for line in lines if record.seed in line)
            phase = f"explore {record.index}" if record.phase == "explore" else f"strict x={record.checkpoint} #"
            assert line.startswith(phase)
            score = f"{number(episode.replayed.episode.score):g}"
            assert line.split()[-5:-2] == [str(len(record.steps)), str(record.end), score]


def test_json_lists_every_episode_and_its_place(face: Face, board: Board) -> None:
    lines = listed(face, board)
    assert [(line["game"], line["episode"], line["phase"], line["checkpoint"]) for line in lines] == [
        (game, *place)
        for game in dict.fromkeys(str(line["game"]) for line in lines)
        for place in (
            ("strict x=0 #0", "strict", 0),
            ("explore 0", "explore", None),
            ("explore 1", "explore", None),
            ("strict x=2 #0", "strict", 2),
        )
    ]
    assert {line["verdict"] for line in lines} == {"accepted"}
    assert all(line["differs"] == [] for line in lines)
    assert [line["game"] for line in listed(face, board, "--game", "trust")] == ["trust"] * 4


def test_json_gives_the_steps_of_an_episode(face: Face, board: Board) -> None:
    head, *steps = listed(face, board, "--episode", "snake explore 1")
    verified = verified_run(board, "snake").episodes[2]
    assert (head["kind"], head["seed"]) == ("episode", verified.record.seed)
    assert [step["step"] for step in steps] == list(range(len(verified.record.steps)))
    seen: list[Turn] = []
    run = verified_run(board, "snake")
    replay(run.game, preset_named("smoke-1").config(run.game, "explore"), verified.record, seen.append)
    for step, turn, played, record in zip(
        steps, seen, verified.replayed.episode.steps, verified.record.steps, strict=True
    ):
        assert (step["observation"], step["feedback"]) == (turn.observation, played.feedback)
        assert (step["reply"], step["action"], step["self_score"]) == (record.reply, record.action, record.score)
        assert step["reward"] == float(number(played.reward)) == record.reward
    head, only = listed(face, board, "--episode", "snake explore 1", "--step", "3")
    assert only == steps[3]


def test_every_step_is_printed_where_there_is_no_terminal(face: Face, board: Board) -> None:
    head, *steps = listed(face, board, "--episode", "trust explore 0")
    where = (str(board.bundle("history")), "--keys", str(board.keys), "--episode", "trust explore 0")
    shown = face("replay", *where).output
    end = 0
    for step in steps:
        for part in (
            f"step {step['step']}  ({int(str(step['step'])) + 1} of {len(steps)})\n",
            f"\n{step['observation']}\n",
            f"\n| {step['reply']}\n",
            f"\naction      {step['action']}\n",
            f"\nself-score  {step['self_score']:g}\n",
            f"\nreward      {step['reward']:g}\n",
            f"\nfeedback    {step['feedback']}\n",
        ):
            end = shown.index(part, end)
    assert f"{head['end']}, score {head['score']:g}\n" in shown[end:]
    alone = face("replay", *where, "--step", "2").output
    assert alone.count("feedback ") == 1
    assert "step 2  (3 of 8)" in alone


@pytest.mark.parametrize(
    "name", ["strict x=2 #0", "STRICT  X=2  #0", "strict-x2-0", "snake strict x=2 #0", "snake/strict/x2/0"]
)
def test_an_episode_is_found_by_its_name_however_it_is_written(face: Face, board: Board, name: str) -> None:
    head, *_ = listed(face, board, "--game", "snake", "--episode", name)
    assert (head["game"], head["episode"]) == ("snake", "strict x=2 #0")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--episode", "explore 9"], ["explore 9", "did you mean 'explore"]),
        (["--episode", "the best one"], ["the best one", "listed"]),
        (["--episode", ""], ["listed"]),
        (["--episode", "explore 0"], ["snake", "trust", "--game"]),
        (["--game", "snkae"], ["did you mean snake?"]),
        (["--game", "snake", "--episode", "explore 0", "--step", "8"], ["0 to 7", "got 8"]),
        (["--game", "snake", "--episode", "explore 0", "--step", "-1"], ["0 to 7", "got -1"]),
        (["--step", "1"], ["--episode"]),
    ],
)
def test_what_the_bundle_does_not_hold_is_refused_with_what_it_holds(
    face: Face, board: Board, arguments: list[str], words: list[str]
) -> None:
    for more in ([], ["--json"]):
        result = face("replay", str(board.bundle("history")), "--keys", str(board.keys), *arguments, *more)
        refused(result, 2, *words)
        assert result.stdout == ""


def test_a_game_that_is_not_in_the_bundle_is_refused(face: Face, tmp_path: Path) -> None:
    face("keygen", "red", "--registry", "keys")
    played = face("run", "--model", "builtin:idle", "--game", "trust", "--key", "keys/red.key", "--entry", "e")
    assert played.exit_code == 0
    refused(face("replay", "runs/e/bundle", "--keys", "keys", "--game", "snake"), 2, "trust", "snake")


def false_reward(parts: Parts) -> None:
    parts.step(2).update(reward=7.0)


def false_reading(parts: Parts) -> None:
    parts.step(1).update(action="sideways", score=0.25)


def false_end(parts: Parts) -> None:
    parts.episode().update(end="won", score=64.0)


def a_step_too_few(parts: Parts) -> None:
    steps = parts.episode()["steps"]
    assert isinstance(steps, list)
    steps.pop()


def a_step_too_many(parts: Parts) -> None:
    steps = parts.episode()["steps"]
    assert isinstance(steps, list)
    steps.append(steps[-1])


@pytest.mark.parametrize(
    ("change", "differs", "words"),
    [
        (false_reward, ["step 2"], [r"reward      [01]  \(recorded: 7\)"]),
        (false_reading, ["step 1"], [r"\(recorded: sideways\)", r"self-score  \S+  \(recorded: 0.25\)"]),
        (false_end, ["end", "score"], [r"step_limit, score \d+  \(recorded end: won\)  \(recorded score: 64\)"]),
        (a_step_too_few, ["end"], [r"cut before its end, score \d+  \(recorded end: step_limit\)"]),
        (a_step_too_many, ["step 8"], ["has ended before this step", r"reward      -  \(recorded: \S+\)"]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_false_claim_stands_beside_what_the_rules_give(
    face: Face, board: Board, tmp_path: Path, change: Change, differs: list[str], words: list[str]
) -> None:
    folder = forge(board.bundle("history"), tmp_path / "forged", KEY, change)
    arguments = ("replay", str(folder), "--keys", str(board.keys))
    result = face(*arguments, "--episode", "snake strict x=0 #0")
    refused(result, 1, "refused red-history", "nothing of this bundle counts", "strict x=0 #0")
    for word in words:
        assert re.search(word, result.stdout), result.stdout
    told = [json.loads(line) for line in face(*arguments, "--json").stdout.splitlines()]
    assert set(differs) <= set(told[0]["differs"]) <= {*differs, "score"}
    assert {line["verdict"] for line in told} == {"refused"}
    assert all(line["differs"] == [] for line in told[1:])
    refused(face(*arguments), 1, "refused red-history")
    refused(face(*arguments, "--json"), 1)


def test_a_bundle_that_cannot_be_read_shows_the_report_and_nothing_of_it(
    face: Face, board: Board, tmp_path: Path
) -> None:
    shutil.copytree(board.bundle("history"), tmp_path / "b")
    Path("b/episodes/snake.jsonl.gz").write_bytes(b"junk")
    for arguments in ([], ["--episode", "snake explore 0"]):
        result = face("replay", "b", "--keys", str(board.keys), *arguments)
        refused(result, 1, "episodes/snake.jsonl.gz", "not run")
        assert "explore 0" not in result.output
    report = json.loads(face("replay", "b", "--keys", str(board.keys), "--json").stdout)
    assert report["verdict"] == "refused"
    (tmp_path / "b" / ENVELOPE).unlink()
    refused(face("replay", "b", "--keys", str(board.keys)), 1, ENVELOPE)


def test_what_could_not_be_checked_exits_with_2(face: Face, board: Board) -> None:
    refused(face("replay", "nowhere", "--keys", str(board.keys)), 2, "nowhere")
    refused(face("replay", str(board.bundle("history")), "--keys", "nowhere"), 2, "nowhere")


def test_SX_06_a_hostile_reply_is_shown_escaped_and_kept_raw(face: Face, board: Board) -> None:
    model = Scripted({0: Answer(HOSTILE, "stop")})
    folder = board.bundle("history", model, entry="hostile")
    arguments = ("replay", str(folder), "--keys", str(board.keys), "--episode", "snake strict x=0 #0", "--step", "0")
    shown = face(*arguments).output
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e]", shown)
    assert "| \\x1b[2J\\x1b]0;title\\x07[bold]hi[/] :apple: \\u202e\\u200b\\rAnswer: cheat, Score: 3\n" in shown
    assert "\n| action  none\n" in shown
    assert shown.count("\naction ") == 1
    told = face(*arguments, "--json").stdout
    assert told.isascii()
    assert json.loads(told.splitlines()[1])["reply"] == HOSTILE


def test_signs_that_the_output_cannot_encode_are_escaped(board: Board) -> None:
    model = Scripted({0: Answer("caf\u00e9 \u2192 \U0001f34e\nAnswer: UP, Score: 1", "stop")})
    where = [str(board.bundle("history", model, entry="signs")), "--keys", str(board.keys)]
    run = subprocess.run(
        [sys.executable, "-m", "s3gym", "replay", *where, "--episode", "snake strict-x0-0", "--step", "0"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "| caf\\xe9 \\u2192 \\U0001f34e\n" in run.stdout


def test_a_long_reply_is_shown_by_its_ends_and_whole_when_asked_for(face: Face, board: Board) -> None:
    reply = f"first words {'m' * 50_000} last words\nAnswer: UP, Score: 1"
    folder = board.bundle("history", Scripted({0: Answer(reply, "stop")}), entry="long")
    arguments = ("replay", str(folder), "--keys", str(board.keys), "--episode", "snake strict x=0 #0", "--step", "0")
    shown = face(*arguments).output
    assert "first words" in shown
    assert "last words\n| Answer: UP, Score: 1" in shown
    assert "characters left out; --full shows them" in shown
    assert len(shown) < 5_000
    assert "m" * 50_000 in face(*arguments, "--full").output


def test_a_failed_episode_has_no_score(face: Face, board: Board) -> None:
    folder = board.bundle("history", Scripted({3: FaultKind.OVERFLOW, 4: FaultKind.OVERFLOW}), entry="failed")
    arguments = ("replay", str(folder), "--keys", str(board.keys), "--episode", "snake strict x=0 #0")
    result = face(*arguments)
    assert result.exit_code == 0, result.output
    assert "failed: no reply came (context_overflow); there is no score" in result.output
    head = json.loads(face(*arguments, "--json").stdout.splitlines()[0])
    assert (head["status"], head["failure"], head["score"], head["end"]) == ("failed", "context_overflow", None, None)


def test_unreadable_replies_are_told(face: Face, board: Board) -> None:
    model = Scripted({0: Answer("no idea", "stop"), 1: Answer("Answer: , Score: x", "length")})
    folder = board.bundle("history", model, entry="unreadable")
    shown = face("replay", str(folder), "--keys", str(board.keys), "--episode", "snake strict x=0 #0").output
    assert "reply  (unreadable)\n| no idea\n\naction      (unreadable)\nself-score  -\n" in shown


def test_in_a_terminal_a_step_is_shown_at_a_time(board: Board) -> None:
    where = [str(board.bundle("history")), "--keys", str(board.keys), "--episode", "snake explore 0", "--step", "1"]
    prompt = "q: leave > \x1b[0m"
    shown = sit(["replay", *where], ["\n", "b\n", "what\n", "99\n", "7\n", "\n"], prompt=prompt, columns=60)
    assert shown.code == 0, shown.screen
    bare = re.sub(r"\x1b\[[0-9;]*m", "", shown.screen)
    assert re.findall(r"^step (\d)", bare, re.MULTILINE) == ["1", "2", "1", "7"]
    assert "\x1b[1;32mH\x1b[0m" in shown.screen
    assert bare.count("Self-judging:") == 1
    left = sit(["replay", *where], ["q\n"], prompt=prompt)
    assert left.code == 0
    for key in ("\x03", "\x04"):
        assert sit(["replay", *where], [key], prompt=prompt).code == 0


def test_a_refused_bundle_exits_with_1_from_the_terminal_too(board: Board, tmp_path: Path) -> None:
    folder = forge(board.bundle("history"), tmp_path / "forged", KEY, false_reward)
    arguments = ["replay", str(folder), "--keys", str(board.keys), "--episode", "snake strict-x0-0"]
    shown = sit(arguments, ["q\n"], prompt="q: leave > \x1b[0m")
    assert shown.code == 1
    assert "refused" in shown.screen


def test_replay_plays_what_scoring_plays(face: Face, board: Board) -> None:
    head, *steps = listed(face, board, "--episode", "trust strict x=2 #0")
    run = verified_run(board, "trust")
    turns: list[Turn] = []
    again = replay(run.game, preset_named("smoke-1").config(run.game, "strict"), run.episodes[3].record, turns.append)
    assert [step["observation"] for step in steps] == [turn.observation for turn in turns]
    assert head["score"] == float(number(again.episode.score))
