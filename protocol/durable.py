"""Files that outlive a crash and a power cut: each is there whole, or as it was before, or not at all.

What is written gets its own name when all of it is on the disk, and its folder is on the disk before anything follows
from it. Whatever this project keeps is written here; only a run's journal, which grows by lines, syncs them itself.
Where all that a disk refuses is the sync of a name, what was written is in its place, and the caller has the error.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from protocol.errors import BundleError

PRIVATE = 0o600
"""The mode of a file that its owner alone can read."""
_NO_FOLDERS = (errno.EBADF, errno.EINVAL, errno.ENOTSUP)
"""What systems say that do not sync folders."""


def partial_of(path: Path) -> Path:
    """Return the name under which a file or folder is written before it gets its own; readers pass it over."""
    return path.with_name(f".{path.name}.partial")


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the system does that; elsewhere it sees to it alone."""
    _sync(folder)


def sync_tree(folder: Path) -> None:
    """Bring a folder and all that is in it to the disk, whoever wrote it."""
    for path in (*folder.rglob("*"), folder, folder.parent):
        _sync(path)


def _sync(path: Path) -> None:
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_FOLDERS:
            raise
    finally:
        os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it, where there is none."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for each in reversed(missing):
        sync_folder(each.parent)


def replace_file(path: Path, content: bytes, *, mode: int = 0o666, partial: Path | None = None) -> None:
    """Put a file in its place, whether there is one or not.

    Args:
        path: The file; its folder must be there.
        content: All that it is to hold.
        mode: Who may do what with it, as far as the user's mask leaves it.
        partial: Its name before that, where several processes may write the same file at once.

    Raises:
        OSError: If the disk does not take it.
    """
    partial = partial or partial_of(path)
    try:
        _write(partial, content, mode)
        partial.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise
    sync_folder(path.parent)


def new_file(path: Path, content: bytes, *, mode: int = 0o666) -> None:
    """Put a file in its place where there is none.

    Args:
        path: The file.
        content: All that it is to hold.
        mode: Who may do what with it, as far as the user's mask leaves it; at no moment more.

    Raises:
        FileExistsError: If there is one; it stays as it is.
        OSError: If the disk does not take it.
    """
    if path.exists():
        raise FileExistsError(errno.EEXIST, "expected no such file, found one", str(path))
    make_folder(path.parent)
    partial = partial_of(path)
    try:
        _write(partial, content, mode)
        _name(partial, path)
    except OSError:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise
    sync_folder(path.parent)


def remove_file(path: Path) -> None:
    """Remove a file, for good."""
    path.unlink(missing_ok=True)
    sync_folder(path.parent)


def write_folder(folder: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Put a folder in its place where there is none.

    Args:
        folder: The folder.
        files: All that it is to hold, one after the other: their paths in it, and what is in them.

    Raises:
        FileExistsError: If there is one; it stays as it is.
        OSError: If the disk does not take it; then nothing of it is left, or all of it where only its name was refused.
    """
    if folder.exists():
        raise FileExistsError(errno.EEXIST, "expected no such folder, found one", str(folder))
    partial = partial_of(folder)
    try:
        _fill(partial, files)
        partial.rename(folder)
    except (OSError, ValueError, BundleError):
        # What a full disk did not take whole must not fill it further.
        shutil.rmtree(partial, ignore_errors=True)
        raise
    sync_folder(folder.parent)


def _fill(folder: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Make a folder hold these files alone, on the disk."""
    if folder.exists():
        shutil.rmtree(folder)
    make_folder(folder)
    inside = {folder}
    for name, content in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, content)
        inside |= {each for each in path.parents if each.is_relative_to(folder)}
    for each in sorted(inside):
        sync_folder(each)


def _write(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Write a new file, in the place of whatever a crash left under its name, and bring it to the disk."""
    path.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, mode)
    try:
        left = memoryview(content)
        while left:
            left = left[os.write(descriptor, left) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _name(partial: Path, path: Path) -> None:
    """Give a file its name if nothing has it: by a second one where the file system has those."""
    try:
        os.link(partial, path)
    except FileExistsError:
        raise
    except OSError:
        if path.exists():
            raise FileExistsError(errno.EEXIST, "expected no such file, found one", str(path)) from None
        partial.replace(path)
    else:
        partial.unlink()
