"""Read many records at once, where it is certain that each line is strict JSON; what is in doubt is not read here.

``protocol.strictjson.read_record`` reads one line and names its fault. What a typed reader lets through is a key that
stands twice (its last value counts) and numbers that are not ours. Looked for in many lines at once, both cost a look
at colons and dashes, and the texts, which are nearly all of a bundle, are left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import cache
from itertools import chain, repeat
from math import copysign
from operator import attrgetter
from types import NoneType, UnionType
from typing import Annotated, Literal, NamedTuple, Union, get_args, get_origin

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, TypeAdapter, ValidationError

from protocol.exact import MAX_EXACT
from protocol.strictjson import RecordT, is_closed, is_crowded

_BLANK, _QUOTE, _DASH, _ZERO, _COLON = b' "-0:'
_PLAIN = (str, bool, int, NoneType)
_ENDS_NAME = np.array([chr(byte).isalnum() or byte == ord("_") for byte in range(128)] + [False] * 128)
"""By byte: whether it can be the last one of a field's name, as it is or as an escape."""
_GOES_ON = np.array([byte in b".0123456789eE" for byte in range(256)])
"""By byte: whether a number that begins with -0 goes on with it."""


class _Shape(NamedTuple):
    """What a kind of record looks like in JSON with each key once."""

    keys: int
    numbers: tuple[Callable[[BaseModel], float | None], ...]
    """The fields whose number may be odd."""
    parts: tuple[tuple[Callable[[BaseModel], tuple[BaseModel, ...]], _Shape], ...]
    """The fields that hold records."""


def read_certain(kind: type[RecordT], lines: Sequence[bytes]) -> list[RecordT] | None:
    """Return the records of lines as ``read_record`` returns each; None if it might refuse one.

    Args:
        kind: A kind of record, each of whose fields must be given.
        lines: Lines without line ends.
    """
    if any(map(is_crowded, lines)):
        return None
    shape = _shape(kind)
    try:
        records = list(map(_reader(kind), lines))
    except ValidationError:
        return None
    keys = _keys(shape, records)
    return records if keys is not None and _strict(b"\n".join(lines), keys) else None


def _strict(data: bytes, keys: int) -> bool:
    """Tell whether bytes that were read as records certainly hold so many keys, and no integer that is a negative zero.

    A colon stands after each key and within texts only. A quote between a letter and a colon ends a key: one within a
    text has a backslash before it, and one that begins a text has a sign of JSON or a blank before it. With no blank
    before any colon, no key is missed that way.
    """
    seen = np.frombuffer(data, np.uint8)
    colons = np.flatnonzero(seen == _COLON)
    before = seen[colons - 1]
    if (before <= _BLANK).any():
        return False
    ends = colons[before == _QUOTE]
    return int(np.count_nonzero(_ENDS_NAME[seen[ends - 2]])) == keys and not _negative_zero(seen)


def _negative_zero(seen: NDArray[np.uint8]) -> bool:
    """Tell whether a dash and a zero stand anywhere with no digit or point after them."""
    marks = seen[:-1] == _DASH
    marks &= seen[1:] == _ZERO
    # Few texts have any, and to look whether there is one is faster than to look where.
    return bool(marks.any()) and not _GOES_ON[seen[np.flatnonzero(marks) + 2]].all()


def _keys(shape: _Shape, records: Sequence[BaseModel]) -> int | None:
    """Return how many keys records take with each key once; None if a number of theirs is in doubt."""
    total = shape.keys * len(records)
    for numbers in shape.numbers:
        if not _plain([number for number in map(numbers, records) if number is not None]):
            return None
    for parts, part in shape.parts:
        keys = _keys(part, list(chain.from_iterable(map(parts, records))))
        if keys is None:
            return None
        total += keys
    return total


def _plain(numbers: Sequence[float]) -> bool:
    """Tell whether every number is one that all readers agree on: none of 2^53 or more, no negative zero."""
    if not -MAX_EXACT <= min(numbers, default=0) <= max(numbers, default=0) <= MAX_EXACT:
        return False
    return min(map(copysign, repeat(1.0), [number for number in numbers if number == 0]), default=1.0) > 0


@cache
def _reader(kind: type[RecordT]) -> Callable[[bytes], RecordT]:
    """Return the typed reader of a kind of record, without what is around it for each call."""
    read: Callable[[bytes], RecordT] = TypeAdapter(kind).validator.validate_json
    return read


@cache
def _shape(kind: type[BaseModel]) -> _Shape:
    """Return the shape of a kind of record.

    Raises:
        AssertionError: If it has a field that need not be given, or one of a type that is not provided for.
    """
    numbers, parts = [], []
    for name, field in kind.model_fields.items():
        types = _types(field.annotation)
        if not field.is_required():
            raise AssertionError(f"{kind.__name__}.{name} need not be given, so its keys cannot be counted")
        if any(get_origin(each) is tuple for each in types):
            item = get_args(field.annotation)[0]
            if isinstance(item, type) and issubclass(item, BaseModel):
                parts.append((attrgetter(name), _shape(item)))
            elif not (item is str or is_closed(item)):
                raise AssertionError(f"{kind.__name__}.{name}: a tuple of {item} is not provided for")
        elif types & {int, float} and not is_closed(field.annotation, field.metadata):
            numbers.append(attrgetter(name))
        elif not all(map(_is_plain, types)):
            raise AssertionError(f"{kind.__name__}.{name}: {field.annotation} is not provided for")
    return _Shape(len(kind.model_fields), tuple(numbers), tuple(parts))


def _is_plain(kind: object) -> bool:
    """Tell whether no value of a type can be odd."""
    return kind in _PLAIN or get_origin(kind) is Literal or (isinstance(kind, type) and issubclass(kind, StrEnum))


def _types(annotation: object) -> set[object]:
    """Return the types that a field may have, without their bounds."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _types(get_args(annotation)[0])
    if origin in (Union, UnionType):
        return {each for one in get_args(annotation) for each in _types(one)}
    return {annotation}
