"""The log: any byte that changes is found and told where; states follow from states; equal runs are held."""

from __future__ import annotations

import asyncio
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import BundleError
from protocol.signing import generate_key, load_key, team_key, write_team_key
from protocol.strictjson import write_record
from runner.entry import play_entry
from runner.models.builtin import Builtin
from runner.retry import Asker
from scoring.acceptance import (
    LOG,
    Action,
    Happening,
    LogLine,
    head_of,
    inspect_lines,
    inspect_log,
    next_line,
    read_log,
    standings,
)
from scoring.board import open_board
from scoring.log_check import LogCheck, check_board
from scoring.submitting import change_entry, examine, submit, submitted
from tests.bad_bundles.bad import listed
from tests.bundles import KEY, Board, Unwatched, plan
from tests.scoring.forge import Fields, Parts, forge

BLUE = load_key(generate_key())
AN_ENDPOINT: Fields = {"kind": "openai_chat", "model": "m", "context_tokens": None}


@pytest.fixture
def submissions(board: Board, tmp_path: Path) -> Path:
    folder = tmp_path / "submissions"
    shutil.copytree(board.keys, folder / "keys")
    (folder / "keys" / "blue.json").write_bytes(write_team_key(team_key("blue", BLUE)))
    return folder


@pytest.fixture(scope="session")
def full(board: Board, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a board with a standing, a held and a withdrawn entry."""
    folder = tmp_path_factory.mktemp("full")
    shutil.copytree(board.keys, folder / "keys")
    (folder / "keys" / "blue.json").write_bytes(write_team_key(team_key("blue", BLUE)))
    submit(board.bundle("history"), folder, claimed_time="2026-01-02T03:04:05Z")
    submit(copied(board, folder.parent / f"{folder.name}-copy"), folder, claimed_time="2026-01-02T03:04:04Z")
    submit(board.bundle("summary"), folder)
    change_entry(folder, "withdrawn", "red-summary", "the team found a fault in its endpoint")
    return folder


def copied(board: Board, target: Path, endpoint: Fields = AN_ENDPOINT, model: str = "m") -> Path:
    """Return another team's entry with the very episodes of red's."""

    def change(parts: Parts) -> None:
        parts.manifest.update(team="blue", entry="blue-copy", model=model, endpoint=endpoint)

    return forge(board.bundle("history"), target, BLUE, change)


def places(found: LogCheck) -> list[str]:
    return [f"{fault.file} {fault.place}" for fault in found.faults]


def test_a_board_that_nobody_touched_holds(full: Path) -> None:
    found = check_board(full)
    assert found.faults == ()
    assert [(line.action, line.subject.entry) for line in found.lines] == [
        ("accepted", "red-history"),
        ("held", "blue-copy"),
        ("accepted", "red-summary"),
        ("withdrawn", "red-summary"),
    ]
    assert (found.bundles, found.backwards, found.registry) == (3, 1, "unsigned registry")


@given(data=st.data())
def test_a_flip_at_any_byte_of_the_log_is_found_in_its_line(full: Path, data: st.DataObject) -> None:
    content = (full / LOG).read_bytes()
    place = data.draw(st.integers(0, len(content) - 1))
    flip = data.draw(st.integers(1, 255))
    changed = content[:place] + bytes([content[place] ^ flip]) + content[place + 1 :]
    line = content[:place].count(b"\n") + 1
    other = full.parent / "flipped.jsonl"
    other.write_bytes(changed)
    _, faults = inspect_log(other)
    assert faults
    assert faults[0].line == line
    with pytest.raises(BundleError, match=rf"line {line}"):
        read_log(other)


@pytest.mark.parametrize("line", [b"\n", b"{}\n", b"x" * 40 + b"\n"])
def test_BN_05_a_log_of_lines_without_end_is_left_after_a_hundred_faults(line: bytes) -> None:
    """256 MiB of empty lines are 268 million of them."""
    lines, faults = inspect_lines(line * 1_000_000)
    assert lines == ()
    assert [fault.line for fault in faults] == list(range(1, 101))


@given(data=st.data())
def test_a_line_cut_out_or_put_in_is_found(full: Path, data: st.DataObject) -> None:
    lines = (full / LOG).read_bytes().splitlines(keepends=True)
    place = data.draw(st.integers(0, len(lines) - 2))
    other = full.parent / "cut.jsonl"
    other.write_bytes(b"".join([*lines[:place], *lines[place + 1 :]]))
    assert inspect_log(other)[1][0].line == place + 1
    other.write_bytes(b"".join([*lines[:place], lines[place], *lines[place:]]))
    assert inspect_log(other)[1][0].line == place + 2


def test_lines_cut_off_at_the_end_are_found_by_the_head_that_was_seen_or_by_their_bundles(
    full: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(full, tmp_path / "b")
    head = head_of(read_log(folder / LOG))
    lines = (folder / LOG).read_bytes().splitlines(keepends=True)
    (folder / LOG).write_bytes(b"".join(lines[:3]))
    assert check_board(folder).faults == ()
    assert head in check_board(folder, head).faults[0].expected
    (folder / LOG).write_bytes(b"".join(lines[:2]))
    assert places(check_board(folder)) == ["entries/'red-summary' None"]
    with pytest.raises(BundleError, match="red-summary"):
        submitted(folder)


def test_a_changed_line_that_was_hashed_again_is_found_by_the_next(full: Path, tmp_path: Path) -> None:
    """Whoever rewrites a line and its own digest has to rewrite every line after it: the head changes."""
    lines = read_log(full / LOG)
    forged = lines[1].model_copy(update={"reason": "nothing to see", "check": "0" * 64})
    forged = forged.model_copy(update={"check": head_of((forged,))})
    log = tmp_path / LOG
    log.write_bytes(b"".join(write_record(line) + b"\n" for line in (lines[0], forged, *lines[2:])))
    assert [fault.line for fault in inspect_log(log)[1]] == [3]


@pytest.mark.parametrize("entry", ["red-history", "blue-copy", "red-summary"])
def test_a_flip_in_any_file_of_a_bundle_is_found_there(full: Path, tmp_path: Path, entry: str) -> None:
    folder = shutil.copytree(full, tmp_path / "b")
    for path in sorted((folder / "entries" / entry).rglob("*")):
        if not path.is_file():
            continue
        data = path.read_bytes()
        for place in (0, len(data) // 2, len(data) - 2):
            path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
            faults = check_board(folder).faults
            assert faults, (path, place)
            name = path.relative_to(folder).as_posix()
            assert any(fault.file == name for fault in faults), (path, place, faults)
        path.write_bytes(data)
    assert check_board(folder).faults == ()


def test_BN_13_a_missing_an_extra_and_an_exchanged_bundle_are_told_apart(full: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(full, tmp_path / "b")
    (folder / "entries" / "red-history").rename(folder / "entries" / "stranger")
    assert places(check_board(folder)) == ["entries/red-history None", "entries/'stranger' None"]
    shutil.copytree(folder / "entries" / "blue-copy", folder / "entries" / "red-history")
    found = check_board(folder).faults
    assert found[0].file == "entries/red-history/bundle.dsse.json"
    assert "as line 1 of the log says" in found[0].expected


def test_a_tombstone_may_lose_its_bundle_and_no_other_entry_may(full: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(full, tmp_path / "b")
    shutil.rmtree(folder / "entries" / "red-summary")
    found = check_board(folder)
    assert (found.faults, found.absent) == ((), ("red-summary",))
    shutil.rmtree(folder / "entries" / "blue-copy")
    assert places(check_board(folder)) == ["entries/blue-copy None"]


def test_a_withdrawn_entry_is_out_of_the_tables_and_its_id_is_never_used_again(full: Path, board: Board) -> None:
    assert [path.name for path in submitted(full)] == ["red-history"]
    with pytest.raises(ValueError, match="expected a new entry"):
        examine(board.bundle("summary"), full)


@pytest.mark.parametrize(
    ("entry", "action"),
    [
        ("red-history", "released"),
        ("red-summary", "released"),
        ("red-summary", "withdrawn"),
        ("red-summary", "disqualified"),
        ("red-history", "accepted"),
        ("red-history", "held"),
    ],
)
def test_what_cannot_follow_is_not_written(full: Path, entry: str, action: Action) -> None:
    before = (full / LOG).read_bytes()
    with pytest.raises(BundleError, match="what can follow"):
        change_entry(full, action, entry, "a reason")
    assert (full / LOG).read_bytes() == before


def test_an_entry_that_the_log_does_not_know_cannot_be_changed(full: Path) -> None:
    with pytest.raises(ValueError, match="expected one of the log"):
        change_entry(full, "withdrawn", "nobody", "a reason")


def test_a_log_whose_lines_do_not_follow_is_refused_though_its_chain_holds(full: Path, tmp_path: Path) -> None:
    lines = read_log(full / LOG)
    again = next_line(lines, standing_of(lines, "red-history"))
    log = tmp_path / LOG
    log.write_bytes((full / LOG).read_bytes() + write_record(again) + b"\n")
    assert [(fault.line, fault.got) for fault in inspect_log(log)[1]] == [(5, "accepted")]


def standing_of(lines: tuple[LogLine, ...], entry: str) -> Happening:
    return Happening("accepted", standings(lines)[entry].subject)


def test_a_run_equal_to_another_teams_is_held_and_not_refused(board: Board, submissions: Path, tmp_path: Path) -> None:
    submit(board.bundle("history"), submissions)
    verified, line = submit(copied(board, tmp_path / "copy"), submissions)
    assert verified.report.verdict == "accepted"
    assert line.action == "held"
    assert line.reason is not None
    assert "snake equals that of red-history by red" in line.reason
    assert [path.name for path in submitted(submissions)] == ["red-history"]
    change_entry(submissions, "released", "blue-copy", "both teams ran the same deterministic endpoint")
    assert [path.name for path in submitted(submissions)] == ["blue-copy", "red-history"]
    assert check_board(submissions).faults == ()


def test_one_equal_game_is_enough_and_a_withdrawn_twin_still_counts(
    board: Board, submissions: Path, tmp_path: Path
) -> None:
    submit(board.bundle("history"), submissions)
    change_entry(submissions, "withdrawn", "red-history", "a mistake")

    chosen = replace(plan("history", entry="blue-one", model="m"), team="blue", games=("trust",))
    asyncio.run(play_entry(chosen, Builtin("greedy"), tmp_path / "run", BLUE, Unwatched(), Asker()))
    bundle = forge(
        tmp_path / "run" / "bundle", tmp_path / "b", BLUE, lambda parts: parts.manifest.update(endpoint=AN_ENDPOINT)
    )
    assert (examine(bundle, submissions).held or "").endswith("trust equals that of red-history by red")


def test_a_declared_baseline_and_a_teams_own_repetition_are_not_held(
    board: Board, submissions: Path, tmp_path: Path
) -> None:
    submit(board.bundle("history"), submissions)
    baseline: Fields = {"kind": "builtin", "model": "greedy", "context_tokens": None}
    own_name = copied(board, tmp_path / "baseline", baseline, model="builtin:greedy")
    assert examine(own_name, submissions).held is None
    again = forge(
        board.bundle("history"),
        tmp_path / "again",
        KEY,
        lambda p: p.manifest.update(entry="red-2", endpoint=AN_ENDPOINT),
    )
    assert examine(again, submissions).held is None


@pytest.mark.parametrize(
    ("kind", "endpoint", "model"),
    [
        ("builtin", "BlueGPT", "BlueGPT"),
        ("builtin", "BlueGPT", "builtin:BlueGPT"),
        ("builtin", "greedy", "BlueGPT"),
        ("builtin", "greedy", "builtin:random"),
        ("openai_chat", "greedy", "builtin:greedy"),
    ],
)
def test_a_copy_that_calls_itself_a_baseline_under_another_name_is_held(
    board: Board, submissions: Path, tmp_path: Path, kind: str, endpoint: str, model: str
) -> None:
    submit(board.bundle("history"), submissions)
    dressed: Fields = {"kind": kind, "model": endpoint, "context_tokens": None}
    assert examine(copied(board, tmp_path / "copy", dressed, model), submissions).held is not None


def _declared_otherwise(parts: Parts) -> None:
    """Say that replies ended for another reason, and put blanks around them."""
    for line in (*parts.episodes("snake"), *parts.episodes("trust")):
        for each in listed(line["steps"]):
            each.update(finish="other", reply=f"\n{each['reply']} \n")


def test_what_a_copyist_can_declare_otherwise_does_not_hide_a_copy(
    board: Board, submissions: Path, tmp_path: Path
) -> None:
    submit(board.bundle("history"), submissions)
    dressed = forge(copied(board, tmp_path / "copy"), tmp_path / "dressed", BLUE, _declared_otherwise)
    held = examine(dressed, submissions).held or ""
    assert "snake equals that of red-history by red; trust equals that of red-history by red" in held


def test_a_team_cannot_bring_back_what_was_disqualified_under_another_id(
    board: Board, submissions: Path, tmp_path: Path
) -> None:
    submit(copied(board, tmp_path / "first"), submissions)
    again = forge(tmp_path / "first", tmp_path / "again", BLUE, lambda p: p.manifest.update(entry="blue-again"))
    assert examine(again, submissions).held is None
    change_entry(submissions, "disqualified", "blue-copy", "its replies were typed")
    assert (examine(again, submissions).held or "").endswith("by blue, which is disqualified")


def test_every_log_holds_the_head_of_an_empty_one(submissions: Path, full: Path) -> None:
    """Whoever noted the head before the first entry came can give it as any other."""
    head = check_board(submissions).head
    assert check_board(submissions, head).faults == check_board(full, head).faults == ()


@pytest.mark.parametrize("name", [LOG, "registry.dsse.json", "root.json", "keys/red.json"])
@pytest.mark.parametrize("kind", ["a pipe", "a device", "a link that leads nowhere", "a folder"])
def test_what_is_no_regular_file_is_named_and_never_read(full: Path, tmp_path: Path, name: str, kind: str) -> None:
    """A board comes from strangers too: reading a pipe would wait for ever, reading a device would never end."""
    board = shutil.copytree(full, tmp_path / "board")
    (board / name).unlink(missing_ok=True)
    if kind == "a pipe":
        os.mkfifo(board / name)
    elif kind == "a folder":
        (board / name).mkdir()
    else:
        (board / name).symlink_to("/dev/zero" if kind == "a device" else "nowhere")
    found = check_board(board)
    assert found.report.verdict == "refused"
    assert all(fault.line().isprintable() for fault in found.faults)


def test_examining_writes_nothing_and_foretells_the_very_line(board: Board, submissions: Path) -> None:
    before = sorted(submissions.rglob("*"))
    foretold = examine(board.bundle("history"), submissions, claimed_time="2026-01-02T03:04:05Z").line
    assert sorted(submissions.rglob("*")) == before
    _, line = submit(board.bundle("history"), submissions, claimed_time="2026-01-02T03:04:05Z")
    assert line == foretold


def test_open_board_tells_each_entrys_state(full: Path) -> None:
    states = {entry: standing.state for entry, standing in open_board(full).standings.items()}
    assert states == {"red-history": "standing", "blue-copy": "held", "red-summary": "withdrawn"}
