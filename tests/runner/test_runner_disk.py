"""A disk that fills up at any moment: what was kept stays, what to do is said, and nothing is played twice."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from protocol.context import Pathway
from protocol.messages import messages_digest
from runner.entry import play_entry
from runner.errors import StorageError
from runner.journal import JOURNAL, Journal
from runner.models.model import Model
from runner.retry import Asker
from runner.together import Seats
from tests.bundles import KEY, Unwatched, plan
from tests.runner.audit import check_costs, read_books
from tests.runner.disks import limited
from tests.runner.scripted import Scripted, uncompressed
from tests.runner.test_runner_together import Dawdling


def finish(folder: Path, model: Model, pathway: Pathway = "summary", seats: int = 1) -> dict[str, bytes]:
    chosen = replace(plan(pathway), games=("trust",))
    playing = play_entry(chosen, model, folder, KEY, Unwatched(), Asker(), seats=Seats(seats))
    return uncompressed(asyncio.run(playing).bundle)


def settings(folder: Path) -> dict[str, str]:
    found = json.loads((folder / JOURNAL).read_bytes().split(b"\n")[0])["settings"]
    assert isinstance(found, dict)
    return found


def begun(folder: Path) -> bool:
    path = folder / JOURNAL
    return path.is_file() and b"\n" in path.read_bytes()


def test_RN_03_a_disk_that_is_full_at_any_write_leaves_what_was_kept_and_says_what_to_do(tmp_path: Path) -> None:
    """Each sitting is refused one change later than the one before, counted from the last outcome that was kept.

    So every outcome is lost once to a full disk, in the middle of its line, and is asked for once more; what was
    refused before it was sent is not sent.
    """
    whole = Scripted({})
    expected = finish(tmp_path / "whole", whole)
    folder = tmp_path / "run"
    asked: Counter[str] = Counter()
    known: dict[str, str | None] = {}
    fails_at, reached, places = 1, 0, set[str]()
    with limited(folder) as disk:
        while not (folder / "bundle").exists():
            disk.empty(fails_at)
            model = Scripted({})
            try:
                finish(folder, model)
            except StorageError as error:
                assert disk.full
                told = str(error)
                assert "No space left on device" in told
                assert "Make room there" in told
                assert "same command" in told
                places.add(told.split(": expected")[0])
                # A bundle whose name is all that was refused is there, whole.
                assert sorted(path.name for path in folder.glob("*")) in ([], [JOURNAL], ["bundle", JOURNAL])
            asked.update(map(messages_digest, model.requests))
            disk.empty()
            now = read_books(folder).outcomes
            assert known.items() <= now.items(), "what was kept stays"
            known = dict(now)
            further = len(now) + begun(folder)
            fails_at, reached = (1, further) if further > reached else (fails_at + 1, reached)
    assert places == {str(folder / JOURNAL), str(folder / "bundle")}
    assert uncompressed(folder / "bundle") == expected
    assert asked == Counter({messages_digest(request): 2 for request in whole.requests})
    check_costs(folder)


def test_RN_03_after_each_refused_change_the_journal_loads(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    finish(whole, Scripted({}))
    header = settings(whole)
    for fails_at in range(4, 24):
        folder = tmp_path / str(fails_at)
        with limited(folder) as disk:
            disk.empty(fails_at)
            with pytest.raises(StorageError):
                finish(folder, Scripted({}))
        with Journal.open(folder, header) as journal:
            assert [outcome.key for outcome in journal.outcomes] == list(read_books(folder).outcomes)


def test_RN_03_a_journal_is_begun_when_its_folders_know_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without that a power cut may take the whole file, with every reply that its lines had synced."""
    synced, real = list[int](), os.fsync

    def sync(handle: int) -> None:
        synced.append(os.fstat(handle).st_ino)
        real(handle)

    monkeypatch.setattr(os, "fsync", sync)
    run = tmp_path / "runs" / "e"
    with Journal.open(run, {"entry": "e"}):
        above, runs, journal, folder = synced
    places = (tmp_path, run.parent, run / JOURNAL, run)
    assert [above, runs, journal, folder] == [place.stat().st_ino for place in places]


def test_RN_03_with_many_episodes_at_once_no_line_follows_half_a_line(tmp_path: Path) -> None:
    expected = finish(tmp_path / "whole", Dawdling(), seats=4)
    draws, folder, refused = random.Random(7), tmp_path / "run", 0
    with limited(folder) as disk:
        while not (folder / "bundle").exists():
            disk.empty(draws.randrange(4, 40))
            try:
                finish(folder, Dawdling(), seats=4)
            except StorageError:
                refused += 1
            disk.empty()
            read_books(folder)
    assert refused > 5
    assert uncompressed(folder / "bundle") == expected
    check_costs(folder)


def test_after_a_refused_line_nothing_is_written_even_when_there_is_room_again(tmp_path: Path) -> None:
    with limited(tmp_path) as disk, Journal.open(tmp_path / "run", {"entry": "e"}) as journal:
        journal.asking("first", "0" * 64)
        disk.empty(fails_at=1)
        for key in ("second", "third"):
            with pytest.raises(StorageError, match="No space left"):
                journal.asking(key, "0" * 64)
            disk.empty()
    assert read_books(tmp_path / "run").asked == Counter(["first"])
    with Journal.open(tmp_path / "run", {"entry": "e"}) as journal:
        assert [journal.requests(key) for key in ("first", "second", "third")] == [1, 0, 0]


def test_what_a_full_disk_took_of_a_bundle_is_removed_and_another_fault_of_the_disk_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with pytest.MonkeyPatch.context() as patch:

        def broken(path: Path, target: Path) -> Path:
            assert (path / "bundle.dsse.json").is_file()
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

        patch.setattr(Path, "rename", broken)
        with pytest.raises(StorageError, match=r"bundle: expected to write there, got: Permission denied\..*again"):
            finish(folder, Scripted({}))
    assert [path.name for path in folder.iterdir()] == [JOURNAL]
    later = Scripted({})
    finish(folder, later)
    assert later.requests == []
