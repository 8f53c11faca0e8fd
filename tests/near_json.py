"""Lines of JSON that are right or nearly so, and the slow and obvious way to read them."""

from __future__ import annotations

from typing import Literal

from hypothesis import strategies as st
from pydantic import ValidationError

from games.base import End
from protocol.errors import BundleError
from protocol.record import Record
from protocol.records import Count
from protocol.strictjson import Several, read_json


class Part(Record):
    """A record within a record."""

    label: str | None
    size: float | None


class Whole(Record):
    """A record with every kind of field that records have."""

    name: str
    count: int
    flag: bool
    value: float | None
    parts: Several[Part]
    words: Several[str]
    end: End | None
    kind: Literal["a", "b"] | None
    place: Count | None


def slowly(data: bytes) -> Whole | tuple[str, str]:
    """Read every byte as strict JSON first, then as a record."""
    try:
        read_json(data, "f", "line 1")
    except BundleError as error:
        return error.expected, error.got
    try:
        return Whole.model_validate_json(data)
    except ValidationError:
        return "a valid Whole", ""


NUMBERS = (
    *("0", "1", "-1", "1.5", "-0.25", "1e3", "1e999", "-1e999", "NaN", "Infinity", "01", "+1", "-0", "-0.0", "-1e-999"),
    *("9007199254740992", "9007199254740993", "-9007199254740993", "1e16", "9" * 40, "9" * 41, "1" + "0" * 60),
)
STRINGS = (
    "",
    "a",
    "a:b",
    "::",
    "\\u003a",
    "\\u003A:",
    "\\\\u003a",
    '\\"a\\":',
    "\u00e9:",
    "\\ud800",
    "\x7f",
    "\t",
    "\\u0022:",
)
text = st.sampled_from(STRINGS).map(lambda each: f'"{each}"')
blank = st.sampled_from(["", "", "", " ", "\t", "\n", "\r "])
word = st.sampled_from(["true", "false", "null", "[]", "{}", "[[]]", '"won"', '{"a": {"b": ":"}}'])
anything = st.one_of(st.sampled_from(NUMBERS), text, word)


def escaped(key: str) -> str:
    """Return a key with its first letter as an escape."""
    return f"\\u{ord(key[0]):04x}{key[1:]}"


@st.composite
def objects(draw: st.DrawFn, members: dict[str, st.SearchStrategy[str]]) -> str:
    """Return a JSON object, right or nearly so: some members twice, escaped, missing, of another type, in any order."""
    keys = draw(st.permutations(list(members)))
    keys += draw(st.lists(st.sampled_from(keys), max_size=2))
    if draw(st.booleans()) and draw(st.booleans()):
        keys = keys[1:]
    said = []
    for key in keys:
        value = draw(anything) if draw(st.integers(0, 20)) == 0 else draw(members[key])
        shown = escaped(key) if draw(st.integers(0, 9)) == 0 else key
        said.append(f'"{shown}"{draw(blank)}:{draw(blank)}{value}{draw(blank)}')
    return "{" + ",".join(said) + "}"


part = objects({"label": text | st.just("null"), "size": st.sampled_from(NUMBERS) | st.just("null")})
listed = st.lists(part, max_size=2).map(lambda each: f"[{','.join(each)}]")
whole = objects(
    {
        "name": text,
        "count": st.sampled_from(NUMBERS),
        "flag": st.sampled_from(["true", "false"]),
        "value": st.sampled_from(NUMBERS) | st.just("null"),
        "parts": listed,
        "words": st.lists(text, max_size=2).map(lambda each: f"[{','.join(each)}]"),
        "end": st.sampled_from(["null", '"won"', '"agent_end"']),
        "kind": st.sampled_from(["null", '"a"', '"b"', '"\\u0061"']),
        "place": st.sampled_from(NUMBERS) | st.just("null"),
    }
)
