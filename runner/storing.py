"""What is told when the disk does not take what a run has to keep."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runner.errors import StorageError

_REMEDY = (
    "Every reply that was journaled before is kept. Make room there, or mend what is wrong with the disk, and run the "
    "same command again"
)


@contextmanager
def storing(place: Path) -> Iterator[None]:
    """Turn the system's refusals into an error that says where, why and what to do.

    Raises:
        StorageError: If the system refuses.
    """
    try:
        yield
    except FileExistsError:
        raise
    except OSError as error:
        raise StorageError(f"{place}: expected to write there, got: {error.strerror or error}. {_REMEDY}.") from error
