"""Compare the golden transcripts with the games (``python -m tests.golden check``) or record them anew (``record``)."""

from __future__ import annotations

import argparse
import sys

from tests.golden.transcript import faults, goldens, record


def main(arguments: list[str]) -> int:
    """Return the exit code: 0 all is well, 1 something differs or was not written."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("check", help="replay the stored actions and compare every text; writes nothing")
    recording = commands.add_parser("record", help="write the transcripts anew")
    recording.add_argument(
        "--force-same-version",
        action="store_true",
        help="overwrite also where the game plays otherwise than recorded under the same rules version",
    )
    chosen = parser.parse_args(arguments)
    if chosen.command == "check":
        found = [fault for golden in goldens() for fault in faults(golden)]
        sys.stdout.writelines(f"{fault}\n" for fault in found or ["every transcript is as the games play"])
        return 1 if found else 0
    code = 0
    for golden in goldens():
        try:
            sys.stdout.write(f"{record(golden, force_same_version=chosen.force_same_version)}\n")
        except ValueError as refusal:
            sys.stdout.write(f"{refusal}\n")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
