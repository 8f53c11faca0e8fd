"""Generated pages of the documentation: ``python -m tests.pages check`` or ``record``."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.pages.pages import PAGES

DOCS = Path(__file__).resolve().parents[2] / "docs"


def stale() -> list[str]:
    """Return the generated pages that differ from what would be generated now."""
    return [
        name
        for name, make in PAGES.items()
        if not (DOCS / name).is_file() or (DOCS / name).read_text(encoding="utf-8") != make()
    ]


def main(arguments: list[str]) -> int:
    """Compare the pages, or write them."""
    if arguments == ["record"]:
        for name, make in PAGES.items():
            (DOCS / name).parent.mkdir(parents=True, exist_ok=True)
            (DOCS / name).write_text(make(), encoding="utf-8", newline="\n")
        return 0
    if arguments != ["check"]:
        sys.stderr.write("usage: python -m tests.pages check|record\n")
        return 2
    pages = stale()
    for name in pages:
        sys.stderr.write(f"docs/{name} is stale; make it anew with: python -m tests.pages record\n")
    return 1 if pages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
