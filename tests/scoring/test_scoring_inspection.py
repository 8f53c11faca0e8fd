"""What may be looked at: accepted bundles, and refused ones whose records could be read; never as verified."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from games.base import number
from protocol.bundle import ENVELOPE
from protocol.errors import BundleError
from scoring.inspection import inspect
from scoring.registry import Registry
from scoring.verify import RefusedError, verify
from tests.bundles import KEY, Board
from tests.scoring.forge import Parts, forge


def test_an_accepted_bundle_is_shown_as_it_was_verified(board: Board) -> None:
    folder, registry = board.bundle("history"), Registry(board.keys)
    verified, inspected = verify(folder, registry), inspect(folder, registry)
    assert inspected.accepted
    assert inspected.report == verified.report
    assert [(episode.game, episode.record, episode.replayed) for episode in inspected.episodes] == [
        (run.game, episode.record, episode.replayed) for run in verified.runs for episode in run.episodes
    ]


def test_a_bundle_with_a_false_reward_is_shown_with_what_the_rules_give(board: Board, tmp_path: Path) -> None:
    folder = forge(board.bundle("history"), tmp_path / "b", KEY, lambda parts: parts.step(2).update(reward=7.0))
    inspected = inspect(folder, Registry(board.keys))
    assert not inspected.accepted
    assert [fault.code for fault in inspected.report.faults] == ["replay"]
    episode = inspected.episodes[0]
    assert episode.record.steps[2].reward == 7.0
    assert number(episode.replayed.episode.steps[2].reward) in (0, 1)


def drop_an_episode(parts: Parts) -> None:
    parts.episodes("snake").pop()


def test_a_bundle_that_lacks_an_episode_is_shown_as_far_as_it_goes(board: Board, tmp_path: Path) -> None:
    whole = inspect(board.bundle("history"), Registry(board.keys))
    inspected = inspect(forge(board.bundle("history"), tmp_path / "b", KEY, drop_an_episode), Registry(board.keys))
    assert not inspected.accepted
    assert len(inspected.episodes) == len(whole.episodes) - 1


def test_a_bundle_whose_signature_does_not_hold_is_not_shown(board: Board, tmp_path: Path) -> None:
    shutil.copytree(board.bundle("history"), tmp_path / "b")
    data = (tmp_path / "b" / ENVELOPE).read_bytes()
    (tmp_path / "b" / ENVELOPE).write_bytes(data.replace(b'"sig":"', b'"sig":"A', 1))
    with pytest.raises(RefusedError):
        inspect(tmp_path / "b", Registry(board.keys))


def test_a_bundle_whose_records_cannot_be_read_is_not_shown(board: Board, tmp_path: Path) -> None:
    folder = forge(board.bundle("history"), tmp_path / "b", KEY, lambda parts: parts.step(0).update(extra=1))
    with pytest.raises(RefusedError):
        inspect(folder, Registry(board.keys))


def test_an_episode_on_a_seed_that_is_none_cannot_be_shown(board: Board, tmp_path: Path) -> None:
    folder = forge(board.bundle("history"), tmp_path / "b", KEY, lambda parts: parts.episode().update(seed="9" * 19))
    with pytest.raises(BundleError, match=r"episodes/snake\.jsonl\.gz, strict x=0 #0.*seed"):
        inspect(folder, Registry(board.keys))
