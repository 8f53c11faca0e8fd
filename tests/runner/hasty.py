"""``python -m tests.runner.hasty`` is ``s3gym`` with retry waits a thousandth as long; all else is as it is."""

import asyncio
from functools import partial
from unittest import mock

from runner.retry import Asker
from s3gym import playing
from s3gym.cli import main

HASTE = 1000


async def hurry(seconds: float) -> None:
    """Wait a thousandth of the time."""
    await asyncio.sleep(seconds / HASTE)


if __name__ == "__main__":
    with mock.patch.object(playing, "Asker", partial(Asker, sleep=hurry)):
        main()
