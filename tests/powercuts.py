"""Power cuts: before every call that changes a disk, with what was not synced kept, lost, or kept in another order."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

import pytest

Loss = Literal["kept", "lost", "reordered"]
LOSSES: tuple[Loss, ...] = ("kept", "lost", "reordered")
"""What a disk may do with names that were not synced: keep all, lose all, or lose all but the last."""


class PowerCutError(BaseException):
    """The machine is off: nothing that runs can catch it and tidy up."""


class _Change(NamedTuple):
    folder: Path
    undo: Callable[[], None]


class Power:
    """The changes below a folder, until the power goes before one of them."""

    def __init__(self, top: Path, cut_at: int = 0) -> None:
        self.calls = 0
        self._top, self._cut_at = top.resolve(), cut_at
        self._pending: list[_Change] = []
        self._handles: dict[int, Path] = {}
        self._synced = {self._told(path) for path in self._files()}

    def patches(self) -> dict[str, object]:
        """Return what takes the place of the system's own calls."""
        return {name: getattr(self, f"_{name}") for name in _REAL}

    def lose(self, loss: Loss) -> None:
        """Do to the folder what a disk does whose power went."""
        if loss == "kept":
            return
        for change in reversed(self._pending[: None if loss == "lost" else -1]):
            with contextlib.suppress(OSError):
                change.undo()
        for path in self._files():
            if self._told(path) not in self._synced:
                os.truncate(path, path.stat().st_size // 2)

    def _files(self) -> list[Path]:
        return [path for path in self._top.rglob("*") if path.is_file() and not path.is_symlink()]

    @staticmethod
    def _told(path: Path) -> tuple[int, int, int]:
        info = path.stat()
        return info.st_ino, info.st_size, info.st_mtime_ns

    def _place(self, path: os.PathLike[str] | str) -> Path | None:
        place = Path(path).parent.resolve() / Path(path).name
        return place if place.is_relative_to(self._top) else None

    def _tick(self) -> None:
        self.calls += 1
        if self.calls == self._cut_at:
            raise PowerCutError

    def _open(self, path: Path, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        place = self._place(path) if dir_fd is None else None
        if place is None:
            return _OPEN(path, flags, mode, dir_fd=dir_fd)
        makes = bool(flags & os.O_CREAT) and not place.exists()
        if makes:
            self._tick()
        handle = _OPEN(path, flags, mode)
        self._handles[handle] = place
        if makes:
            self._pending.append(_Change(place.parent, lambda: _REAL["unlink"](place)))
        return handle

    def _close(self, handle: int) -> None:
        self._handles.pop(handle, None)
        _REAL["close"](handle)

    def _write(self, handle: int, data: bytes) -> int:
        if handle not in self._handles:
            return _WRITE(handle, data)
        self._tick()
        # A system may take less than it is given: here it does so of the first write to each file.
        first = os.fstat(handle).st_size == 0
        return _WRITE(handle, data[: max(1, len(data) // 2)] if first else data)

    def _fsync(self, handle: int) -> None:
        place = self._handles.get(handle)
        if place is None:
            _REAL["fsync"](handle)
            return
        self._tick()
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            self._pending = [change for change in self._pending if change.folder != place]
        else:
            self._synced.add(self._told(place))

    def _rename(self, source: Path, target: Path) -> None:
        old, new = self._place(source), self._place(target)
        if old is None or new is None:
            _REAL["rename"](source, target)
            return
        self._tick()
        lost = new.read_bytes() if new.is_file() else None
        before = self._told(new) if lost is not None else None
        _REAL["rename"](source, target)

        def undo() -> None:
            _REAL["rename"](new, old)
            if lost is not None and before is not None:
                new.write_bytes(lost)
                self._synced.add(self._told(new))

        self._pending.append(_Change(new.parent, undo))

    _replace = _rename

    def _link(self, source: Path, target: Path) -> None:
        new = self._place(target)
        if new is None:
            _REAL["link"](source, target)
            return
        self._tick()
        _REAL["link"](source, target)
        self._pending.append(_Change(new.parent, lambda: _REAL["unlink"](new)))

    def _unlink(self, path: Path, *, dir_fd: int | None = None) -> None:
        place = self._place(path) if dir_fd is None else None
        if place is None or not (place.exists() or place.is_symlink()):
            _REAL["unlink"](path, dir_fd=dir_fd)
            return
        self._tick()
        content = place.read_bytes() if place.is_file() else b""
        _REAL["unlink"](path)

        def undo() -> None:
            place.write_bytes(content)
            self._synced.add(self._told(place))

        self._pending.append(_Change(place.parent, undo))

    def _mkdir(self, path: Path, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        place = self._place(path) if dir_fd is None else None
        if place is None or place.exists() or not place.parent.exists():
            _REAL["mkdir"](path, mode, dir_fd=dir_fd)
            return
        self._tick()
        _REAL["mkdir"](path, mode)
        self._pending.append(_Change(place.parent, lambda: shutil.rmtree(place)))


_OPEN, _WRITE = os.open, os.write
_REAL = {
    name: getattr(os, name)
    for name in ("open", "close", "write", "fsync", "rename", "replace", "link", "unlink", "mkdir")
}


@contextmanager
def power(top: Path, cut_at: int = 0) -> Iterator[Power]:
    """Watch a folder, and cut the power before the change of that number, from 1; 0 for never."""
    watched = Power(top, cut_at)
    with pytest.MonkeyPatch.context() as patch:
        for name, call in watched.patches().items():
            patch.setattr(os, name, call)
        yield watched


def power_cuts(begin: Path, act: Callable[[Path], object], work: Path) -> Iterator[Path]:
    """Yield a folder as each power cut leaves it, in every moment of an act and with every loss; then the whole one.

    Args:
        begin: The folder before.
        act: What is done to a copy of it.
        work: Where the copies go; each is removed when the next is asked for.
    """
    for cut_at, loss in ((number, loss) for number in itertools.count(1) for loss in LOSSES):
        folder = work / "cut"
        shutil.copytree(begin, folder)
        with power(folder, cut_at) as watched:
            try:
                act(folder)
            except PowerCutError:
                ended = False
            else:
                ended = True
        # What a command calls done is done: after its end there is nothing left to lose.
        watched.lose("lost" if ended else loss)
        yield folder
        shutil.rmtree(folder)
        if ended:
            assert cut_at > 1, "an act that changes nothing tells nothing"
            return


def seen(folder: Path) -> dict[str, bytes]:
    """Return the files that readers see below a folder; what begins with a dot is being written."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    }
