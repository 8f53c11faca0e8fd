"""How time and memory of a verification grow: with the steps of an entry, and with the number of entries."""

from __future__ import annotations

import multiprocessing
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from protocol.preset import Preset
from scoring.accepting import accept
from scoring.registry import Registry
from scoring.score import results_of
from scoring.submitting import ENTRIES, KEYS

REPEATS = 5


def seconds_of(bundle: Path, keys: Path, preset: Preset) -> float:
    """Return the processor seconds of accepting one bundle: the best of some."""
    best = float("inf")
    for _ in range(REPEATS):
        start = time.process_time()
        accept(bundle, Registry(keys), lambda _: preset)
        best = min(best, time.process_time() - start)
    return best


def peak(folder: Path, entries: int) -> float:
    """Return the peak memory, in MiB, of a process that accepts so many entries and scores them."""
    bundles = sorted((folder / ENTRIES).iterdir())[:entries]
    results_of(accept(bundle, Registry(folder / KEYS)).numbers for bundle in bundles)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def tell_memory(folder: Path) -> None:
    """Print the peak memory of a fresh process for 2 entries and for all."""
    for entries in (2, len(list((folder / ENTRIES).iterdir()))):
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            print(f"{entries} entries: peak memory {pool.submit(peak, folder, entries).result():,.0f} MiB")
