"""One process at a time; the system frees the lock when the process dies, however it dies."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt

    def lock_file(file: IO[bytes]) -> bool:
        """Lock an open file without waiting; return whether it was free."""
        position = file.tell()
        try:
            file.seek(1 << 30)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            file.seek(position)
        return True

    @contextmanager
    def alone(folder: Path) -> Iterator[None]:
        """Check that there is a folder; this system locks none.

        Raises:
            ValueError: If there is none.
        """
        if not folder.is_dir():
            raise ValueError(f"{folder}: expected a folder, found none")
        yield

else:
    import fcntl
    import os

    def lock_file(file: IO[bytes]) -> bool:
        """Lock an open file without waiting; return whether it was free."""
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    @contextmanager
    def alone(folder: Path) -> Iterator[None]:
        """Be the only process that changes a folder, as far as all of them ask and its file system can lock one.

        Raises:
            ValueError: If there is none, or another process holds it.
        """
        if not folder.is_dir():
            raise ValueError(f"{folder}: expected a folder, found none")
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise ValueError(
                    f"{folder}: expected to be alone, but another process is changing it; run the same command again"
                ) from error
            except OSError:
                # Some network file systems lock no folder; there nothing but the habit of one person at a time remains.
                pass
            yield
        finally:
            os.close(descriptor)
