"""One reader, and the good inputs that are spoiled for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from hypothesis import strategies as st

from protocol.errors import BundleError


class Seeds(NamedTuple):
    """Good inputs of every kind, taken from good bundles."""

    envelopes: tuple[bytes, ...]
    statements: tuple[bytes, ...]
    episodes: tuple[bytes, ...]
    memories: tuple[bytes, ...]
    costs: tuple[bytes, ...]
    logs: tuple[bytes, ...]


class Target(NamedTuple):
    """One reader: it takes an input, or refuses it with one of its own errors."""

    name: str
    seeds: Callable[[Seeds], Sequence[bytes]]
    spoil: Callable[[Sequence[bytes]], st.SearchStrategy[bytes]]
    read: Callable[[bytes], object]
    refusals: tuple[type[Exception], ...] = (BundleError,)
    share: int = 10
    """How many inputs it is given where others are given ten."""

    def inputs(self, seeds: Seeds) -> st.SearchStrategy[bytes]:
        """Return spoiled inputs."""
        return self.spoil(self.seeds(seeds))

    def meet(self, data: bytes) -> bool:
        """Return whether an input is taken; any error but a refusal is a fault of ours.

        A refusal can be shown: it is short and holds nothing that drives a terminal.
        """
        try:
            self.read(data)
            return True
        except self.refusals as refusal:
            words = str(refusal) if isinstance(refusal, BundleError) else ""
        assert len(words) < 2_000, "a refusal of any length"
        assert words.isprintable(), "a refusal that drives a terminal"
        return False
