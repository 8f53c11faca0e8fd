"""Good input, spoiled: bytes cut, flipped, repeated and spliced, and JSON values exchanged for awkward ones."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hypothesis import strategies as st

from tests.scoring.forge import Json

LARGEST = 1 << 20
NUMBERS = b"0 -0 -0.0 1e999 -1e999 1e-999 NaN Infinity -Infinity nan inf 9007199254740993 1979-05-27 0x1".split()
WORDS = b'true null <think> </think> Answer: Score: ``` \\boxed{ \\u0074eam \\u0000 "\\ud800" a. ../ / = # %'.split()
SIGNS = [bytes([byte]) for byte in b'{}[]"\\,:\n\r\x00\x1b\xff $.']
LETTERS = [letter.encode() for letter in ("\u2028", "\u202e", "\u0130", "\u0663", "\U0001f40d")]
BROKEN = (b"\xc0\x80", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xff\xfe", b"\x1f\x8b", b"\r\n", b"\x1b[2J", b'"""', b"[[")
LONG = (b"9" * 50, b"9" * 5_000, b"0." + b"3" * 5_000)
TOKENS: tuple[bytes, ...] = (b"", *NUMBERS, *WORDS, *SIGNS, *LETTERS, *BROKEN, *LONG)
PLAIN: tuple[Json, ...] = (None, True, False, 0, 1, -1, 0.5, -0.0, 1e308, 2**53, 2**53 + 1, -(2**70))
TEXTS: tuple[Json, ...] = ("", "0", "red", "../red", "con", "a" * 5_000, "\x00", "\ud800", "\u202e")
NESTED: tuple[Json, ...] = ([], {}, [[]], [{}], {"": None}, {"a": {"a": {}}})
VALUES = (*PLAIN, *TEXTS, *NESTED)


def spoiled(seeds: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """Return good inputs with one to eight things done to them; now and then any bytes at all."""
    return st.one_of(_edited(seeds), _edited(seeds), st.binary(max_size=2_000))


def spoiled_lines(seeds: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """Return JSON lines with a value exchanged, a key left out or added, or bytes spoiled."""
    return st.one_of(_exchanged(seeds), _exchanged(seeds), spoiled(seeds))


@st.composite
def _edited(draw: st.DrawFn, seeds: Sequence[bytes]) -> bytes:
    data = draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(1, 8))):
        low = draw(st.integers(0, len(data)))
        high = min(len(data), low + draw(st.sampled_from((0, 1, 2, 8, 64, LARGEST))))
        way = draw(st.sampled_from(("insert", "replace", "flip", "repeat", "many", "splice")))
        if way == "flip" and low < len(data):
            data = data[:low] + bytes([data[low] ^ (1 << draw(st.integers(0, 7)))]) + data[low + 1 :]
        elif way == "repeat":
            data = data[:high] + data[low:high] * draw(st.integers(1, 20)) + data[high:]
        elif way == "many":
            data = (
                data[:low] + draw(st.sampled_from(TOKENS)) * draw(st.sampled_from((2, 70, 3_000, 70_000))) + data[low:]
            )
        elif way == "splice":
            other = draw(st.sampled_from(seeds))
            data = data[:low] + other[draw(st.integers(0, len(other))) :]
        else:
            data = data[:low] + draw(st.sampled_from(TOKENS)) + data[low if way == "insert" else high :]
        data = data[:LARGEST]
    return data


@st.composite
def _exchanged(draw: st.DrawFn, seeds: Sequence[bytes]) -> bytes:
    lines = draw(st.sampled_from(seeds)).split(b"\n")
    place = draw(st.integers(0, len(lines) - 1))
    try:
        value: Json = json.loads(lines[place])
    except ValueError:
        return b"\n".join(lines)
    for _ in range(draw(st.integers(1, 4))):
        value = _exchange(draw, value)
    lines[place] = json.dumps(value).encode()
    return b"\n".join(lines)


def _exchange(draw: st.DrawFn, value: Json) -> Json:
    """Exchange one value somewhere inside."""
    if isinstance(value, dict) and value and draw(st.integers(0, 4)):
        key = draw(st.sampled_from(sorted(value)))
        way = draw(st.sampled_from(("inside", "inside", "inside", "drop", "rename")))
        rest = {name: each for name, each in value.items() if name != key}
        if way == "drop":
            return rest
        if way == "rename":
            return {**rest, draw(st.sampled_from((key.upper(), key + " ", "", "x" * 300))): value[key]}
        return {**value, key: _exchange(draw, value[key])}
    if isinstance(value, list) and value and draw(st.integers(0, 4)):
        place = draw(st.integers(0, len(value) - 1))
        return [*value[:place], _exchange(draw, value[place]), *value[place + 1 :]]
    return draw(st.sampled_from(VALUES))
