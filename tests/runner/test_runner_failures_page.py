"""The page on failures names every kind and every bound that the code knows, and no other."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import get_args

from protocol.outcomes import ReplyKind
from protocol.records import Failure, MemoryFailure
from runner.beginning import FIRST, MOST_WITHOUT_ANSWER
from runner.findings import CUT_FROM, CUT_PERCENT
from runner.lengths import LONG_FROM
from runner.models.chat_reply import MAX_PADDING
from runner.models.model import FaultKind
from runner.retry import RetryPolicy
from tests.tooling.tree import ROOT

PAGE = (ROOT / "docs" / "reference" / "failures.md").read_text(encoding="utf-8")


def rows(heading: str) -> dict[str, list[str]]:
    """Return the table under a heading: the cells of each row, by the code in the first."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = re.findall(r"^\| `([a-z_]+)` \| (.+) \|$", section, flags=re.MULTILINE)
    return {code: cells.split(" | ") for code, cells in lines}


def test_every_kind_of_fault_reply_and_failure_has_its_row_in_order() -> None:
    assert list(rows("Faults of a request")) == [kind.value for kind in FaultKind]
    assert list(rows("Replies")) == [kind.value for kind in ReplyKind]
    assert list(rows("Failed episodes")) == list(get_args(Failure))
    assert list(rows("Summary calls without a memory")) == list(get_args(MemoryFailure))


def test_every_row_says_what_happened_what_is_done_what_it_means_and_what_to_do() -> None:
    for heading in ("Faults of a request", "Replies"):
        for code, cells in rows(heading).items():
            assert len(cells) == 4, code
            assert all(len(cell) > 5 for cell in cells), code


def test_EP_27_every_bound_of_the_retry_policy_is_told_with_its_value() -> None:
    policy = RetryPolicy()
    told = {name: float(cells[0].split()[0]) for name, cells in rows("Bounds").items()}
    assert told == {field.name: float(getattr(policy, field.name)) for field in fields(policy)}
    assert f"at most {policy.most_requests} requests" in PAGE
    assert f"at most {policy.total_time / 60:.0f} minutes and one time limit" in PAGE


def test_the_other_numbers_of_the_page_are_those_of_the_code() -> None:
    assert f"{CUT_PERCENT}% of the tokens of a prompt that we estimate at {CUT_FROM:,} or more" in PAGE
    assert f"beyond {MAX_PADDING} are not kept" in PAGE
    assert f"as soon as {MOST_WITHOUT_ANSWER + 1} of the first {FIRST} replies" in PAGE
    assert f"of {LONG_FROM:,} estimated tokens or more" in PAGE
