"""How much of each prompt a prefix cache can serve: what stood at the start of an earlier prompt as well."""

from __future__ import annotations

from collections.abc import Sequence

from protocol.tokens import estimate


class _Node:
    """A place in the tree of prompts: what was ever said after the parts that lead here."""

    __slots__ = ("after", "tokens")

    def __init__(self, tokens: int) -> None:
        self.after: dict[str, _Node] = {}
        self.tokens = tokens
        """Estimated tokens of the part that leads here."""


class PrefixCache:
    """An ideal prefix cache: it forgets nothing and shares nothing but whole parts from the start of a prompt.

    A server's own cache may serve less (it forgets, or keeps one prompt a slot) or a little more (it may share the
    beginning of a part).
    """

    def __init__(self) -> None:
        self._root = _Node(0)

    def serve(self, parts: Sequence[str]) -> int:
        """Take in a prompt.

        Args:
            parts: Its text in parts, from its start on.

        Returns:
            The estimated tokens of those parts that an earlier prompt began with too.
        """
        node, served, known = self._root, 0, True
        for part in parts:
            following = node.after.get(part)
            if following is None:
                known = False
                node.after[part] = following = _Node(estimate(part))
            elif known:
                served += following.tokens
            node = following
        return served
