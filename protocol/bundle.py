"""A bundle as a folder: written whole, read once, byte by byte as it stands."""

from __future__ import annotations

import gzip
import hashlib
import itertools
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Final, Literal, NamedTuple, cast

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import BaseModel, ConfigDict, Field
from zlib_ng import zlib_ng

from protocol.durable import write_folder
from protocol.errors import BundleError
from protocol.record import Record
from protocol.records import Content, CostRecord, Digest, EpisodeRecord, Manifest, MemoryRecord
from protocol.secrets import findings
from protocol.signing import sign
from protocol.strictjson import Several, write_record

ENVELOPE = "bundle.dsse.json"
README = "README.md"
STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE: Final = "urn:s3gym:bundle:v1"
KINDS = ("episodes", "memory", "costs")

MAX_FILES = 64
MAX_ENVELOPE = 4 << 20
MAX_README = 1 << 20
MAX_FILE = 100 << 20
"""Bytes of one compressed file; code hosts refuse larger ones."""
WARN_FILE = 50 << 20
WARN_TEXTS = 10
"""Texts that look private and are told of one by one when a bundle is written."""
MAX_CONTENT = 1 << 30
"""Bytes of one file, decompressed."""
MAX_RATIO = 1000
MAX_RATIO_FROM = 32 << 20
"""Decompressed bytes from which a higher compression ratio is taken for a bomb: a run whose every reply says one word
over and over stays below it."""
MAX_LINE = 96 << 20
"""Bytes of a line: an episode of as many steps as any, each with the longest reply, fits."""
MAX_LINES = 1_000_000
"""Lines of one record file."""
MAX_BUNDLE = 1 << 30
"""Bytes of all files together, compressed."""
_READING = os.O_RDONLY | sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_BINARY", "O_NONBLOCK"))
"""Without following a link, and without waiting for whoever writes to a pipe."""
_CHUNK = 1 << 18
_PIECE = 1 << 17
_INFLATE_ERROR = cast("type[Exception]", zlib_ng.error)
"""The inflater's type stubs take its exception for a value."""


class SubjectDigest(Record):
    """The digest of a subject."""

    sha256: Digest


class Subject(Record):
    """One file of the bundle."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    digest: SubjectDigest


class Statement(Record):
    """An in-toto Statement v1 over every other file of the bundle."""

    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", allow_inf_nan=False, validate_by_name=True, validate_by_alias=True
    )

    statement_type: Annotated[Literal["https://in-toto.io/Statement/v1"], Field(alias="_type")]
    subject: Several[Subject]
    predicateType: Literal["urn:s3gym:bundle:v1"]  # noqa: N815  # the field's name in in-toto
    predicate: Manifest


class RunFiles(NamedTuple):
    """The records of one game's run."""

    game: str
    episodes: Sequence[EpisodeRecord]
    memories: Sequence[MemoryRecord]
    """Empty outside the summary pathway: then there is no memory file."""
    costs: Sequence[CostRecord]


def sha256(data: bytes) -> str:
    """Return the SHA-256 as hex."""
    return hashlib.sha256(data).hexdigest()


def file_name(kind: str, game: str) -> str:
    """Return the path of a record file, relative to the bundle."""
    return f"{kind}/{game}.jsonl.gz"


def _encode(records: Sequence[BaseModel]) -> bytes:
    return b"".join(write_record(record) + b"\n" for record in records)


def write_bundle(
    folder: Path, manifest: Manifest, runs: Sequence[RunFiles], key: Ed25519PrivateKey, readme: str | None = None
) -> tuple[str, ...]:
    """Write and sign a bundle; it appears whole or not at all.

    Args:
        folder: Where to; it must not exist.
        manifest: The manifest; its ``contents`` are filled in here.
        runs: One run a game.
        key: The team's private key.
        readme: Optional words of the team.

    Returns:
        Warnings: texts that look like secrets, and files that are too large for common hosts.

    Raises:
        FileExistsError: If the folder exists.
        OSError: If the disk does not take it; then nothing of it is left.
    """
    if folder.exists():
        raise FileExistsError(f"{folder}: expected a new folder, found one; move it away or choose another")
    private = _private_texts(manifest, runs, readme)
    contents: dict[str, bytes] = {}
    for run in runs:
        contents[file_name("episodes", run.game)] = _encode(run.episodes)
        if run.memories:
            contents[file_name("memory", run.game)] = _encode(run.memories)
        contents[file_name("costs", run.game)] = _encode(run.costs)
    files = {name: gzip.compress(data, mtime=0) for name, data in contents.items()}
    if readme is not None:
        files[README] = readme.encode()
    digests = [Content(name=name.removesuffix(".gz"), sha256=sha256(data)) for name, data in sorted(contents.items())]
    files[ENVELOPE] = sign_statement(manifest.model_copy(update={"contents": tuple(digests)}), files, key)
    write_folder(folder, files.items())
    large = tuple(
        f"{name}: {len(data) >> 20} MB; many code hosts warn from 50 MB and refuse 100 MB"
        for name, data in files.items()
        if len(data) > WARN_FILE
    )
    return private + large


def _private_texts(manifest: Manifest, runs: Sequence[RunFiles], readme: str | None) -> tuple[str, ...]:
    """Return a warning for each of the first texts that look private, in what is about to be signed."""
    texts = itertools.chain(
        [("manifest", manifest.model_dump_json()), (README, readme or "")],
        ((f"{run.game}, a reply", step.reply) for run in runs for each in run.episodes for step in each.steps),
        ((f"{run.game}, memory {each.index}", each.reply or "") for run in runs for each in run.memories),
        ((f"{run.game}, costs", each.model_dump_json()) for run in runs for each in run.costs),
    )
    found = (f"{place}: looks like {each.kind}: {each.shown}" for place, text in texts for each in findings(text))
    told = list(itertools.islice(found, WARN_TEXTS + 1))
    return (*told[:WARN_TEXTS], *(["further texts look private too"] if len(told) > WARN_TEXTS else []))


def sign_statement(manifest: Manifest, files: Mapping[str, bytes], key: Ed25519PrivateKey) -> bytes:
    """Return the envelope over a manifest and the given files (the envelope itself left out)."""
    statement = Statement(
        statement_type=STATEMENT_TYPE,
        subject=tuple(
            Subject(name=name, digest=SubjectDigest(sha256=sha256(data)))
            for name, data in sorted(files.items())
            if name != ENVELOPE
        ),
        predicateType=PREDICATE_TYPE,
        predicate=manifest,
    )
    return sign(statement.model_dump_json(by_alias=True).encode(), key)


def list_files(folder: Path) -> dict[str, int]:
    """Return every file below a folder with its size in bytes, without opening or following anything.

    Raises:
        BundleError: On links, devices and other non-regular files, on too many files or folders, and on empty folders.
    """
    sizes: dict[str, int] = {}
    folders: set[str] = set()
    for seen, path in enumerate(_walk(folder, folder), 1):
        if seen > MAX_FILES:
            raise BundleError(
                ".", f"at most {MAX_FILES} files and folders", "more", "Remove what does not belong to the bundle."
            )
        info = path.lstat()
        name = path.relative_to(folder).as_posix()
        if stat.S_ISDIR(info.st_mode):
            folders.add(name)
            continue
        if not stat.S_ISREG(info.st_mode) or info.st_nlink > 1:
            kind = "a link" if stat.S_ISLNK(info.st_mode) or info.st_nlink > 1 else "a special file"
            raise BundleError(ascii(name), "a regular file", kind, "Put the file itself into the bundle.")
        sizes[name] = info.st_size
    for empty in sorted(folders - {parent.as_posix() for name in sizes for parent in PurePosixPath(name).parents}):
        raise BundleError(ascii(empty), "no empty folder", "one", "Remove it.")
    return dict(sorted(sizes.items()))


def _walk(folder: Path, top: Path) -> Iterator[Path]:
    """Yield every file and folder below a folder, two levels deep at most."""
    if len(folder.relative_to(top).parts) > 2:
        name = ascii(folder.relative_to(top).as_posix())
        raise BundleError(name, "at most two levels of folders", "more", "Remove it.")
    with os.scandir(folder) as entries:
        for entry in entries:
            yield Path(entry.path)
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(Path(entry.path), top)


def read_file(folder: Path, name: str, limit: int) -> bytes:
    """Return a file's bytes; at most ``limit`` of them are ever read.

    Raises:
        BundleError: If it is missing, no regular file, or larger.
    """
    try:
        descriptor = os.open(folder / name, _READING)
    except OSError as error:
        reason = error.strerror or "an error"
        raise BundleError(name, "a readable file", reason, "Lay the whole bundle again.") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise BundleError(name, "a regular file", "something else", "Put the file itself there.")
    with os.fdopen(descriptor, "rb") as file:
        size = os.fstat(descriptor).st_size
        data = b"" if size > limit else file.read(size + 1)
    if size > limit:
        raise BundleError(name, f"at most {limit} bytes", str(size), "Split the entry or shorten the replies.")
    if len(data) != size:
        raise BundleError(name, f"a file of {size} bytes", "one that changes", "Check it when nobody writes to it.")
    return data


def content_chunks(data: bytes, file: str) -> Iterator[bytes]:
    """Yield the content of exactly one gzip member in pieces, within the limits on size and ratio.

    Raises:
        BundleError: If it is cut, damaged, followed by anything, too large or a bomb.
    """
    remedy = "Copy the file again from where the runner wrote it."
    inflater = zlib_ng.decompressobj(wbits=31)
    size = fed = 0
    rest = b""
    try:
        while not inflater.eof:
            if not rest:
                # By the piece: what an inflater leaves of its input it copies, each time.
                rest = data[fed : fed + _PIECE]
                fed += len(rest)
            part = inflater.decompress(rest, _CHUNK)
            rest = inflater.unconsumed_tail
            if not part and not rest and fed == len(data) and not inflater.eof:
                raise BundleError(file, "a whole gzip file", "one that is cut", remedy)
            size += len(part)
            if size > MAX_CONTENT or (size > MAX_RATIO_FROM and size > MAX_RATIO * len(data)):
                raise BundleError(
                    file,
                    f"at most {MAX_CONTENT} bytes of content and a ratio of {MAX_RATIO}",
                    "more",
                    "Shorten the replies.",
                )
            if part:
                yield part
    except _INFLATE_ERROR as error:
        raise BundleError(file, "a whole gzip file", f"a damaged one ({error})", remedy) from error
    after = len(inflater.unused_data) + len(data) - fed
    if after:
        raise BundleError(file, "exactly one gzip member", f"{after} bytes after it", remedy)


def content_lines(data: bytes, file: str) -> Iterator[bytes]:
    """Yield the lines of a compressed record file one by one, as ``lines_of`` does.

    Raises:
        BundleError: If the content cannot be read, or by ``lines_of``.
    """
    return lines_of(content_chunks(data, file), file)


def lines_of(chunks: Iterable[bytes], file: str) -> Iterator[bytes]:
    """Yield the lines of a content that comes in chunks; only a newline ends a line.

    Raises:
        BundleError: If the last line is not ended, a line is empty or too long, or there are too many.
    """
    return itertools.chain.from_iterable(line_groups(chunks, file))


def line_groups(chunks: Iterable[bytes], file: str) -> Iterator[Sequence[bytes]]:
    """Yield the lines of a content that comes in chunks: together what ends in one chunk.

    No more than one line and one piece of the content is held at a time, and the lines that end in that piece.

    Raises:
        BundleError: As by ``lines_of``, after the lines before the fault.
    """
    number = 0
    started: list[bytes] = []
    held = 0
    for chunk in chunks:
        first, *ended = chunk.split(b"\n")
        started.append(first)
        held += len(first)
        if ended:
            rest = ended.pop()
            ended.insert(0, b"".join(started))
            yield from _bound_group(ended, number, file)
            number += len(ended)
            started, held = [rest], len(rest)
        _bound_line(held, number + 1, file)
    if held:
        raise BundleError(file, "a newline at the end", "none", "The file was cut; write the bundle again.")


def _bound_group(lines: Sequence[bytes], before: int, file: str) -> Iterator[Sequence[bytes]]:
    """Yield lines as far as they are within the limits, all at once; so many stand before them."""
    if all(lines) and before + len(lines) <= MAX_LINES and max(map(len, lines)) <= MAX_LINE:
        yield lines
        return
    for at, line in enumerate(lines):
        number = before + at + 1
        try:
            if not line or number > MAX_LINES:
                expected = f"at most {MAX_LINES} lines, none of them empty"
                got = "more" if line else "an empty one"
                remedy = "Write the bundle again with this project's runner."
                raise BundleError(file, expected, got, remedy, place=f"line {number}")
            _bound_line(len(line), number, file)
        except BundleError:
            if at:
                yield lines[:at]
            raise


def _bound_line(size: int, number: int, file: str) -> None:
    if size > MAX_LINE:
        raise BundleError(
            file, f"at most {MAX_LINE} bytes a line", "more", "Shorten the replies.", place=f"line {number}"
        )
