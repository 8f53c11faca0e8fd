"""Whatever the bytes, every reader takes them or refuses them with an error of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.bundles import Board
from tests.fuzz.targets import TARGETS, Seeds, Target, gather, targets

EXAMPLES = 5
"""For each share of a reader; ``make fuzz`` gives as many as there is time for."""
QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]


@pytest.fixture(scope="session")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    return Board(tmp_path_factory.mktemp("fuzz"))


@pytest.fixture(scope="session")
def seeds(board: Board, tmp_path_factory: pytest.TempPathFactory) -> Seeds:
    return gather([board.bundle("history"), board.bundle("summary")], tmp_path_factory.mktemp("seeds"))


def spoil(target: Target, seeds: Seeds) -> None:
    @settings(max_examples=EXAMPLES * target.share, suppress_health_check=QUIET)
    @given(target.inputs(seeds))
    def meet(data: bytes) -> None:
        target.meet(data)

    meet()


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_a_reader_takes_or_refuses_any_input(target: Target, seeds: Seeds) -> None:
    spoil(target, seeds)


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_verification_accepts_or_refuses_any_records(kind: int, seeds: Seeds, board: Board, tmp_path: Path) -> None:
    spoil(targets(board, tmp_path)[len(TARGETS) + kind], seeds)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_good_inputs_are_taken(target: Target, seeds: Seeds) -> None:
    """What is spoiled is good to begin with, so that spoiling reaches beyond the first check."""
    for seed in target.seeds(seeds):
        assert target.meet(seed)


def test_an_error_that_is_no_refusal_is_found() -> None:
    """The fuzzer itself can fail."""

    def crash(data: bytes) -> object:
        if b"x" in data:
            raise KeyError("x")
        return data

    with pytest.raises(KeyError):
        spoil(Target("crash", lambda seeds: [b"xyz"], st.sampled_from, crash), NO_SEEDS)


NO_SEEDS = Seeds((), (), (), (), (), ())
