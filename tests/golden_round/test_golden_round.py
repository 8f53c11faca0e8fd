"""A pinned round scores as it did: a change of any number shows as a diff, and is recorded on purpose or not at all."""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from games.registry import GAMES
from scoring.flat import flat_rows
from scoring.metric_terms import ENTRY_METRICS, PAIR_METRICS, POOL_METRICS, RUN_METRICS
from scoring.results import Results, Row
from tests.golden_round.__main__ import main
from tests.golden_round.pinned import ENTRIES, play_round
from tests.golden_round.snapshot import differences, written
from tests.tooling.tree import ROOT


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return play_round(tmp_path_factory.mktemp("round"))


def test_the_pinned_round_scores_as_stored(results: Results) -> None:
    assert differences(results) == "", "if this is meant: python -m tests.golden_round record"


def test_the_round_is_the_same_each_time(results: Results, tmp_path: Path) -> None:
    assert written(play_round(tmp_path)) == written(results)


OTHER_PROCESSOR = {
    "OPENBLAS_CORETYPE": "Prescott",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_ICL AVX512_SPR",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX,-AVX2,-FMA,-FMA4,-AVX2_Usable,-FMA_Usable",
}
"""Makes linear algebra, NumPy and the C library take the ways that they have for an old x86 processor."""


def test_the_round_scores_to_the_last_bit_as_stored_on_another_processor() -> None:
    """Who rescores on another machine must not find other numbers."""
    command = [sys.executable, "-m", "tests.golden_round", "check"]
    environ = os.environ | OTHER_PROCESSOR
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[:2_000] + done.stderr[-2_000:]


def changed(results: Results, value: float) -> Results:
    row = next(row for row in results.rows if row.value == value)
    rows = tuple(each.model_copy(update={"value": value + 1e-9}) if each is row else each for each in results.rows)
    return results.model_copy(update={"rows": rows})


def test_a_number_that_changes_by_a_billionth_is_one_line_of_a_diff(results: Results) -> None:
    some = next(row.value for row in results.rows if row.value)
    lines = differences(changed(results, some)).splitlines()
    assert len([line for line in lines if line.startswith("-  {")]) == 1
    assert len([line for line in lines if line.startswith("+  {")]) == 1


def test_the_round_holds_all_games_both_pathways_and_every_kind_of_trouble(results: Results) -> None:
    assert [entry.entry for entry in results.entries] == sorted(entry.name for entry in ENTRIES)
    assert {entry.pathway for entry in results.entries} == {"history", "summary"}
    whole = [entry for entry in results.entries if entry.entry != "troubled-history"]
    assert all([run.game for run in entry.runs] == [game.id for game in GAMES] for entry in whole)
    runs = [run for entry in results.entries for run in entry.runs]
    assert any(run.failed_checkpoints for run in runs)
    assert any(run.failed_explorations for run in runs)
    assert all(sum(getattr(run, kind) for run in runs) for kind in ("unreadable", "truncated", "empty", "filtered"))
    assert sum(run.missing_scores for run in runs) > sum(run.unreadable + run.truncated for run in runs)
    assert any(run.ranked for run in runs)
    assert any(not run.ranked for run in runs)
    assert any(entry.outside_main_table is None for entry in results.entries)
    assert any((entry.outside_main_table or "").startswith("incomplete") for entry in results.entries)


def runs_of(results: Results) -> dict[tuple[str, str], dict[str, Row]]:
    runs: dict[tuple[str, str], dict[str, Row]] = {}
    for row in results.rows:
        runs.setdefault((row.entry, row.game), {})[row.metric] = row
    return runs


def test_A19_in_some_run_any_two_metrics_have_different_values(results: Results) -> None:
    """A column that held another column's values could not go unseen."""
    runs = runs_of(results).values()
    for one, other in itertools.combinations(RUN_METRICS, 2):
        told = [(rows[one].value, rows[other].value) for rows in runs]
        assert any(a != b for a, b in told if a is not None and b is not None), f"{one} and {other}"


def test_A19_in_some_place_any_two_metrics_of_a_scope_have_different_values(results: Results) -> None:
    places: dict[tuple[str, ...], dict[str, float | None]] = {}
    for row in flat_rows(results):
        if row.scope != "run":
            where = tuple(str(each) for each in (row.scope, row.entry, row.other, row.pathway, row.game))
            places.setdefault(where, {})[row.metric] = row.value
    for scope, metrics in (("entry", ENTRY_METRICS), ("pair", PAIR_METRICS), ("pool", POOL_METRICS)):
        known = [found for place, found in places.items() if place[0] == scope]
        for one, other in itertools.combinations(metrics, 2):
            told = [(found[one], found[other]) for found in known if one in found and other in found]
            assert told or scope == "pool", f"{one} and {other}"
            if told:
                assert any(a != b for a, b in told if a is not None and b is not None), f"{one} and {other}"


def test_A18_plain_means_follow_from_the_curves(results: Results) -> None:
    """The simple metrics, worked out once more from the stored curves."""
    for (entry, game), rows in runs_of(results).items():
        curve = [point for point in results.curves if (point.entry, point.game) == (entry, game)]
        valid = [point.mean for point in curve if point.mean is not None]
        assert rows["avg"].value == pytest.approx(sum(valid) / len(valid))
        assert rows["max"].value == max(valid)
        assert rows["y0"].value == curve[0].mean
        if curve[0].mean is not None and curve[-1].mean is not None:
            assert rows["final_delta"].value == pytest.approx(curve[-1].mean - curve[0].mean)
        for point in curve:
            if point.mean is not None:
                assert point.mean == pytest.approx(math.fsum(point.scores) / len(point.scores))


def test_called_wrongly_it_does_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "check|record" in capsys.readouterr().err
