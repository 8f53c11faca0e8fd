"""Generated pages say what the code says."""

from __future__ import annotations

from tests.pages.__main__ import stale


def test_no_generated_page_is_stale() -> None:
    assert stale() == [], "make them anew with: python -m tests.pages record"
