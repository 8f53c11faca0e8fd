"""Raw Ed25519 public keys from outside: what no honest key generator makes is refused before it is used."""

from __future__ import annotations

_PRIME = 2**255 - 19
_ORDER_8 = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
"""y of the points of order 8, and its negative."""
_SMALL_ORDER = frozenset({0, 1, _PRIME - 1, _ORDER_8, _PRIME - _ORDER_8})
"""y of every point whose order divides 8: under such a key, one signature fits many messages."""


def check_public_key(text: str) -> str:
    """Return the lower-case hex of a raw public key if it is one that may sign.

    Whether it is a point of the curve at all is shown by the proof that its owner signs with it.

    Raises:
        ValueError: If it is no 32 bytes of lower-case hex, not the canonical encoding, or a point of small order.
    """
    if len(text) != 64 or not set(text) <= set("0123456789abcdef"):
        raise ValueError("expected 32 bytes as lower-case hex")
    y = int.from_bytes(bytes.fromhex(text), "little") & (2**255 - 1)
    if y >= _PRIME:
        raise ValueError("expected the canonical encoding of a point")
    if y in _SMALL_ORDER:
        raise ValueError("expected a point of large order, got one that signs nothing")
    return text
