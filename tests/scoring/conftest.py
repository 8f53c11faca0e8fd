"""A board with honest bundles, shared by the tests of this folder."""

from __future__ import annotations

import pytest

from tests.bundles import Board
from tests.scoring.reruns import Reruns


@pytest.fixture(scope="session")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    return Board(tmp_path_factory.mktemp("board"))


@pytest.fixture(scope="session")
def reruns(board: Board, tmp_path_factory: pytest.TempPathFactory) -> Reruns:
    return Reruns(board, tmp_path_factory.mktemp("reruns"))
