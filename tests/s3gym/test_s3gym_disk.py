"""A full disk as a user meets it."""

from __future__ import annotations

from pathlib import Path

from tests.runner.disks import limited
from tests.runner.scripted import uncompressed
from tests.s3gym.face import Face, play_greedy, refused

RUN = ["run", "--model", "builtin:greedy", "--game", "trust", "--key", "keys/red.key", "--entry"]


def test_RN_03_a_full_disk_is_an_error_with_exit_2_and_the_same_command_goes_on(face: Face) -> None:
    expected = uncompressed(play_greedy(face))
    folder = Path("runs/full")
    with limited(folder) as disk:
        for fails_at in (1, 2, 3, 4, 49, 50):
            disk.empty(fails_at)
            refused(face(*RUN, "full"), 2, "runs/full", "No space left on device", "Make room", "same command")
            assert not (folder / "bundle").exists()
        disk.empty()
        again = face(*RUN, "full")
    assert again.exit_code == 0, again.output
    assert uncompressed(folder / "bundle") == expected


def test_a_disk_that_fills_up_under_the_bundle_keeps_every_reply(face: Face) -> None:
    expected = uncompressed(play_greedy(face))
    with limited(Path("runs/whole")) as disk:
        assert face(*RUN, "whole").exit_code == 0
        last = disk.changes
    folder = Path("runs/full")
    with limited(folder) as disk:
        disk.empty(last - 1)  # the bundle is put in its place, then the folder is synced
        refused(face(*RUN, "full"), 2, "runs/full/bundle: expected to write there", "No space left on device")
        disk.empty()
        again = face(*RUN, "full")
    assert again.exit_code == 0, again.output
    assert uncompressed(folder / "bundle") == expected
