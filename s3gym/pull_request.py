"""A pull request to a board, laid out as files: what is added, and a text that says what was checked."""

from __future__ import annotations

import itertools
from pathlib import Path

from protocol.durable import write_folder
from protocol.errors import BundleError
from protocol.names import check_name
from protocol.strictjson import shown, write_record
from scoring.submitting import ENTRIES, Examined, bundle_files

BOARD = "submissions"
TEXT = "PULL_REQUEST.md"
MAX_CHANGES = 1 << 20
_CHANGES = "the pull request"
_ONLY = f"Add {BOARD}/{ENTRIES}/ENTRY/ and change nothing else: the organisers append the line to the log."


def lay_out(bundle: Path, examined: Examined, folder: Path) -> Path:
    """Write the files that a pull request adds, and its text; return the text's path.

    The log itself is left alone: the organisers append the line when they accept, at the position it then has.

    Raises:
        FileExistsError: If the folder exists.
        ValueError: If the bundle is no longer the one that was examined.
    """
    if folder.exists():
        raise FileExistsError(f"{folder}: expected a new folder, found one; move it away or choose another")
    subject = examined.line.subject
    place = f"{BOARD}/{ENTRIES}/{subject.entry}"
    files = ((f"{place}/{name}", content) for name, content in bundle_files(bundle, subject.bundle_digest))
    write_folder(folder, itertools.chain(files, [(TEXT, request_text(examined).encode())]))
    return folder / TEXT


def added_entries(changes: bytes) -> tuple[str, ...]:
    """Return the entries that a pull request adds, from what git says of its changes (``--name-status -z``).

    Raises:
        BundleError: If it does anything but add files of new entries.
    """
    if len(changes) > MAX_CHANGES:
        raise BundleError(_CHANGES, f"at most {MAX_CHANGES} bytes", "more", "Propose fewer entries at once.")
    parts = changes.decode("utf-8", "backslashreplace").split("\0")
    if parts.pop() or len(parts) % 2 or not parts:
        raise BundleError(_CHANGES, "a status and a path for every change", "none, or half of one", _ONLY)
    entries: set[str] = set()
    for status, path in zip(parts[::2], parts[1::2], strict=True):
        folders = path.split("/")
        if status != "A" or folders[:2] != [BOARD, ENTRIES] or len(folders) < 4:
            raise BundleError(_CHANGES, "added files of new entries only", f"{shown(status)} {shown(path)}", _ONLY)
        try:
            entries.add(check_name(folders[2]))
        except ValueError as error:
            raise BundleError(_CHANGES, "an entry's id", shown(folders[2]), _ONLY) from error
    return tuple(sorted(entries))


def check_folder(entry: str, examined: Examined) -> None:
    """Check that an entry lies in the folder of its name.

    Raises:
        BundleError: If it does not.
    """
    named = examined.line.subject.entry
    if named != entry:
        raise BundleError(f"{ENTRIES}/{entry}", f"entry {entry}", f"entry {named}", "Name the folder after the entry.")


def request_text(examined: Examined) -> str:
    """Return title, description and commands of a pull request; only names and digests of the bundle stand in it."""
    manifest, line = examined.verified.manifest, examined.line
    subject = line.subject
    steps = "\n".join(
        f"| {check.number} | `{check.code}` | {check.status} |" for check in examined.verified.report.checks
    )
    held = f"\nIt will be held: {line.reason}.\n" if examined.held else ""
    games = ", ".join(game.game for game in manifest.games)
    return f"""\
# Entry {subject.entry} of {subject.team}

Adds `{BOARD}/{ENTRIES}/{subject.entry}/` and nothing else.

| | |
| --- | --- |
| protocol | `{manifest.protocol}` |
| pathway | {manifest.options.pathway} |
| games | {games} |
| bundle, SHA-256 of the envelope | `{subject.bundle_digest}` |
| key | `{subject.keyid}` |
| checked with | s3gym {examined.verified.report.scorer} |

| step | check | outcome |
| --- | --- | --- |
{steps}
{held}
The line that the log would get now; the organisers append it when they accept:

```json
{write_record(line).decode()}
```

<!-- What to do with this folder, in a clone of the board's repository:

cp -r {BOARD}/{ENTRIES}/{subject.entry} CLONE/{BOARD}/{ENTRIES}/
cd CLONE && git checkout -b entry-{subject.entry}
git add {BOARD}/{ENTRIES}/{subject.entry} && git commit -m "Submit {subject.entry}"

Then open a pull request with the text above. Nothing of the log, the registry or another entry may change in it. -->
"""
