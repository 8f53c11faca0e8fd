"""Reads what runs leave behind, without the runner's own readers, and checks what must hold at any moment."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from runner.journal import JOURNAL
from runner.probing import PROBE
from tests.runner.stormy import Count


class Books(NamedTuple):
    """What a journal says."""

    asked: Counter[str]
    """Requests by what they were sent for."""
    prompts: Counter[str]
    """Requests by the digest of their messages."""
    outcomes: dict[str, str | None]
    """Replies by what was asked for; None for a failure."""


def read_books(folder: Path) -> Books:
    """Return what the journal of a run folder says, a last line without its end left out.

    Every outcome comes after the requests for it and none comes after it; requests are numbered.
    """
    path = folder / JOURNAL
    books = Books(Counter(), Counter(), {})
    for raw in path.read_bytes().split(b"\n")[:-1] if path.is_file() else ():
        line = json.loads(raw)
        if line["kind"] in ("header", "found", "billed"):
            continue
        key = line["key"]
        assert key not in books.outcomes, f"{key}: asked again although its outcome stands"
        if line["kind"] == "asking":
            books.asked[key] += 1
            books.prompts[line["context"]] += 1
            assert line["attempt"] == books.asked[key], key
        else:
            assert books.asked[key] > 0, f"{key}: an outcome, but no request"
            books.outcomes[key] = line["reply"]
    return books


def check_ahead(folder: Path, count: Count) -> None:
    """Check that every request that an endpoint has seen was in the journal before."""
    prompts = read_books(folder).prompts
    unknown = {digest: times for digest, times in count.received.items() if times > prompts[digest]}
    assert not unknown, f"requests that no journal knows: {unknown}"


def check_paid(folder: Path, count: Count, under_way: int) -> None:
    """Check that whole replies are in the journal, save at most so many that were under way in a kill."""
    replies = sum(1 for reply in read_books(folder).outcomes.values() if reply is not None)
    assert count.completed.total() <= replies + under_way


def check_costs(folder: Path) -> None:
    """Check that a bundle's cost records tell every request of the journal, those of killed sittings included."""
    told: dict[str, int] = {}
    for path in sorted((folder / "bundle" / "costs").iterdir()):
        for raw in gzip.decompress(path.read_bytes()).splitlines():
            cost = json.loads(raw)
            if cost["phase"] == "summary":
                told[f"{cost['game']} summary {cost['index']}"] = cost["requests"]
                continue
            repeat = f" repeat {cost['replicate']}" if cost["replicate"] else ""
            strict = f"strict x={cost['checkpoint']} #{cost['index']}{repeat}"
            place = strict if cost["phase"] == "strict" else f"explore {cost['index']}"
            told[f"{cost['game']} {place} step {cost['step']}"] = cost["requests"]
    asked = read_books(folder).asked
    # Finding out how an endpoint must be asked belongs to no reply.
    del asked[PROBE]
    assert told == dict(asked)
