"""Files that outlive a power cut at any moment: whole, as before, or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from protocol.durable import (
    PRIVATE,
    make_folder,
    new_file,
    partial_of,
    remove_file,
    replace_file,
    sync_folder,
    write_folder,
)
from protocol.locking import alone
from tests.powercuts import power_cuts, seen

OLD, NEW = b"old" * 100, b"new" * 200


@pytest.fixture
def begin(tmp_path: Path) -> Path:
    folder = tmp_path / "begin"
    folder.mkdir()
    (folder / "kept").write_bytes(b"kept")
    return folder


def test_RN_03_a_replaced_file_is_the_old_or_the_new_one_at_every_power_cut(begin: Path, tmp_path: Path) -> None:
    (begin / "file").write_bytes(OLD)
    found = []
    for folder in power_cuts(begin, lambda folder: replace_file(folder / "file", NEW), tmp_path / "work"):
        states = seen(folder)
        assert states.keys() == {"kept", "file"}
        assert states["file"] in (OLD, NEW)
        found.append(states["file"])
        replace_file(folder / "file", NEW)
        assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []
    assert (found[0], found[-1]) == (OLD, NEW)


def test_RN_03_a_new_file_is_there_whole_or_not_at_all_and_never_readable_by_others(
    begin: Path, tmp_path: Path
) -> None:
    def act(folder: Path) -> None:
        new_file(folder / "a" / "b" / "key", NEW, mode=PRIVATE)

    found = []
    for folder in power_cuts(begin, act, tmp_path / "work"):
        content = seen(folder).get("a/b/key")
        assert content in (None, NEW)
        found.append(content)
        for path in folder.glob("a/b/*"):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
        for path in folder.glob("a/b/.*"):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
        if content is None:
            act(folder)
            assert seen(folder)["a/b/key"] == NEW
            assert [path.name for path in (folder / "a" / "b").iterdir()] == ["key"]
    assert (found[0], found[-1]) == (None, NEW)


def test_RN_03_a_folder_is_there_whole_or_not_at_all(begin: Path, tmp_path: Path) -> None:
    files = {"one": OLD, "deep/two": NEW, "deep/three": b""}

    def act(folder: Path) -> None:
        write_folder(folder / "above" / "made", files.items())

    found = []
    whole = {f"above/made/{name}": content for name, content in files.items()} | {"kept": b"kept"}
    for folder in power_cuts(begin, act, tmp_path / "work"):
        states = seen(folder)
        assert states in ({"kept": b"kept"}, whole)
        found.append(states)
        if states != whole:
            for left in folder.glob("above/.*"):
                (left / "stray").write_bytes(b"of another attempt")
            act(folder)
            assert seen(folder) == whole
    assert found[-1] == whole


def test_a_removed_file_does_not_come_back(begin: Path, tmp_path: Path) -> None:
    cuts = power_cuts(begin, lambda folder: remove_file(folder / "kept"), tmp_path / "work")
    found = [seen(folder) for folder in cuts]
    assert all(states in ({"kept": b"kept"}, {}) for states in found)
    assert found[-1] == {}


def test_what_is_there_is_never_overwritten_by_something_new(begin: Path) -> None:
    with pytest.raises(FileExistsError):
        new_file(begin / "kept", NEW)
    (begin / "made").mkdir()
    with pytest.raises(FileExistsError):
        write_folder(begin / "made", {"one": NEW}.items())
    assert seen(begin) == {"kept": b"kept"}
    assert sorted(path.name for path in begin.iterdir()) == ["kept", "made"]


def test_a_file_that_appears_in_between_stays_as_it_is(begin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.link

    def late(source: Path, target: Path) -> None:
        Path(target).write_bytes(b"theirs")
        real(source, target)

    monkeypatch.setattr(os, "link", late)
    with pytest.raises(FileExistsError):
        new_file(begin / "key", NEW)
    assert seen(begin) == {"kept": b"kept", "key": b"theirs"}
    assert not partial_of(begin / "key").exists()


def test_a_file_system_without_second_names_takes_new_files_too(begin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(source: Path, target: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    new_file(begin / "key", NEW, mode=PRIVATE)
    assert seen(begin)["key"] == NEW
    with pytest.raises(FileExistsError):
        new_file(begin / "key", OLD)
    assert seen(begin)["key"] == NEW


@pytest.mark.parametrize("kind", ["file", "link"])
def test_what_lies_under_the_partial_name_is_neither_read_nor_followed(begin: Path, kind: str) -> None:
    partial = partial_of(begin / "file")
    if kind == "file":
        partial.write_bytes(b"hostile")
    else:
        partial.symlink_to(begin / "kept")
    replace_file(begin / "file", NEW)
    assert seen(begin) == {"kept": b"kept", "file": NEW}
    assert not (begin / "file").is_symlink()


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_a_disk_that_refuses_leaves_the_old_file_and_nothing_beside_it(
    begin: Path, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (begin / "file").write_bytes(OLD)
    with monkeypatch.context() as patch:
        patch.setattr(os, call, refused)
        with pytest.raises(OSError, match="No space left"):
            replace_file(begin / "file", NEW)
    assert {path.name: path.read_bytes() for path in begin.iterdir()} == {"kept": b"kept", "file": OLD}


def test_a_folder_that_its_file_system_does_not_sync_is_no_error_and_a_broken_disk_is_one(
    begin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, raises in ((22, False), (9, False), (5, True), (28, True)):

        def refused(_: int, number: int = number) -> None:
            raise OSError(number, "refused")

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", refused)
            if raises:
                with pytest.raises(OSError, match="refused"):
                    sync_folder(begin)
            else:
                sync_folder(begin)


def test_a_folder_is_made_where_there_is_one_and_where_there_is_none(tmp_path: Path) -> None:
    for _ in range(2):
        make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()


def test_one_process_at_a_time_changes_a_folder(tmp_path: Path) -> None:
    with alone(tmp_path), pytest.raises(ValueError, match="another process"), alone(tmp_path):
        pass
    with alone(tmp_path):
        pass
    with pytest.raises(ValueError, match="expected a folder, found none"), alone(tmp_path / "none"):
        pass
