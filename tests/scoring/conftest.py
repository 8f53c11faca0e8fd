"""A board with honest bundles, shared by the tests of this folder."""

from __future__ import annotations

import pytest

from tests.bundles import Board


@pytest.fixture(scope="session")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    return Board(tmp_path_factory.mktemp("board"))
