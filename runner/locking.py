"""One process at a time; the system frees the lock when the process dies, however it dies."""

from __future__ import annotations

import sys
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

else:
    import fcntl

    def lock_file(file: IO[bytes]) -> bool:
        """Lock an open file without waiting; return whether it was free."""
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
