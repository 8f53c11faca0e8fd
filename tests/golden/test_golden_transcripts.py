"""What the games play is what was recorded, and a change needs a new rules version."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from tests.golden.__main__ import main
from tests.golden.transcript import FOLDER, Golden, faults, goldens, record, replayed, rules_version, written

STORED = [pytest.param(golden, id=golden.path.stem) for golden in goldens()]


@pytest.fixture
def copy(tmp_path: Path) -> Golden:
    """A stored file, free to be spoiled."""
    golden = next(golden for golden in goldens(tmp_path) if golden.path.stem == "snake-explore")
    shutil.copyfile(FOLDER / golden.path.name, golden.path)
    return golden


@pytest.mark.parametrize("golden", STORED)
def test_the_game_plays_as_recorded(golden: Golden) -> None:
    assert faults(golden) == []


@pytest.mark.parametrize("golden", STORED)
def test_the_stored_cases_are_the_chosen_ones(golden: Golden) -> None:
    """A new case or a better baseline is recorded, not forgotten."""
    assert written(golden) == golden.path.read_bytes().decode()


def test_no_file_is_left_over() -> None:
    assert sorted(FOLDER.glob("*.txt")) == sorted(golden.path for golden in goldens())


@pytest.mark.parametrize("golden", STORED)
def test_every_end_of_the_game_is_reached(golden: Golden) -> None:
    ends = set(re.findall(r"^end: (\w+)$", golden.path.read_text(encoding="utf-8"), re.MULTILINE)) - {"None"}
    assert ends == import_module(f"tests.golden.own.{golden.game.id}").ENDS[golden.config.id]


@pytest.mark.parametrize("golden", STORED)
def test_every_event_of_the_rules_happens(golden: Golden) -> None:
    text = golden.path.read_text(encoding="utf-8")
    events = re.findall(r"^- (.+?): ", golden.game.rules.partition("\nScoring:\n")[2], re.MULTILINE)
    assert len(events) > 1
    assert [event for event in events if f"\nfeedback: {event}" not in text] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [("\nreward: 1\n", "\nreward: 2\n"), ("\nfeedback: You moved.", "\nfeedback: Moved."), ("# # #", "# # X"),
     ("\nend: won", "\nend: lost"), ("\naction: \"UP\"", "\naction: \"LEFT\""), ("grows", "shrinks"),
     ("\nscore: ", "\nscore: 1")],
)  # fmt: skip
def test_any_other_behaviour_is_found_and_not_overwritten(copy: Golden, old: str, new: str) -> None:
    text = copy.path.read_text(encoding="utf-8")
    spoiled = text.replace(old, new, 1)
    assert spoiled != text
    copy.path.write_bytes(spoiled.encode())
    (found,) = faults(copy)
    assert f"same rules version {copy.game.rules_version}" in found
    with pytest.raises(ValueError, match="Nothing was written"):
        record(copy)
    assert copy.path.read_text(encoding="utf-8") == spoiled
    record(copy, force_same_version=True)
    assert copy.path.read_text(encoding="utf-8") == text


def test_a_new_rules_version_asks_for_a_new_recording(copy: Golden) -> None:
    old, new = copy.game.rules_version, copy.game.rules_version + 1
    newer = copy._replace(game=replace(copy.game, rules_version=new))
    assert faults(newer) == [
        f"{copy.path.name}: recorded under rules version {old}, the game has {new}; run `python -m tests.golden record`"
    ]
    assert f"rules version {new}" in record(newer)
    assert rules_version(copy.path.read_text(encoding="utf-8")) == new


def test_a_missing_file_is_named_and_can_be_recorded(copy: Golden) -> None:
    text = copy.path.read_bytes()
    copy.path.unlink()
    assert faults(copy) == [f"{copy.path.name}: expected a transcript, found none; run `python -m tests.golden record`"]
    record(copy)
    assert copy.path.read_bytes() == text


def test_a_replay_takes_the_actions_from_the_file_alone(copy: Golden) -> None:
    """Fewer stored cases are still the same behaviour: nothing but the stored episodes is compared."""
    text = copy.path.read_text(encoding="utf-8")
    fewer = text[: text.index("\n\nepisode: ", text.index("episode: ")) + 1]
    assert replayed(copy, fewer) == fewer


def test_check_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in FOLDER.glob("*.txt")}
    assert main(["check"]) == 0
    assert capsys.readouterr().out == "every transcript is as the games play\n"
    assert before == {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in FOLDER.glob("*.txt")}
