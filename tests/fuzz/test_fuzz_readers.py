"""Whatever the bytes, every reader takes them or refuses them with an error of its own."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.bundles import Board
from tests.fuzz.__main__ import main
from tests.fuzz.target import Seeds, Target
from tests.fuzz.targets import TARGETS, gather, wholes

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


WHOLE = (
    "bundle with spoiled episodes",
    "bundle with spoiled memory",
    "bundle with spoiled costs",
    "record of a re-run",
    "re-run with a spoiled record",
    "re-run with spoiled episodes",
    "board with a spoiled log",
)
each_whole = pytest.mark.parametrize("name", WHOLE)


@pytest.fixture(scope="session")
def whole(board: Board, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Target]:
    return {target.name: target for target in wholes(board, tmp_path_factory.mktemp("whole"))}


@each_whole
def test_what_is_checked_as_a_whole_is_accepted_or_refused_whatever_is_in_it(
    name: str, seeds: Seeds, whole: dict[str, Target]
) -> None:
    spoil(whole[name], seeds)


@each_whole
def test_a_good_whole_is_taken(name: str, seeds: Seeds, whole: dict[str, Target]) -> None:
    for seed in whole[name].seeds(seeds):
        assert whole[name].meet(seed)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_good_inputs_are_taken(target: Target, seeds: Seeds) -> None:
    """What is spoiled is good to begin with, so that spoiling reaches beyond the first check."""
    for seed in target.seeds(seeds):
        assert target.meet(seed)


def test_make_fuzz_starts_with_all_readers_and_knows_none_by_another_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("S3GYM_FUZZ_SECONDS", "0")
    assert main([]) == 0
    assert [line[:28].strip() for line in capsys.readouterr().out.splitlines()] == [
        *(target.name for target in TARGETS),
        *WHOLE,
    ]
    assert main(["nobody"]) == 1


def test_an_error_that_is_no_refusal_is_found() -> None:
    """The fuzzer itself can fail."""

    def crash(data: bytes) -> object:
        if b"x" in data:
            raise KeyError("x")
        return data

    with pytest.raises(KeyError):
        spoil(Target("crash", lambda seeds: [b"xyz"], st.sampled_from, crash), NO_SEEDS)


NO_SEEDS = Seeds((), (), (), (), (), ())
