"""The pictures of the explanation pages on metrics, made from runs of the built-in players under paper-1.

``python -m benchmarks.metric_pictures play DIR`` plays them (some minutes), into a folder outside the tree.
``python -m benchmarks.metric_pictures draw DIR`` verifies them, writes what the pages need of them to
``docs/reference/metric-curves.csv`` and ``metric-steps.csv``, and draws. Without DIR it draws what is in these files.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks import metric_runs
from benchmarks.metric_plots import PICTURES

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"


def draw(folder: Path | None) -> None:
    """Write the data, if runs are given, and every picture."""
    if folder is not None:
        runs = metric_runs.read_runs(folder)
        for file, text in ((metric_runs.CURVES, metric_runs.curves_csv), (metric_runs.STEPS, metric_runs.steps_csv)):
            file.write_text(text(runs), encoding="utf-8", newline="\n")
        metric_runs.stored.cache_clear()
    for name, picture in PICTURES.items():
        (IMAGES / name).write_text(picture(metric_runs.stored()), encoding="utf-8", newline="\n")


def main(arguments: list[str]) -> int:
    """Play or draw."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.metric_pictures",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    playing = commands.add_parser("play", help="play the built-in players into a folder")
    playing.add_argument("folder", type=Path, help="outside the tree: the runs take about 100 MB")
    playing.add_argument("--workers", type=int, default=1, help="processes that play (default: %(default)s)")
    drawing = commands.add_parser("draw", help="write the data and the pictures")
    drawing.add_argument("folder", type=Path, nargs="?", help="where they were played; without it the files are drawn")
    chosen = parser.parse_args(arguments)
    if chosen.command == "play":
        metric_runs.play(chosen.folder, chosen.workers)
    else:
        draw(chosen.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
