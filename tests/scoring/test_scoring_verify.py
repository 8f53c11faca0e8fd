"""Every verification step refuses what only it can refuse, and names the place; honest bundles pass."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from protocol.bundle import ENVELOPE, MAX_README, list_files
from protocol.context import Pathway
from protocol.signing import generate_key, load_key, team_key, write_team_key
from scoring import verify as verifying
from scoring.checks import claims, limits
from scoring.checks.step import MAX_FAULTS
from scoring.registry import Registry
from scoring.report import Report
from scoring.verified import VerifiedBundle
from scoring.verify import STEPS, RefusedError, verify
from tests.bundles import KEY, Board
from tests.scoring.forge import Change, Fields, Parts, forge


def refused(folder: Path, board: Board) -> Report:
    with pytest.raises(RefusedError) as error:
        verify(folder, Registry(board.keys))
    return error.value.report


def failed_step(report: Report) -> str:
    """Return the one step that failed; those before it passed and those after it did not run."""
    statuses = [check.status for check in report.checks]
    place = statuses.index("failed")
    assert statuses == ["passed"] * place + ["failed"] + ["not run"] * (len(STEPS) - place - 1)
    assert [check.code for check in report.checks] == [step.code for step in STEPS]
    assert report.verdict == "refused"
    return report.checks[place].code


@pytest.mark.parametrize("pathway", ["history", "summary"])
def test_an_honest_bundle_is_accepted_and_every_step_ran(board: Board, pathway: Pathway) -> None:
    verified = verify(board.bundle(pathway), Registry(board.keys))
    assert verified.report.verdict == "accepted"
    assert [(check.number, check.status) for check in verified.report.checks] == [(n, "passed") for n in range(9)]
    assert all(check.detail for check in verified.report.checks)


def test_only_verify_makes_a_verified_bundle(board: Board) -> None:
    good = verify(board.bundle("history"), Registry(board.keys))
    with pytest.raises(AssertionError, match=r"made by scoring\.verify"):
        VerifiedBundle(good.manifest, good.preset, good.runs, good.report, good.digest, good.keyid, object())


def test_an_untouched_forgery_is_accepted(board: Board, tmp_path: Path) -> None:
    """The tool that makes bad bundles changes nothing by itself."""
    folder = forge(board.bundle("summary"), tmp_path / "b", KEY, lambda parts: None)
    assert verify(folder, Registry(board.keys)).report.verdict == "accepted"


def listed(value: object) -> list[Fields]:
    assert isinstance(value, list)
    return value


def fields(value: object) -> Fields:
    assert isinstance(value, dict)
    return value


def set_to(place: Callable[[Parts], Fields], **values: str | float | bool | None) -> Change:
    return lambda parts: place(parts).update(values)


def duplicate_key(parts: Parts) -> None:
    """SG-01: the same key twice, in a record that is otherwise right."""
    lines = [json.dumps(line) for line in parts.episodes()]
    lines[0] = lines[0].replace('"score":', '"score": 99.0, "score":', 1)
    parts.raw["episodes/snake.jsonl"] = "".join(f"{line}\n" for line in lines).encode()


def nan_reward(parts: Parts) -> None:
    lines = [json.dumps(line) for line in parts.episodes()]
    lines[0] = lines[0].replace('"reward": 0.0', '"reward": NaN', 1)
    parts.raw["episodes/snake.jsonl"] = "".join(f"{line}\n" for line in lines).encode()


def fail_worst(parts: Parts) -> None:
    """A05: mark a strict episode as failed but keep its end and score."""
    parts.episode().update(status="failed", failure="transport")


def step_after_the_end(parts: Parts) -> None:
    """GM-29: one more step, with its cost, after the episode has ended."""
    episode = parts.episode(game="trust")
    steps = listed(episode["steps"])
    first, last = steps[0], steps.pop()
    last.update(action="END", reply="Answer: END, Score: 0", score=0.0, reward=0.0)
    steps[-1] = last
    steps.append(first)


HALF = "0" * 64
BAD: dict[str, tuple[Pathway, str, Change]] = {
    "unknown protocol": ("history", "parsing", set_to(lambda p: p.manifest, protocol="no-such-1")),
    "other protocol digest": ("history", "parsing", set_to(lambda p: p.manifest, protocol_digest=HALF)),
    "other rules version": (
        "history",
        "parsing",
        set_to(lambda p: listed(p.manifest["games"])[0], rules_version=2),
    ),
    "a key twice": ("history", "parsing", duplicate_key),
    "NaN as a reward": ("history", "parsing", nan_reward),
    "true as a reward": ("history", "parsing", set_to(lambda p: p.step(), reward=True)),
    "text as a reward": ("history", "parsing", set_to(lambda p: p.step(), reward="1")),
    "an unknown field": ("history", "parsing", set_to(lambda p: p.step(), bonus=1)),
    "a field in other case": ("history", "parsing", set_to(lambda p: p.step(), Reward=1.0)),
    "a seed as a number": ("history", "parsing", set_to(lambda p: p.episode(), seed=1)),
    "a seed with a leading zero": ("history", "parsing", set_to(lambda p: p.episode(), seed="01")),
    "a negative index": ("history", "parsing", set_to(lambda p: p.episode(), index=-1)),
    "an index of 4,400 digits": (
        "history",
        "parsing",
        lambda p: p.raw.update({"episodes/snake.jsonl": b'{"index": ' + b"9" * 4_400 + b"}\n"}),
    ),
    "100,000 open brackets": (
        "history",
        "parsing",
        lambda p: p.raw.update({"episodes/snake.jsonl": b"[" * 100_000 + b"\n"}),
    ),
    "an episode left out": ("history", "completeness", lambda p: p.episodes().pop()),
    "an episode twice": ("history", "completeness", lambda p: p.episodes().append(p.episodes()[0])),
    "two episodes exchanged": ("history", "completeness", lambda p: p.episodes().reverse()),
    "no episode at all": ("history", "completeness", lambda p: p.episodes().clear()),
    "another seed": ("history", "completeness", set_to(lambda p: p.episode(), seed="7")),
    "a strict seed while exploring": (
        "history",
        "completeness",
        lambda p: p.episode(phase="explore").update(seed=p.episode()["seed"]),
    ),
    "a failed episode that keeps its score": ("history", "completeness", fail_worst),
    "a valid episode without a score": ("history", "completeness", set_to(lambda p: p.episode(), score=None)),
    "a valid episode without a step": ("history", "completeness", lambda p: p.episode().update(steps=[])),
    "a memory left out": ("summary", "completeness", lambda p: p.lines["memory/snake.jsonl"].pop()),
    "a memory of another mode": (
        "summary",
        "completeness",
        set_to(lambda p: p.lines["memory/snake.jsonl"][0], mode="recursive"),
    ),
    "a made memory without text": (
        "summary",
        "completeness",
        set_to(lambda p: p.lines["memory/snake.jsonl"][0], memory=""),
    ),
    "a cost left out": ("history", "completeness", lambda p: p.lines["costs/snake.jsonl"].pop()),
    "a cost twice": (
        "history",
        "completeness",
        lambda p: p.lines["costs/snake.jsonl"].append(p.lines["costs/snake.jsonl"][0]),
    ),
    "another start": ("history", "separation", set_to(lambda p: p.episode(), start_digest=HALF)),
    "another level": ("history", "separation", set_to(lambda p: p.episode(), layout_digest=HALF)),
    "a raised reward": ("history", "replay", set_to(lambda p: p.step(), reward=1.0)),
    "a raised score": ("history", "replay", set_to(lambda p: p.episode(), score=9.0)),
    "another end": ("history", "replay", set_to(lambda p: p.episode(), end="won")),
    "another action": ("history", "replay", set_to(lambda p: p.step(), action="END")),
    "another self-score": ("history", "replay", set_to(lambda p: p.step(), score=0.25)),
    "a missing self-score": ("history", "replay", set_to(lambda p: p.step(), score=None)),
    "another reply": ("history", "replay", set_to(lambda p: p.step(), reply="Answer: END, Score: 0")),
    "an unreadable reply with an action": ("history", "replay", set_to(lambda p: p.step(), reply="go up")),
    "a step after the end": ("history", "replay", step_after_the_end),
    "another prompt": ("history", "contexts", set_to(lambda p: p.step(), context=HALF)),
    "another exploration prompt": (
        "history",
        "contexts",
        set_to(lambda p: p.step(1, phase="explore"), context=HALF),
    ),
    "history dropped by choice": ("history", "contexts", lambda p: last_strict_step(p).update(dropped_episodes=1)),
    "history dropped for no server": (
        "history",
        "contexts",
        set_to(lambda p: p.step(), cut="server_overflow"),
    ),
    "steps dropped before history": (
        "history",
        "contexts",
        lambda p: last_strict_step(p).update(window=1, cut="server_overflow"),
    ),
    "a memory that the model did not write": (
        "summary",
        "contexts",
        set_to(lambda p: p.lines["memory/snake.jsonl"][0], memory="- go left"),
    ),
    "a summary reply that was not carried on": (
        "summary",
        "contexts",
        set_to(lambda p: p.lines["memory/snake.jsonl"][0], reply="Tips:\n- go left", memory="- go left"),
    ),
    "a memory from a strict episode": (
        "summary",
        "contexts",
        lambda p: p.lines["memory/snake.jsonl"][0].update(sources=[5]),
    ),
    "a summary prompt that was not sent": (
        "summary",
        "contexts",
        set_to(lambda p: p.lines["memory/snake.jsonl"][0], context=HALF),
    ),
    "another input budget below the prompt": ("history", "contexts", set_to(lambda p: p.manifest, input_budget=900)),
    "an input budget above the protocol's": ("history", "claims", set_to(lambda p: p.manifest, input_budget=6_501)),
    "an output budget above the protocol's": ("history", "claims", set_to(lambda p: p.manifest, output_budget=401)),
    "a raised checkpoint": (
        "history",
        "claims",
        set_to(lambda p: listed(p.manifest["checkpoints"])[0], score=9.0),
    ),
    "a checkpoint left out": ("history", "claims", lambda p: listed(p.manifest["checkpoints"]).pop()),
    "fewer steps claimed": ("history", "claims", set_to(lambda p: fields(p.manifest["totals"]), steps=1)),
    "fewer tokens claimed": ("history", "claims", set_to(lambda p: fields(p.manifest["totals"]), tokens_in=1)),
    "a failure that did not happen": (
        "history",
        "claims",
        lambda p: p.manifest.update(failures=[{"kind": "transport", "episodes": 1}]),
    ),
    "a temperature that the protocol does not allow": (
        "history",
        "claims",
        lambda p: p.manifest.update(decoding={"temperature": 1.0}),
    ),
    "a temperature that another deviation does not excuse": (
        "history",
        "claims",
        lambda p: p.manifest.update(decoding={"temperature": 1.0}, deviations=["context cut by server: 1 of 2"]),
    ),
}


def last_strict_step(parts: Parts) -> Fields:
    """Return the first step of the last strict episode, before which there is history to carry."""
    last = [each for each in parts.episodes() if each["phase"] == "strict"][-1]
    return listed(last["steps"])[0]


@pytest.mark.parametrize("name", BAD)
def test_a_bad_bundle_is_refused_by_its_step_and_by_no_other(board: Board, tmp_path: Path, name: str) -> None:
    pathway, step, change = BAD[name]
    report = refused(forge(board.bundle(pathway), tmp_path / "b", KEY, change), board)
    assert failed_step(report) == step
    fault = report.faults[0]
    assert fault.code == step
    assert fault.file
    assert fault.expected
    assert fault.got
    assert fault.remedy


def test_every_step_has_a_bad_bundle() -> None:
    elsewhere = {"limits", "signature", "files"}
    assert {step for _, step, _ in BAD.values()} | elsewhere == {step.code for step in STEPS}


def test_steps_are_numbered_in_order_with_codes_of_their_own() -> None:
    assert [step.number for step in STEPS] == list(range(9))
    assert len({step.code for step in STEPS}) == 9


@pytest.mark.parametrize("code", [step.code for step in STEPS])
def test_A01_a_step_that_is_left_out_is_never_accepted(
    board: Board, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    """With one more step in the written list than is run, nothing is accepted."""
    steps = list(STEPS)
    place = [step.code for step in steps].index(code)
    steps.insert(place, limits.STEP if code != "limits" else claims.STEP)
    monkeypatch.setattr(verifying, "STEPS", tuple(steps))
    with pytest.raises((RefusedError, AssertionError)):
        verify(board.bundle("history"), Registry(board.keys))


def test_A03_one_flipped_byte_in_any_file_is_refused_and_the_file_named(board: Board, tmp_path: Path) -> None:
    good = board.bundle("summary")
    for name, size in list_files(good).items():
        folder = tmp_path / name.replace("/", "-")
        shutil.copytree(good, folder)
        data = bytearray((folder / name).read_bytes())
        data[size // 2] ^= 1
        (folder / name).write_bytes(data)
        report = refused(folder, board)
        assert failed_step(report) == ("signature" if name == ENVELOPE else "files")
        assert name in {fault.file for fault in report.faults}
        text = report.to_json()
        assert '"verdict": "refused"' in text
        assert "accepted" not in text


def removed(folder: Path) -> None:
    (folder / "episodes" / "snake.jsonl.gz").unlink()


def added(folder: Path) -> None:
    (folder / "notes.txt").write_text("hello")


def renamed(folder: Path) -> None:
    (folder / "episodes" / "snake.jsonl.gz").rename(folder / "episodes" / "Snake.jsonl.gz")


def emptied(folder: Path) -> None:
    (folder / "episodes" / "snake.jsonl.gz").write_bytes(b"")


def twin(folder: Path) -> None:
    (folder / "episodes" / "SNAKE.jsonl.gz").write_bytes((folder / "episodes" / "snake.jsonl.gz").read_bytes())


@pytest.mark.parametrize("change", [removed, added, renamed, emptied, twin])
def test_BN_13_the_file_list_is_closed(board: Board, tmp_path: Path, change: Callable[[Path], None]) -> None:
    folder = tmp_path / "b"
    shutil.copytree(board.bundle("history"), folder)
    change(folder)
    assert failed_step(refused(folder, board)) == "files"


def test_a_signed_file_that_does_not_belong_is_refused(board: Board, tmp_path: Path) -> None:
    folder = forge(board.bundle("history"), tmp_path / "b", KEY, lambda p: p.extra.update({"run.py": b"print()"}))
    assert failed_step(refused(folder, board)) == "files"


def test_a_readme_may_come_along(board: Board, tmp_path: Path) -> None:
    folder = forge(board.bundle("history"), tmp_path / "b", KEY, lambda p: p.extra.update({"README.md": b"hello"}))
    assert verify(folder, Registry(board.keys)).report.verdict == "accepted"


def test_a_large_file_is_refused_before_anything_is_parsed(board: Board, tmp_path: Path) -> None:
    folder = tmp_path / "b"
    shutil.copytree(board.bundle("history"), folder)
    (folder / "README.md").write_bytes(bytes(MAX_README + 1))
    assert failed_step(refused(folder, board)) == "limits"


def test_A02_an_empty_folder_is_refused(board: Board, tmp_path: Path) -> None:
    report = refused(tmp_path, board)
    assert failed_step(report) == "limits"
    assert report.faults[0].file == ENVELOPE


def test_A02_a_folder_that_is_not_there_could_not_be_checked(board: Board, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected a folder"):
        verify(tmp_path / "nowhere", Registry(board.keys))


def test_A02_an_unknown_team_is_refused(board: Board, tmp_path: Path) -> None:
    empty = tmp_path / "keys"
    empty.mkdir()
    with pytest.raises(RefusedError, match="no such team"):
        verify(board.bundle("history"), Registry(empty))


def test_SG_06_a_bundle_signed_by_another_key_is_refused(board: Board, tmp_path: Path) -> None:
    folder = forge(board.bundle("history"), tmp_path / "b", load_key(generate_key()), lambda p: None)
    assert failed_step(refused(folder, board)) == "signature"


def test_a_revoked_key_is_refused(board: Board, tmp_path: Path) -> None:
    key = team_key("red", KEY).model_copy(update={"status": "revoked"})
    (tmp_path / "red.json").write_bytes(write_team_key(key))
    with pytest.raises(RefusedError, match="active key"):
        verify(board.bundle("history"), Registry(tmp_path))


def test_at_most_ten_faults_are_named_within_a_step(board: Board, tmp_path: Path) -> None:
    def change(parts: Parts) -> None:
        for episode in parts.episodes():
            for step in listed(episode["steps"]):
                step["reward"] = 5.0

    report = refused(forge(board.bundle("history"), tmp_path / "b", KEY, change), board)
    assert failed_step(report) == "replay"
    assert len(report.faults) == MAX_FAULTS


def test_A09_the_first_mismatch_names_file_episode_step_expected_and_got(board: Board, tmp_path: Path) -> None:
    folder = forge(
        board.bundle("history"), tmp_path / "b", KEY, lambda p: p.step(1, phase="explore").update(reward=3.0)
    )
    fault = refused(folder, board).faults[0]
    assert (fault.file, fault.place, fault.step) == ("episodes/snake.jsonl.gz", "explore 0", 1)
    assert "reward" in fault.expected
    assert fault.got == "3.0"
