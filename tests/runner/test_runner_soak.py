"""Whole entries through a storm: faults, kills and resumes leave no trace in what is scored."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.context import Pathway
from tests.runner.soak import Soak, in_a_process, in_this_process, weather_through
from tests.runner.weather import Storm, Weather

PATHWAYS: list[Pathway] = ["history", "summary"]
QUICK = Storm(1, worst=0.02, never=frozenset([Weather.HANG, Weather.DRIP]))


@pytest.mark.parametrize("pathway", PATHWAYS)
def test_faults_and_cut_sittings_leave_no_trace_in_episodes_and_memories(tmp_path: Path, pathway: Pathway) -> None:
    """All games, 16 at once, through HTTP; a sitting that is cut off cancels what is under way."""
    soak = Soak("smoke-1", pathway, kills=3, storm=QUICK, largest=10_000)
    weather_through(soak, in_this_process, tmp_path)


def test_kill_9_leaves_no_trace_in_episodes_and_memories(tmp_path: Path) -> None:
    soak = Soak("smoke-1", "summary", kills=2, storm=QUICK, games=("snake", "trust"))
    weather_through(soak, in_a_process, tmp_path)


LONG = [
    Soak("pocket-1", "history", kills=4, storm=Storm(2, most_faults=4), timeout=5.0, largest=12_000),
    Soak("pocket-1", "summary", "learner", kills=4, storm=Storm(3, most_faults=4), timeout=5.0, largest=11_500),
    Soak("paper-1", "history", kills=8, storm=Storm(4), largest=165_000),
    Soak("paper-1", "summary", kills=8, storm=Storm(5), largest=165_000),
    Soak("paper-1", "history", "learner", kills=8, storm=Storm(6), largest=165_000),
    Soak("paper-1", "summary", "learner", kills=8, storm=Storm(7), largest=165_000),
]


@pytest.mark.soak
@pytest.mark.parametrize("soak", LONG, ids=lambda soak: f"{soak.protocol}-{soak.pathway}-{soak.model}")
def test_a_whole_protocol_comes_through_the_storm_and_kill_9_without_a_trace(tmp_path: Path, soak: Soak) -> None:
    weather_through(soak, in_a_process, tmp_path)
