"""Protocols of one's own: what a file or a board's folder may hold, and that none passes for a released one."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import BundleError
from protocol.own import MAX_OWN, PROTOCOLS, protocols
from protocol.preset import Preset, is_released, preset_file, preset_named
from protocol.rounds import preset_toml

TINY = preset_named("smoke-1").model_copy(update={"id": "tiny-1", "title": "Tiny", "round": "tiny-1", "max_steps": 2})


def lay(folder: Path, preset: Preset, name: str | None = None) -> Path:
    """Lay the file of a protocol into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (name or f"{preset.id}.toml")
    path.write_text(preset_toml(preset), encoding="utf-8")
    return path


def test_own_protocols_are_found_beside_the_released_ones(tmp_path: Path) -> None:
    found = protocols([lay(tmp_path, TINY)])
    assert found("tiny-1") == TINY
    assert found("smoke-1") == preset_named("smoke-1")
    assert not is_released(TINY)
    with pytest.raises(ValueError, match=r"smoke-1, tiny-1, got 'tiny-2'"):
        found("tiny-2")


def test_a_board_holds_its_protocols_in_a_folder(tmp_path: Path) -> None:
    lay(tmp_path / PROTOCOLS, TINY)
    (tmp_path / PROTOCOLS / "README.md").write_text("ours", encoding="utf-8")
    assert protocols(None, tmp_path)("tiny-1") == TINY
    assert protocols(None, tmp_path / "elsewhere").own == {}


@pytest.mark.parametrize("changed", [{"max_steps": 3}, {"title": "Another"}, {"temperature": 1.0}])
def test_no_file_puts_another_protocol_under_a_released_id(tmp_path: Path, changed: dict[str, object]) -> None:
    released = preset_named("smoke-1")
    assert preset_file(lay(tmp_path, released)) == released
    other = lay(tmp_path, released.model_copy(update=changed))
    assert not is_released(released.model_copy(update=changed))
    with pytest.raises(ValueError, match="a released preset never changes"):
        preset_file(other)


def test_one_id_stands_for_one_protocol(tmp_path: Path) -> None:
    one, same = lay(tmp_path, TINY), lay(tmp_path, TINY, "copy.toml")
    assert protocols([one, same])("tiny-1") == TINY
    other = lay(tmp_path, TINY.model_copy(update={"max_steps": 3}), "other.toml")
    with pytest.raises(ValueError, match=r"other.toml: expected another id than 'tiny-1'"):
        protocols([one, other])
    lay(tmp_path / PROTOCOLS, TINY)
    with pytest.raises(ValueError, match="one id stands for one protocol"):
        protocols([other], tmp_path)


def test_a_board_has_no_two_files_of_one_id(tmp_path: Path) -> None:
    lay(tmp_path / PROTOCOLS, TINY)
    lay(tmp_path / PROTOCOLS, TINY, "tiny-copy.toml")
    with pytest.raises(BundleError, match=r"expected the file name tiny-1\.toml"):
        protocols(None, tmp_path)


def test_nothing_behind_a_link_is_a_boards_protocol(tmp_path: Path) -> None:
    real = lay(tmp_path, TINY)
    (tmp_path / PROTOCOLS).mkdir()
    (tmp_path / PROTOCOLS / "tiny-1.toml").symlink_to(real)
    with pytest.raises(BundleError, match="expected a plain file"):
        protocols(None, tmp_path)
    board = tmp_path / "board"
    board.mkdir()
    (board / PROTOCOLS).symlink_to(tmp_path)
    with pytest.raises(BundleError, match="expected a folder"):
        protocols(None, board)


def test_a_huge_file_is_not_read_and_a_full_folder_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / PROTOCOLS
    path = lay(folder, TINY)
    with path.open("ab") as file:
        file.truncate(1 << 40)
    with pytest.raises(ValueError, match="expected at most 65536 characters"):
        protocols(None, tmp_path)
    for place in range(MAX_OWN):
        (folder / f"p{place}.toml").touch()
    with pytest.raises(BundleError, match=f"expected at most {MAX_OWN} protocol files"):
        protocols(None, tmp_path)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"id = 1", b"a = [[[[", b"id = 'tiny-1'\nid = 'tiny-1'"])
def test_what_is_no_protocol_names_its_file(tmp_path: Path, content: bytes) -> None:
    (tmp_path / PROTOCOLS).mkdir()
    (tmp_path / PROTOCOLS / "tiny-1.toml").write_bytes(content)
    with pytest.raises(ValueError, match=r"tiny-1\.toml"):
        protocols(None, tmp_path)


def test_a_released_protocol_needs_no_file() -> None:
    with pytest.raises(ValueError, match="smoke-1 ships with this release and needs no file"):
        preset_file(Path("smoke-1"))
