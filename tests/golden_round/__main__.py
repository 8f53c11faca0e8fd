"""The pinned round: ``python -m tests.golden_round check`` compares it with what is stored, ``record`` stores it."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.golden_round.pinned import play_round
from tests.golden_round.snapshot import STORED, differences, written


def main(arguments: list[str]) -> int:
    """Return the exit code: 0 nothing differs or it was recorded, 1 something differs, 2 called wrongly."""
    if arguments not in (["check"], ["record"]):
        sys.stderr.write("usage: python -m tests.golden_round check|record\n")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        results = play_round(Path(folder))
    diff = differences(results)
    sys.stdout.write(f"{diff or 'the pinned round scores as stored'}\n")
    if arguments == ["record"]:
        STORED.write_text(written(results), encoding="utf-8", newline="\n")
        return 0
    return 1 if diff else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
