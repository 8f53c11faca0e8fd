"""A board at every power cut: as before, as after, or in a state that says what happened and which command goes on."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from protocol.durable import write_folder
from protocol.errors import BundleError
from protocol.signing import generate_key, load_key, team_key
from scoring.acceptance import LOG, read_log
from scoring.board import open_board
from scoring.log_check import check_board
from scoring.pending import PENDING, propose, read_pending, sign_pending
from scoring.root_files import begin, done_before, exchange, finish
from scoring.root_keys import RootKey, root_of
from scoring.signed_registry import REGISTRY, ROOT, Change, RegistryRecord, read_registry, read_root, sign_registry
from scoring.submitting import ENTRIES, change_entry, examine, lay_in, submitted
from tests.bundles import KEY, TEAM, Board
from tests.powercuts import power_cuts, seen
from tests.scoring.reruns import ROOT_KEY as FIRST
from tests.scoring.reruns import Reruns
from tests.scoring.test_scoring_root_keys import BAD, Chain, lay, link

SECOND, THIRD, STRANGER = (load_key(generate_key()) for _ in range(3))
RED = team_key(TEAM, KEY)
BLUE = team_key("blue", load_key(generate_key()))
COMMAND = "s3gym registry exchange-root --finish"


@pytest.fixture(scope="session")
def signed(board: Board, reruns: Reruns, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a board with a signed registry, an entry and a re-run of it."""
    folder = tmp_path_factory.mktemp("signed") / "submissions"
    begin(folder, FIRST)
    propose(folder, Change(kind="add", team=TEAM, key=RED))
    sign_pending(folder, FIRST)
    lay_in(board.bundle("history"), folder, examine(board.bundle("history"), folder))
    reruns.forge("history", folder / "confirmations" / "red-history")
    return folder


def half_done(signed: Path, folder: Path) -> Path:
    """Return a board whose exchange stopped between its two files."""
    shutil.copytree(signed, folder)
    exchange(folder, FIRST, SECOND)
    shutil.copy(signed / ROOT, folder / ROOT)
    return folder


def state_of(folder: Path) -> str:
    """Return which root key readers take for a board's, old or new, or that they name a half-done exchange."""
    try:
        roots = open_board(folder).keyring.roots
    except BundleError as error:
        told = str(error)
    else:
        assert roots is not None
        return "old" if roots.current == root_of(FIRST) else "new"
    assert f"root.json: expected root key {root_of(SECOND).keyid}" in told
    assert f"got {root_of(FIRST).keyid}, the one before" in told
    assert COMMAND in told
    assert [fault.line() for fault in check_board(folder).faults] == [told]
    return "named"


def test_an_exchange_of_the_root_key_is_old_new_or_named_and_finished_without_a_key(
    signed: Path, tmp_path: Path
) -> None:
    after = shutil.copytree(signed, tmp_path / "after")
    exchange(after, FIRST, SECOND)
    states: list[str] = []
    for folder in power_cuts(signed, lambda each: exchange(each, FIRST, SECOND), tmp_path / "work"):
        states.append(state_of(folder))
        if states[-1] != "named":
            assert seen(folder) == seen(signed if states[-1] == "old" else after)
        done = finish(folder)
        assert (done is None) == (states[-1] != "named")
        if states[-1] == "old":
            exchange(folder, FIRST, SECOND)
        assert seen(folder) == seen(after)
        assert check_board(folder).faults == ()
        assert done_before(folder, FIRST, SECOND) is not None
    assert states[-1] == "new"
    assert set(states) == {"old", "named", "new"}


def test_finishing_is_itself_finished_after_any_power_cut(signed: Path, tmp_path: Path) -> None:
    half = half_done(signed, tmp_path / "half")
    after = shutil.copytree(half, tmp_path / "after")
    assert finish(after) is not None
    for folder in power_cuts(half, finish, tmp_path / "work"):
        assert seen(folder) in (seen(half), seen(after))
        finish(folder)
        assert seen(folder) == seen(after)


def test_nothing_is_done_on_a_board_whose_exchange_is_half_done(signed: Path, board: Board, tmp_path: Path) -> None:
    folder = half_done(signed, tmp_path / "half")
    before = seen(folder)
    for act in (
        lambda: exchange(folder, FIRST, THIRD),
        lambda: exchange(folder, SECOND, THIRD),
        lambda: propose(folder, Change(kind="add", team="blue", key=BLUE)),
        lambda: change_entry(folder, "withdrawn", "red-history", "a fault"),
        lambda: examine(board.bundle("summary"), folder),
        lambda: submitted(folder),
    ):
        with pytest.raises(BundleError) as caught:
            act()
        assert COMMAND in str(caught.value)
    assert seen(folder) == before


def left_by(folder: Path, root: RootKey, registry: bytes) -> str:
    """Lay two files that do not agree; return what the board is refused for, after trying to finish it."""
    folder.mkdir(exist_ok=True)
    lay(folder, RegistryRecord(version=1, root=root_of(FIRST).keyid, keys=(RED,)), FIRST)
    (folder / REGISTRY).write_bytes(registry)
    before = seen(folder)
    assert read_root(folder) == root
    with pytest.raises(BundleError) as caught:
        finish(folder)
    assert seen(folder) == before
    with pytest.raises(BundleError) as read:
        open_board(folder)
    assert str(read.value) == str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("chain", BAD, ids=lambda chain: chain.name)
def test_a_hostile_registry_is_never_finished(chain: Chain, tmp_path: Path) -> None:
    """Every chain that no reader takes is no half-done exchange either: the old root key stays and nothing is named."""
    record = RegistryRecord(version=chain.version, root=root_of(chain.root).keyid, keys=(RED,), links=chain.links())
    lay(tmp_path / "made", record, chain.root)
    told = left_by(tmp_path / "board", root_of(FIRST), (tmp_path / "made" / REGISTRY).read_bytes())
    assert "--finish" not in told


def test_a_registry_of_a_stranger_or_past_a_stranger_is_never_finished(tmp_path: Path) -> None:
    for name, key, links in (
        ("bare", STRANGER, ()),
        ("own", STRANGER, (link(THIRD, STRANGER, 2),)),
        ("not signed by the successor", STRANGER, (link(FIRST, SECOND, 2),)),
    ):
        root = SECOND if name.startswith("not") else STRANGER
        record = RegistryRecord(version=9, root=root_of(root).keyid, keys=(RED,), links=links)
        lay(tmp_path / "made", record, key)
        told = left_by(tmp_path / name, root_of(FIRST), (tmp_path / "made" / REGISTRY).read_bytes())
        assert told.startswith(REGISTRY)
        assert "--finish" not in told


def test_a_thief_of_a_former_key_finishes_nothing_where_the_log_has_seen_its_successor(
    signed: Path, tmp_path: Path
) -> None:
    """With ``root.json`` laid back and a registry of the thief's, the log still says who signed the last version."""
    folder = shutil.copytree(signed, tmp_path / "board")
    exchange(folder, FIRST, SECOND)
    change_entry(folder, "withdrawn", "red-history", "a fault")
    shutil.copy(signed / ROOT, folder / ROOT)
    forged = RegistryRecord(version=9, root=root_of(THIRD).keyid, keys=(RED,), links=(link(FIRST, THIRD, 5),))
    (folder / REGISTRY).write_bytes(sign_registry(forged, THIRD))
    before = seen(folder)
    with pytest.raises(BundleError, match=f"signed by root key {root_of(SECOND).keyid}"):
        finish(folder)
    assert seen(folder) == before


def test_a_registry_begins_at_every_power_cut_or_goes_on_with_the_same_key_alone(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    after = tmp_path / "after"
    begin(after, FIRST)
    states: Counter[str] = Counter()
    for folder in power_cuts(empty, lambda each: begin(each, FIRST), tmp_path / "work"):
        names = frozenset(seen(folder))
        states[" ".join(sorted(names))] += 1
        if names == {REGISTRY}:
            with pytest.raises(BundleError, match=r"root\.json: .*s3gym registry init again with the same root key"):
                open_board(folder)
            with pytest.raises(ValueError, match="never begun anew"):
                begin(folder, STRANGER)
        if names != {REGISTRY, ROOT}:
            begin(folder, FIRST)
        assert seen(folder) == seen(after)
        with pytest.raises(ValueError, match="never begun anew"):
            begin(folder, FIRST)
    assert set(states) == {"", REGISTRY, f"{REGISTRY} {ROOT}"}


def test_signing_takes_each_change_once_at_every_power_cut(signed: Path, tmp_path: Path) -> None:
    begun = shutil.copytree(signed, tmp_path / "begun")
    propose(begun, Change(kind="revoke", team=TEAM, reason="lost"))
    propose(begun, Change(kind="add", team="blue", key=BLUE))
    after = shutil.copytree(begun, tmp_path / "after")
    assert sign_pending(after, FIRST).changes == 2
    left = 0
    for folder in power_cuts(begun, lambda each: sign_pending(each, FIRST), tmp_path / "work"):
        waiting, done = read_pending(folder)
        record = read_registry(folder, read_root(folder)).record
        if record.version == 2:
            assert (len(waiting), len(done)) == (2, 0)
            assert sign_pending(folder, FIRST).changes == 2
        elif (folder / PENDING).exists():
            left += 1
            assert (len(waiting), len(done)) == (0, 2)
            assert sign_pending(folder, FIRST).changes == 0
        assert seen(folder) == seen(after)
    assert left > 0


def test_a_list_that_was_signed_and_not_taken_off_takes_further_changes(signed: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(signed, tmp_path / "board")
    propose(folder, Change(kind="revoke", team=TEAM, reason="lost"))
    kept = (folder / PENDING).read_bytes()
    sign_pending(folder, FIRST)
    (folder / PENDING).write_bytes(kept)
    again = team_key(TEAM, load_key(generate_key()))
    assert propose(folder, Change(kind="add", team=TEAM, key=again)) == 1
    assert sign_pending(folder, FIRST).changes == 1
    keys = read_registry(folder, read_root(folder)).record.keys
    assert [(key.keyid, key.status) for key in keys] == [(RED.keyid, "revoked"), (again.keyid, "active")]


def test_a_revocation_that_waits_while_its_key_is_rotated_is_told_and_never_lost(signed: Path, tmp_path: Path) -> None:
    """It was proposed on another branch: neither another key is revoked in its place, nor is it taken for signed."""
    folder = shutil.copytree(signed, tmp_path / "board")
    propose(folder, Change(kind="revoke", team=TEAM, reason="stolen"))
    stolen = (folder / PENDING).read_bytes()
    (folder / PENDING).unlink()
    new = load_key(generate_key())
    propose(folder, Change(kind="rotate", team=TEAM, key=team_key(TEAM, new, replaces=KEY)))
    sign_pending(folder, FIRST)
    (folder / PENDING).write_bytes(stolen)
    assert len(read_pending(folder).waiting) == 1
    with pytest.raises(ValueError, match=f"expected {RED.keyid} to be the active key"):
        sign_pending(folder, FIRST)
    assert (folder / PENDING).read_bytes() == stolen


def test_a_list_of_an_older_release_names_no_key_and_is_signed_as_before(signed: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(signed, tmp_path / "board")
    older = b'{"key":null,"kind":"revoke","position":null,"reason":"lost","team":"red"}\n'
    (folder / PENDING).write_bytes(older)
    assert sign_pending(folder, FIRST).changes == 1
    (folder / PENDING).write_bytes(older)
    assert sign_pending(folder, FIRST).changes == 0
    assert not (folder / PENDING).exists()


def test_proposing_is_whole_or_not_at_all_at_every_power_cut(signed: Path, tmp_path: Path) -> None:
    change = Change(kind="add", team="blue", key=BLUE)
    cuts = power_cuts(signed, lambda each: propose(each, change), tmp_path / "work")
    found = [read_pending(folder).waiting for folder in cuts]
    assert set(found) == {(), (change,)}
    assert found[-1] == (change,)


def test_a_submit_that_stops_is_old_new_or_told_and_the_same_submit_goes_on(
    signed: Path, board: Board, tmp_path: Path
) -> None:
    bundle = board.bundle("summary")
    examined = examine(bundle, signed)
    after = shutil.copytree(signed, tmp_path / "after")
    lay_in(bundle, after, examined)
    states: Counter[str] = Counter()
    for folder in power_cuts(signed, lambda each: lay_in(bundle, each, examined), tmp_path / "work"):
        entry, lines = folder / ENTRIES / "red-summary", read_log(folder / LOG)
        state = "new" if len(lines) == 2 else "laid" if entry.exists() else "old"
        states[state] += 1
        if state == "laid":
            with pytest.raises(BundleError, match="Submit it where it lies"):
                submitted(folder)
            if states[state] == 1:
                (fault,) = check_board(folder).faults
                assert "Submit it where it lies" in fault.line()
        if state != "new":
            lay_in(entry if state == "laid" else bundle, folder, examined)
        assert seen(folder) == seen(after)
    assert check_board(after).faults == ()
    assert set(states) == {"old", "laid", "new"}


def test_a_bundle_that_lies_there_unlogged_is_submitted_from_anywhere_and_another_one_is_not(
    signed: Path, board: Board, tmp_path: Path
) -> None:
    folder = shutil.copytree(signed, tmp_path / "board")
    bundle = board.bundle("summary")
    lying = shutil.copytree(bundle, folder / ENTRIES / "red-summary")
    assert examine(lying, folder).line == examine(bundle, folder).line
    (lying / "README.md").write_text("another")
    with pytest.raises(ValueError, match="found another at"):
        examine(bundle, folder)
    shutil.rmtree(lying)
    examined = examine(bundle, folder)
    shutil.copytree(bundle, lying)
    (lying / "README.md").write_text("another")
    with pytest.raises(FileExistsError):
        lay_in(bundle, folder, examined)
    assert len(read_log(folder / LOG)) == 1


def test_a_line_of_the_log_is_there_whole_or_not_at_all_at_every_power_cut(signed: Path, tmp_path: Path) -> None:
    before, after = (signed / LOG).read_bytes(), b""
    for folder in power_cuts(
        signed, lambda each: change_entry(each, "withdrawn", "red-history", "why"), tmp_path / "w"
    ):
        after = (folder / LOG).read_bytes()
        assert after.startswith(before)
        assert len(read_log(folder / LOG)) == 1 + (after != before)
        assert {**seen(folder), LOG: b""} == {**seen(signed), LOG: b""}
    assert after != before


def test_a_re_run_is_laid_in_whole_or_not_at_all_and_nothing_of_another_attempt_comes_with_it(
    signed: Path, tmp_path: Path
) -> None:
    laid = Path("confirmations", "red-history")
    files = {
        path.relative_to(signed / laid / "check-1").as_posix(): path.read_bytes()
        for path in (signed / laid / "check-1").rglob("*")
        if path.is_file()
    }
    begun = shutil.copytree(signed, tmp_path / "begun")
    shutil.rmtree(begun / laid / "check-1")
    left = begun / laid / ".check-1.partial"
    left.mkdir()
    (left / "stray").write_bytes(b"of another attempt")
    there: list[bool] = []
    for folder in power_cuts(begun, lambda each: write_folder(each / laid / "check-1", files.items()), tmp_path / "w"):
        found = check_board(folder)
        there.append((folder / laid / "check-1").exists())
        assert (found.faults, found.confirmations) == ((), int(there[-1]))
        assert not there[-1] or seen(folder) == seen(signed)
    assert (there[0], there[-1]) == (False, True)
