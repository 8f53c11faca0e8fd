"""The only place that writes: a folder of ours, whose stale files go and whose other files stay."""

from __future__ import annotations

import hashlib
import io
import json
import re
import tarfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from protocol.durable import make_folder, partial_of, remove_file, replace_file

MANIFEST = ".s3gym-site.json"
SCHEMA = "s3gym-site-1"
_PART = re.compile(r"[A-Za-z0-9._-]+", re.ASCII)

Content = Callable[[], bytes]
"""Read when written, so that large files are not held together in memory."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a build did to its folder."""

    files: int
    bytes: int
    changed: int
    removed: int


def write_tree(out: Path, files: Mapping[str, Content]) -> Written:
    """Make a folder hold exactly these files of ours.

    Files of an earlier build that are not among them are removed; no other file is touched. The list of files is
    written first, so that a build that breaks off leaves nothing behind that the next one does not know, and says until
    the end that it is not whole: pages of two builds do not agree.

    Raises:
        ValueError: If the folder is not empty and no earlier build made it, or a file to be written is in the way.
    """
    for name in files:
        _check_path(name)
    before = _earlier(out)
    foreign = [name for name in files if name not in before and (out / name).exists()]
    if foreign:
        raise ValueError(f"{out / foreign[0]}: expected no such file, since no build wrote it; move it away")
    for name in sorted({*files, *before}):
        _check_no_link(out, name)
    make_folder(out)
    _write_manifest(out, sorted({*files, *before}), whole=False)
    for name in {*files, *before}:
        partial_of(out / name).unlink(missing_ok=True)
    stale = sorted(before - files.keys())
    for name in stale:
        _remove(out, name)
    total = changed = 0
    for name in sorted(files):
        content = files[name]()
        total += len(content)
        changed += _write(out / name, content)
    _write_manifest(out, sorted(files), whole=True)
    return Written(len(files), total, changed, len(stale))


def _check_path(name: str) -> None:
    parts = name.split("/")
    if not all(_PART.fullmatch(part) and part not in (".", "..") for part in parts) or name == MANIFEST:
        raise ValueError(f"output: expected a plain relative path, got {name!r}")


def _check_no_link(out: Path, name: str) -> None:
    path = out
    for part in PurePosixPath(name).parts:
        path /= part
        if path.is_symlink():
            raise ValueError(f"{path}: expected no link inside the site's folder; remove it")


def _earlier(out: Path) -> set[str]:
    """Return the files of an earlier build."""
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise ValueError(f"{out}: expected a folder")
    if not out.exists() or not any(path != partial_of(out / MANIFEST) for path in out.iterdir()):
        return set()
    names, _ = _manifest(out)
    for name in names:
        _check_path(name)
    return set(names)


def is_whole(out: Path) -> bool:
    """Tell whether the last build of a site came to its end.

    Raises:
        ValueError: If no build made it.
    """
    _, whole = _manifest(out)
    return whole


def _manifest(out: Path) -> tuple[list[str], bool]:
    """Return the files of a build, and whether it came to its end."""
    manifest = out / MANIFEST
    if manifest.is_symlink() or not manifest.is_file():
        raise ValueError(f"{out}: expected an empty folder or an earlier build; this folder is neither, choose another")
    try:
        found: object = json.loads(manifest.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{manifest}: not a readable list of files; choose another folder") from error
    told = found if isinstance(found, dict) and found.get("schema_id") == SCHEMA else {}
    names = told.get("files")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{manifest}: not a list of files of this version; choose another folder")
    # A build of before this was written down left no word of it, and came to its end for all that is known.
    return names, told.get("whole") is not False


def _write_manifest(out: Path, names: list[str], *, whole: bool) -> None:
    told = {"files": names, "schema_id": SCHEMA, "whole": whole}
    _write(out / MANIFEST, (json.dumps(told, indent=1) + "\n").encode())


def _write(path: Path, content: bytes) -> bool:
    """Write a file unless it holds these bytes already; return whether it was written."""
    if path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content:
        return False
    make_folder(path.parent)
    replace_file(path, content)
    return True


def _remove(out: Path, name: str) -> None:
    path = out / name
    if not path.parent.is_dir():
        return
    remove_file(path)
    for parent in list(path.relative_to(out).parents)[:-1]:
        folder = out / parent
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def folder_files(folder: Path) -> dict[str, Path]:
    """Return the files below a folder by their relative paths.

    Raises:
        ValueError: If it is no folder, or something in it is neither a file nor a folder.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder}: expected a folder")
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise ValueError(f"{path}: expected plain files only")
        if path.is_file():
            found[path.relative_to(folder).as_posix()] = path
    return found


def tar_bytes(name: str, files: Iterable[tuple[str, Path]]) -> bytes:
    """Return an archive that is the same for the same files: no time, no owner, one order."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, source in sorted(files):
            content = source.read_bytes()
            member = tarfile.TarInfo(f"{name}/{path}")
            member.size = len(content)
            member.mode = 0o644
            archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


def digest(content: bytes) -> str:
    """Return the SHA-256 of bytes."""
    return hashlib.sha256(content).hexdigest()
