"""The signed registry: one key one team, one active key a team, positions, versions, and who signed."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from protocol.errors import BundleError
from protocol.signing import TeamKey, generate_key, load_key, sign, team_key
from protocol.strictjson import write_record
from runner.entry import play_entry
from runner.models.builtin import Builtin
from runner.retry import Asker
from scoring.acceptance import LOG
from scoring.board import open_board
from scoring.log_check import check_board
from scoring.registry import open_keyring
from scoring.root_keys import root_of
from scoring.signed_registry import (
    REGISTRY,
    REGISTRY_TYPE,
    ROOT,
    Change,
    RegistryRecord,
    applied,
    sign_registry,
)
from scoring.submitting import change_entry, submit
from scoring.verify import RefusedError
from tests.bundles import KEY, Board, Unwatched, plan

ROOT_KEY = load_key(generate_key())
NEW, THIRD = load_key(generate_key()), load_key(generate_key())
EMPTY = RegistryRecord(version=1, root=root_of(ROOT_KEY).keyid, keys=())


def added(key: TeamKey) -> Change:
    return Change(kind="add", team=key.team, key=key)


def rotated(key: TeamKey) -> Change:
    return Change(kind="rotate", team=key.team, key=key)


def revoked(team: str, position: int | None = None) -> Change:
    return Change(kind="revoke", team=team, position=position, reason="lost")


def after(*changes: tuple[Change, int], record: RegistryRecord = EMPTY) -> RegistryRecord:
    for change, length in changes:
        record = applied(record, change, length)
        record = record.model_copy(update={"version": record.version + 1})
    return record


def lay(folder: Path, record: RegistryRecord) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / ROOT).write_bytes(write_record(root_of(ROOT_KEY)) + b"\n")
    (folder / REGISTRY).write_bytes(sign_registry(record, ROOT_KEY))
    return folder


RED = added(team_key("red", KEY))


def keyid_at(folder: Path, position: int) -> tuple[str, str]:
    key = open_keyring(folder).at(position)("red")
    return key.keyid, key.status


def test_a_rotation_counts_from_its_position_and_earlier_entries_keep_the_old_key(tmp_path: Path) -> None:
    new = team_key("red", NEW, replaces=KEY)
    folder = lay(tmp_path, after((RED, 0), (rotated(new), 5)))
    old = team_key("red", KEY).keyid
    assert [keyid_at(folder, position) for position in (0, 4)] == [(old, "active")] * 2
    assert [keyid_at(folder, position) for position in (5, 99)] == [(new.keyid, "active")] * 2


def test_a_revoked_key_counts_before_its_position_only_and_a_new_key_after(tmp_path: Path) -> None:
    fresh = team_key("red", NEW)
    folder = lay(tmp_path, after((RED, 0), (revoked("red", 3), 7), (added(fresh), 9)))
    old = team_key("red", KEY).keyid
    assert [keyid_at(folder, position) for position in (2, 3, 8, 9)] == [
        (old, "active"),
        (old, "revoked"),
        (old, "revoked"),
        (fresh.keyid, "active"),
    ]


def test_a_key_does_not_count_before_it_was_registered(tmp_path: Path) -> None:
    keyring = open_keyring(lay(tmp_path, after((RED, 4))))
    with pytest.raises(BundleError, match="no such team"):
        keyring.at(3)("red")
    with pytest.raises(BundleError, match="no such team"):
        keyring.at(9)("blue")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (added(team_key("red", NEW)), "has an active key"),
        (added(team_key("blue", KEY)), "a key has one team"),
        (rotated(team_key("red", NEW)), "expected a key that replaces"),
        (rotated(team_key("red", NEW, replaces=THIRD)), "expected a key that replaces"),
        (rotated(team_key("blue", NEW, replaces=KEY)), "expected an active key of blue"),
        (revoked("blue"), "expected an active key of blue"),
        (revoked("red", 8), "expected at most 7"),
    ],
)
def test_a_change_that_does_not_fit_is_refused(change: Change, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        applied(after((RED, 0)), change, 7)


def test_a_key_that_was_revoked_never_comes_back() -> None:
    record = after((RED, 0), (revoked("red"), 2))
    with pytest.raises(ValueError, match="is or was registered"):
        applied(record, added(team_key("blue", KEY)), 3)


def test_a_key_without_proof_is_not_registered() -> None:
    for change in ({"proof": None}, {"proof": team_key("red", NEW).proof}):
        with pytest.raises(BundleError, match=r"proof|one by"):
            applied(EMPTY, added(team_key("red", KEY).model_copy(update=change)), 0)


def test_a_registry_that_contradicts_itself_is_neither_signed_nor_read(tmp_path: Path) -> None:
    """Even the root key cannot sign two active keys of a team, one key twice, or a rotation nobody agreed to."""
    good = after((RED, 0), (rotated(team_key("red", NEW, replaces=KEY)), 5))
    old, new = good.keys
    second = team_key("red", THIRD, since=6)
    bad = (
        (*good.keys, second),
        (old, old),
        (old.model_copy(update={"until": None, "status": "active"}), new),
        (old, new.model_copy(update={"consent": None})),
        (old, team_key("red", THIRD, since=5)),
        (new,),
        (old.model_copy(update={"until": None}), new),
    )
    for keys in bad:
        record = good.model_copy(update={"keys": keys})
        with pytest.raises(BundleError):
            sign_registry(record, ROOT_KEY)
        lay(tmp_path, good)
        (tmp_path / REGISTRY).write_bytes(sign(write_record(record), ROOT_KEY, REGISTRY_TYPE))
        with pytest.raises(BundleError):
            open_keyring(tmp_path)


def test_only_the_root_key_signs(tmp_path: Path) -> None:
    folder = lay(tmp_path, after((RED, 0)))
    with pytest.raises(ValueError, match="root key"):
        sign_registry(EMPTY, NEW)
    (folder / REGISTRY).write_bytes(sign(write_record(EMPTY), NEW, REGISTRY_TYPE))
    with pytest.raises(BundleError, match="a signature by the root key"):
        open_keyring(folder)


def test_a_signed_registry_cannot_be_taken_away_to_leave_an_unsigned_one(tmp_path: Path) -> None:
    for gone in (REGISTRY, ROOT):
        folder = lay(tmp_path / gone, after((RED, 0)))
        (folder / "keys").mkdir()
        (folder / gone).unlink()
        with pytest.raises(BundleError, match=gone.replace(".", r"\.")):
            open_keyring(folder)


def test_SG_03_every_flipped_byte_of_registry_and_root_is_found(tmp_path: Path) -> None:
    folder = lay(tmp_path, after((RED, 0)))
    for name in (REGISTRY, ROOT):
        data = (folder / name).read_bytes()
        for place in range(0, len(data) - 1, 7):
            (folder / name).write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
            with pytest.raises(BundleError):
                open_keyring(folder)
        (folder / name).write_bytes(data)


def test_an_older_registry_or_another_one_of_the_same_version_is_a_rollback(board: Board, tmp_path: Path) -> None:
    one = after((RED, 0))
    two = after((added(team_key("blue", NEW)), 0), record=one)
    folder = lay(tmp_path / "board", two)
    submit(board.bundle("history"), folder)
    for older in (one, one.model_copy(update={"version": 3})):
        lay(folder, older)
        with pytest.raises(BundleError, match="rolled back"):
            open_board(folder)
        with pytest.raises(BundleError, match="rolled back"):
            submit(board.bundle("summary"), folder)
        assert any("rolled back" in fault.remedy for fault in check_board(folder).faults)
    for name in (REGISTRY, ROOT):
        (folder / name).unlink()
    shutil.copytree(board.keys, folder / "keys")
    with pytest.raises(BundleError, match="unsigned registry"):
        open_board(folder)


def test_a_board_never_goes_from_unsigned_to_signed_by_itself(board: Board, tmp_path: Path) -> None:
    """The log says which of its lines were written under which registry."""
    folder = lay(tmp_path / "board", after((RED, 0)))
    _, line = submit(board.bundle("history"), folder)
    assert line.registry is not None
    assert line.registry.version == 2
    assert open_board(folder).keyring.words.startswith("registry version 2, signed by")


def test_entries_before_a_revocation_stay_and_later_ones_are_refused(board: Board, tmp_path: Path) -> None:
    record = after((RED, 0))
    folder = lay(tmp_path / "board", record)
    submit(board.bundle("history"), folder)
    lay(folder, after((revoked("red"), 1), record=record))
    assert check_board(folder).faults == ()
    with pytest.raises(RefusedError, match="active key"):
        submit(board.bundle("summary"), folder)


def test_a_revocation_that_reaches_back_names_the_entries_that_must_go(board: Board, tmp_path: Path) -> None:
    record = after((RED, 0))
    folder = lay(tmp_path / "board", record)
    submit(board.bundle("history"), folder)
    submit(board.bundle("summary"), folder)
    lay(folder, after((revoked("red", 1), 2), record=record))
    faults = check_board(folder).faults
    assert [fault.file for fault in faults] == ["entries/red-summary/keys/red.json"]
    change_entry(folder, "disqualified", "red-summary", "signed with a lost key")
    assert check_board(folder).faults == ()
    assert (folder / LOG).is_file()


def test_a_log_that_ends_before_its_registry_was_signed_was_cut_off(board: Board, tmp_path: Path) -> None:
    """No head was noted, and the bundle of the line is gone too: the registry alone still tells."""
    record = after((RED, 0))
    folder = lay(tmp_path / "board", record)
    submit(board.bundle("history"), folder)
    lay(folder, after((revoked("red"), 1), record=record))
    assert check_board(folder).faults == ()
    (folder / LOG).unlink()
    shutil.rmtree(folder / "entries")
    assert "a log of at least 1 lines" in check_board(folder).faults[0].line()


def test_after_a_rotation_only_the_new_key_submits(board: Board, tmp_path: Path) -> None:
    record = after((RED, 0), (rotated(team_key("red", NEW, replaces=KEY)), 0))
    folder = lay(tmp_path / "board", record)
    with pytest.raises(RefusedError, match="a signature by the registered key of red"):
        submit(board.bundle("history"), folder)
    chosen = replace(plan("history", entry="red-new"), games=("trust",))
    asyncio.run(play_entry(chosen, Builtin("greedy"), tmp_path / "run", NEW, Unwatched(), Asker()))
    _, line = submit(tmp_path / "run" / "bundle", folder)
    assert line.subject.keyid == team_key("red", NEW).keyid
