"""Standard output and standard error as every command finds them."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

from s3gym.output import COULD_NOT, READER_GONE

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


class _Output(io.FileIO):
    """A descriptor that ends the program where it takes no more, by an exit code that says so.

    An `OSError` would not do: Typer and Rich turn a broken pipe into exit code 1, which is a refusal, and whoever
    writes files would take it for one of theirs. What comes afterwards, as what a buffer still holds, is let go.
    """

    _ended = False

    def write(self, data: ReadableBuffer, /) -> int:
        if self._ended:
            return memoryview(data).nbytes
        try:
            return super().write(data)
        except BrokenPipeError:
            self._ended = True
            raise SystemExit(READER_GONE) from None
        except OSError as error:
            self._ended = True
            sys.stderr.write(f"error: standard output: {error}\n")
            raise SystemExit(COULD_NOT) from None


def prepare_streams() -> None:
    """Escape what an output cannot encode, let standard error outlast its reader, and end with standard output.

    A standard descriptor that was closed is taken up by one that gives and takes nothing, lest a file be opened in its
    place and hold what is printed.
    """
    while (spare := os.open(os.devnull, os.O_RDONLY)) <= 2:
        pass
    os.close(spare)
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)))
    sys.stdout = _over(sys.stdout, _Output, 1)
    sys.stderr = _over(sys.stderr, _Lasting, 2)


def _over(stream: TextIO | None, kind: type[_Lasting | _Output], descriptor: int) -> TextIO:
    """Return a stream as the one that stands there, over a descriptor of a kind; what is no plain one stays."""
    encoding, at_once = None, True
    if stream is not None:
        if not isinstance(stream, io.TextIOWrapper):
            return stream
        stream.reconfigure(errors="backslashreplace")
        if type(getattr(stream.buffer, "raw", stream.buffer)) is not io.FileIO:
            return stream
        encoding, at_once = stream.encoding, stream.line_buffering or stream.write_through
    buffer = io.BufferedWriter(kind(descriptor, "wb", closefd=False))
    return io.TextIOWrapper(buffer, encoding=encoding, errors="backslashreplace", line_buffering=at_once)
