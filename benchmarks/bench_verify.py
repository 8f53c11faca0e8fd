"""Verifying and replaying a bundle, in steps a second; the time must grow linearly with the steps."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from protocol.context import Pathway
from scoring.accepting import accept
from scoring.cache import Cache
from scoring.registry import Registry
from scoring.replay import replay
from scoring.score import score
from scoring.verified import VerifiedBundle
from scoring.verify import verify
from tests.bundles import Board


@pytest.fixture(scope="session")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    return Board(tmp_path_factory.mktemp("board"))


def _steps_of(verified: VerifiedBundle) -> int:
    return sum(len(each.record.steps) for run in verified.runs for each in run.episodes)


def _note(benchmark: BenchmarkFixture, steps: int) -> None:
    if benchmark.stats is None:
        return
    benchmark.extra_info["steps"] = steps
    benchmark.extra_info["steps a second"] = round(steps / benchmark.stats.stats.median)


def test_a_bundle_that_the_cache_knows(benchmark: BenchmarkFixture, board: Board, tmp_path: Path) -> None:
    bundle = board.bundle("history", protocol="paper-1", entry="history-paper-1")
    cache = Cache(tmp_path / "cache")
    accept(bundle, Registry(board.keys), cache=cache)
    found = benchmark(accept, bundle, Registry(board.keys), cache=cache)
    assert found.known


@pytest.mark.parametrize("pathway", ["history", "summary"])
@pytest.mark.parametrize("protocol", ["pocket-1", "paper-1"])
def test_verify_a_bundle(benchmark: BenchmarkFixture, board: Board, pathway: Pathway, protocol: str) -> None:
    bundle = board.bundle(pathway, protocol=protocol, entry=f"{pathway}-{protocol}")
    verified = benchmark(verify, bundle, Registry(board.keys))
    _note(benchmark, _steps_of(verified))


def test_replay_alone(benchmark: BenchmarkFixture, board: Board) -> None:
    bundle: Path = board.bundle("history", protocol="paper-1", entry="history-paper-1")
    verified = verify(bundle, Registry(board.keys))
    episodes = [
        (run.game, verified.preset.config(run.game, each.record.phase), each.record)
        for run in verified.runs
        for each in run.episodes
    ]
    benchmark(lambda: [replay(*episode) for episode in episodes])
    _note(benchmark, _steps_of(verified))


def test_score_a_verified_bundle(benchmark: BenchmarkFixture, board: Board) -> None:
    bundle = board.bundle("history", protocol="paper-1", entry="history-paper-1")
    verified = verify(bundle, Registry(board.keys))
    benchmark(score, [verified])
    _note(benchmark, _steps_of(verified))
