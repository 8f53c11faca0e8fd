"""Standard output and standard error as every command finds them."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Lasting(io.FileIO):
    """A descriptor that takes everything, also when nobody reads it any more or its disk is full.

    A run must not end because its progress cannot be shown.
    """

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def prepare_streams() -> None:
    """Escape what an output cannot encode, and let standard error outlast its reader."""
    if isinstance(sys.stderr, io.TextIOWrapper):
        raw = getattr(sys.stderr.buffer, "raw", sys.stderr.buffer)
        if type(raw) is io.FileIO:
            lasting = _Lasting(raw.fileno(), "wb", closefd=False)
            sys.stderr = io.TextIOWrapper(
                io.BufferedWriter(lasting), encoding=sys.stderr.encoding, line_buffering=True, write_through=True
            )
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
