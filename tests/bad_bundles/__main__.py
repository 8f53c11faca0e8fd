"""Write bad bundles to look at: ``python -m tests.bad_bundles FOLDER [NAME ...]``; without a folder, list them."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.bad_bundles.catalogue import CATALOGUE
from tests.bad_bundles.good import Good


def main(arguments: list[str]) -> int:
    """List the catalogue, or write some of it (all, if none is named) into a new folder."""
    names = [bad.name for bad in CATALOGUE]
    if not arguments:
        sys.stdout.writelines(f"{bad.step:13} {bad.name:48} {bad.changed}\n" for bad in CATALOGUE)
        return 0
    folder, wanted = Path(arguments[0]), arguments[1:] or names
    unknown = sorted(set(wanted) - set(names))
    if unknown or folder.exists():
        sys.stderr.write(f"no such bad bundle: {', '.join(unknown)}\n" if unknown else f"{folder} exists already\n")
        return 2
    good = Good(folder / "good")
    for bad in CATALOGUE:
        if bad.name in wanted and not bad.patches:
            bad.make(good, folder / bad.name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
