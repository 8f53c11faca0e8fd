"""Disks that fill up: the n-th change below a folder is refused, a write after half of it."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NoReturn

import pytest


class Disk:
    """Counts the changes below a folder (folders, files, writes, syncs, renames) and refuses one of them.

    Once it has refused, it refuses everything until it is emptied.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.fails_at = 0
        self.changes = 0

    def empty(self, fails_at: int = 0) -> None:
        """Make room: the change of that number, from 1, is the first to be refused; 0 for none."""
        self.changes, self.fails_at = 0, fails_at

    @property
    def full(self) -> bool:
        """Return whether a change was refused."""
        return 0 < self.fails_at <= self.changes

    def change(self, path: object) -> bool:
        """Count a change; return whether it is refused."""
        if not str(path).startswith(str(self.folder)):
            return False
        self.changes += 1
        return self.full

    def refuse(self, path: object) -> NoReturn:
        """Say what a system says."""
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


class _File(io.FileIO):
    disk: Disk

    def write(self, data: object, /) -> int:
        whole = bytes(memoryview(data))  # type: ignore[arg-type]  # whatever a file takes
        if self.disk.change(self.name):
            super().write(whole[: len(whole) // 2])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(whole)


class _Handles:
    """What the system offers for files without ``open``."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._open, self._write, self._close = os.open, os.write, os.close
        self._held: set[int] = set()

    def open(self, path: Path, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        new = bool(flags & os.O_CREAT) and Path(path).is_relative_to(self._disk.folder)
        if new and self._disk.change(path):
            self._disk.refuse(path)
        handle = self._open(path, flags, mode, dir_fd=dir_fd)
        if new:
            self._held.add(handle)
        return handle

    def write(self, handle: int, data: memoryview) -> int:
        if handle in self._held and self._disk.change(self._disk.folder):
            self._write(handle, data[: len(data) // 2])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self._write(handle, data)

    def close(self, handle: int) -> None:
        self._held.discard(handle)
        self._close(handle)


@contextmanager
def limited(folder: Path) -> Iterator[Disk]:
    """Put everything that is written below a folder on a disk that can be full."""
    disk = Disk(folder)

    class File(_File):
        pass

    File.disk = disk
    sync, rename, mkdir = os.fsync, Path.rename, Path.mkdir
    plain_open, handles = Path.open, _Handles(disk)

    def opened(
        path: Path,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
    ) -> IO[bytes] | IO[str]:
        if not {"w", "a"} & set(mode) or not path.is_relative_to(folder):
            return plain_open(path, mode, buffering, encoding, errors, newline)
        if not path.exists() and disk.change(path):
            disk.refuse(path)
        raw = File(path, mode.replace("b", ""))
        return raw if buffering == 0 else io.BufferedWriter(raw)

    def synced(descriptor: int) -> None:
        if disk.change(folder):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(descriptor)

    def renamed(path: Path, target: Path) -> Path:
        if disk.change(path):
            disk.refuse(path)
        return rename(path, target)

    def made(path: Path, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        if not path.exists() and disk.change(path):
            disk.refuse(path)
        mkdir(path, mode, parents, exist_ok)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", synced)
        patch.setattr(os, "open", handles.open)
        patch.setattr(os, "write", handles.write)
        patch.setattr(os, "close", handles.close)
        patch.setattr(Path, "open", opened)
        patch.setattr(Path, "rename", renamed)
        patch.setattr(Path, "mkdir", made)
        yield disk
