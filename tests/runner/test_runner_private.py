"""A run whose replies hold what looks like a secret says so when its bundle is signed, before it goes anywhere."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from protocol.bundle import WARN_TEXTS
from protocol.messages import Message
from runner.entry import play_entry
from runner.models.builtin import Builtin
from runner.models.model import Answer
from runner.retry import Asker
from tests.bundles import KEY, Unwatched, plan


class Talkative(Builtin):
    """Says before every answer where it runs."""

    def answer(self, messages: Sequence[Message], max_tokens: int) -> Answer:
        answer = super().answer(messages, max_tokens)
        return answer._replace(text=f"I run at http://10.1.2.3:8000\n{answer.text}")


def test_private_texts_in_replies_are_warned_of(tmp_path: Path) -> None:
    chosen = replace(plan("history"), games=("trust",))
    finished = asyncio.run(play_entry(chosen, Talkative("greedy"), tmp_path / "run", KEY, Unwatched(), Asker()))
    told = [warning for warning in finished.warnings if "private" in warning]
    assert told[0] == "trust, a reply: looks like a private address: 10.1... (8 characters)"
    assert len(told) == WARN_TEXTS + 1


def test_an_honest_run_is_not_warned_of(tmp_path: Path) -> None:
    chosen = replace(plan("summary"), games=("trust",))
    finished = asyncio.run(play_entry(chosen, Builtin("greedy"), tmp_path / "run", KEY, Unwatched(), Asker()))
    assert not [warning for warning in finished.warnings if "looks like" in warning]
