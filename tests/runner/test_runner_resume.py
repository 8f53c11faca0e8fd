"""What a resume must not change: the text, the missing numbers, the settings, the rule that stops."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from protocol.decoding import decoding_at
from protocol.messages import Message
from runner.entry import Plan, play_entry
from runner.errors import JournalError
from runner.journal import JOURNAL
from runner.models.model import Answer, FaultKind
from runner.retry import Asker, PauseRunError
from scoring.registry import Registry
from scoring.score import score
from scoring.verify import verify
from tests.bundles import KEY, Board, Unwatched, plan
from tests.runner.audit import read_books
from tests.runner.scripted import Event, Scripted, uncompressed

GLYPHS = "← ↑ → 日本語 ♔♕♖ é \U0001f600"
SEPARATORS = "a\u2028b\u2029c\x85d\x0ce\x0bf\x1cg\r\nh\ti\x00j"


async def no_wait(seconds: float) -> None:
    """Let the time pass."""


def finish(folder: Path, player: Scripted, chosen: Plan | None = None) -> dict[str, bytes]:
    playing = play_entry(chosen or plan("history"), player, folder, KEY, Unwatched(), Asker(sleep=no_wait))
    return uncompressed(asyncio.run(playing).bundle)


def stopping_at(number: int, reply: Callable[[int, Sequence[Message]], Event | None]) -> Scripted:
    """Return a model that replies by a rule, and a process that ends with its n-th request."""

    def event(count: int, messages: Sequence[Message]) -> Event | None:
        return KeyboardInterrupt() if count == number else reply(count, messages)

    return Scripted(event)


def in_pieces(folder: Path, reply: Callable[[int, Sequence[Message]], Event | None]) -> dict[str, bytes]:
    """Play in sittings of six requests each."""
    while True:
        try:
            return finish(folder, stopping_at(6, reply))
        except KeyboardInterrupt:
            assert not (folder / "bundle").exists()


def steps(files: dict[str, bytes]) -> list[dict[str, object]]:
    return [step for data in files.values() for line in data.split(b"\n")[:-1] for step in json.loads(line)["steps"]]


def test_RN_01_separators_inside_replies_split_no_line_of_the_journal_or_of_a_record(tmp_path: Path) -> None:
    def reply(count: int, messages: Sequence[Message]) -> Event | None:
        text = f"{SEPARATORS} {GLYPHS} {len(messages)}\nAnswer: cheat, Score: 1"
        return Answer(text, "stop")

    straight = finish(tmp_path / "straight", stopping_at(-1, reply))
    resumed = in_pieces(tmp_path / "pieces", reply)
    assert resumed == straight
    assert len(steps(resumed)) == len(read_books(tmp_path / "pieces").outcomes)
    assert all(str(step["reply"]).startswith(f"{SEPARATORS} {GLYPHS}") for step in steps(resumed))


def test_RN_02_a_missing_self_score_stays_missing_and_counts_the_same_after_a_resume(tmp_path: Path) -> None:
    def reply(count: int, messages: Sequence[Message]) -> Event | None:
        return Answer("Answer: cheat" if len(messages) % 4 else "Answer: cheat, Score: NaN", "stop")

    board = Board(tmp_path / "board")
    straight = finish(tmp_path / "straight", stopping_at(-1, reply))
    resumed = in_pieces(tmp_path / "pieces", reply)
    assert resumed == straight
    assert {step["score"] for step in steps(resumed)} == {None}
    scored = [
        score([verify(tmp_path / name / "bundle", Registry(board.keys))]).model_dump(
            exclude={"entries": {0: {"totals", "digest"}}}
        )
        for name in ("straight", "pieces")
    ]
    assert scored[0]["rows"] == scored[1]["rows"]
    assert scored[0]["curves"] == scored[1]["curves"]


SETTINGS: list[tuple[dict[str, object], str]] = [
    ({"games": ("trust",)}, "games = snake trust, now it is trust"),
    ({"games": ("trust", "snake")}, "games = snake trust, now it is trust snake"),
    ({"decoding": decoding_at(0.5)}, "temperature = 0, now it is 0.5"),
    ({"decoding": decoding_at(None)}, "temperature = 0, now it is the server's default"),
    ({"system_role": False}, "system role = True, now it is False"),
    ({"summary_mode": "recursive"}, "summary mode = rebuild, now it is recursive"),
    ({"team": "blue"}, "team = red, now it is blue"),
    ({"entry": "other"}, "entry = red-history, now it is other"),
    ({"address": "http://b:8000/v1"}, "base URL = one with the digest 091d2f9d7223, now it is one with the digest "),
    ({"address": None}, "base URL = one with the digest 091d2f9d7223, now it is none"),
]


@pytest.mark.parametrize(("changes", "told"), SETTINGS, ids=range(len(SETTINGS)))
def test_RN_05_no_setting_that_changes_what_is_measured_can_change_on_a_resume(
    tmp_path: Path, changes: dict[str, object], told: str
) -> None:
    begun = dataclasses.replace(plan("history"), address="http://a:8000/v1")
    with pytest.raises(KeyboardInterrupt):
        finish(tmp_path, Scripted({5: KeyboardInterrupt()}), begun)
    before = (tmp_path / JOURNAL).read_bytes()
    model = Scripted({})
    with pytest.raises(JournalError) as caught:
        finish(tmp_path, model, dataclasses.replace(begun, **changes))  # type: ignore[arg-type]  # checked as it is used
    assert told in str(caught.value)
    assert "begin a new run in another folder" in str(caught.value)
    assert model.requests == []
    assert (tmp_path / JOURNAL).read_bytes() == before
    finish(tmp_path, model, begun)


def test_RN_05_the_address_of_an_endpoint_stands_in_no_file(tmp_path: Path) -> None:
    finish(tmp_path, Scripted({}), dataclasses.replace(plan("history"), address="http://inside.example/v1"))
    assert b"inside.example" not in (tmp_path / JOURNAL).read_bytes()
    assert all(b"inside.example" not in data for data in uncompressed(tmp_path / "bundle").values())
    assert b"inside.example" not in (tmp_path / "bundle" / "bundle.dsse.json").read_bytes()


def test_RN_11_the_rule_that_stops_a_run_looks_at_this_sitting_alone(tmp_path: Path) -> None:
    """Twenty old successes excuse nothing: not an endpoint that is down, and not one that goes down."""
    with pytest.raises(KeyboardInterrupt):
        finish(tmp_path, Scripted({20: KeyboardInterrupt()}))
    down = Scripted(lambda number, messages: FaultKind.SERVER)
    with pytest.raises(PauseRunError, match="none of 6 requests"):
        finish(tmp_path, down)
    assert len(down.requests) == 6
    going_down = Scripted(lambda number, messages: FaultKind.SERVER if number > 0 else None)
    with pytest.raises(PauseRunError, match="3 asks in a row"):
        finish(tmp_path, going_down)
    assert len(going_down.requests) == 1 + 3 * 6
    assert list(read_books(tmp_path).outcomes.values()).count(None) == 2


def test_a_bundle_that_was_half_written_is_written_anew_from_the_journal(tmp_path: Path) -> None:
    whole = finish(tmp_path / "whole", Scripted({}))

    def killed(path: Path, target: Path) -> Path:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "rename", killed)
        with pytest.raises(KeyboardInterrupt):
            finish(tmp_path / "run", Scripted({}))
    assert (tmp_path / "run" / ".bundle.partial").is_dir()
    (tmp_path / "run" / ".bundle.partial" / "stray").write_bytes(b"half")
    model = Scripted({})
    assert finish(tmp_path / "run", model) == whole
    assert model.requests == []
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["bundle", JOURNAL]


@pytest.mark.parametrize("left", [b"", b'{"kind":"hea', b"\x00" * 50])
def test_a_journal_that_broke_off_in_its_first_line_begins_anew(tmp_path: Path, left: bytes) -> None:
    whole = finish(tmp_path / "whole", Scripted({}))
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / JOURNAL).write_bytes(left)
    assert finish(tmp_path / "run", Scripted({})) == whole
