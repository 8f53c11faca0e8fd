"""Strict JSON: what two readers could read differently is refused."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable
from enum import StrEnum
from functools import cache
from itertools import chain
from math import copysign, inf, nan
from types import NoneType, UnionType
from typing import Annotated, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, FailFast, ValidationError

from protocol.errors import BundleError
from protocol.exact import MAX_EXACT

RecordT = TypeVar("RecordT", bound=BaseModel)
ItemT = TypeVar("ItemT")
Several = Annotated[tuple[ItemT, ...], FailFast()]
"""A list of a record. The first bad item ends the reading: each fault takes far more memory than its item."""
_SHOWN = 200
MAX_KEYS = 64
"""Keys of one object; no record has as many."""
_MAX_DIGITS = 40
MAX_PARTS = 1 << 17
"""Texts, commas and opening brackets of a record; one has some two thousand. A value of three bytes takes hundreds."""
_LONG = 4 << 20
"""Bytes of a record beyond which no value is shown where it is refused: its texts would be copied only for that."""
_SEPARATORS = (b",", b"[", b"{")
_TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
"""A text of JSON, or all from a quote on where none ends it: so no byte is looked at twice."""
_ESCAPED_COLON = re.compile(rb"\\u003[aA]")
_NEGATIVE_ZERO = re.compile(rb"-0[^.0-9eE]")
_KEPT = "numbers of at most 2^53 - 1"
_REMEDY = "Write the bundle again with this project's runner; do not edit it by hand."


class _Refused(ValueError):
    """What was expected and got, from within a JSON hook."""

    def __init__(self, expected: str, got: str) -> None:
        super().__init__(expected)
        self.expected = expected
        self.got = got


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(pairs) > MAX_KEYS:
        raise _Refused(f"at most {MAX_KEYS} keys in an object", str(len(pairs)))
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _Refused("each key once", f"{shown(twice)} twice")
    return found


def _constant(text: str) -> object:
    raise _Refused("finite numbers", text)


def _float(text: str) -> float:
    value = float(text)
    if abs(value) > MAX_EXACT:
        raise _Refused(_KEPT if abs(value) < inf else "finite numbers", shown(text))
    return _unsigned_zero(value, text)


def _int(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise _Refused(_KEPT, f"one of {len(text)} digits")
    value = int(text)
    if abs(value) > MAX_EXACT:
        raise _Refused(_KEPT, text)
    return int(_unsigned_zero(value, text))


def _unsigned_zero(value: float, text: str) -> float:
    """Refuse a negative zero: it equals zero and is shown as another number."""
    if value == 0 and text.startswith("-"):
        raise _Refused("zero without a sign", shown(text))
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float, parse_int=_int)


def shown(value: object) -> str:
    """Return a value as a message shows it: short, with control and non-ASCII characters escaped."""
    text = ascii(value[:_SHOWN] if isinstance(value, list | tuple) else value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text)} characters)"


def is_crowded(data: bytes, most: int = MAX_PARTS) -> bool:
    """Tell whether JSON has more than so many parts: texts, and outside them commas and opening brackets.

    This takes no memory, whatever the bytes are. Each value but the first of a list or an object has a comma before it,
    and each list and object has a bracket.
    """
    if len(data) <= most or sum(map(data.count, (*_SEPARATORS, b'"'))) <= most:
        return False
    left = most
    at = 0
    for text in _TEXT.finditer(data):
        left -= 1 + _separators(data, at, text.start())
        if left < 0:
            return True
        at = text.end()
    return _separators(data, at, len(data)) > left


def _separators(data: bytes, start: int, end: int) -> int:
    return sum(data.count(each, start, end) for each in _SEPARATORS)


def _bounded(data: bytes, most: int, file: str, place: str | None) -> None:
    if is_crowded(data, most):
        remedy = "Write it again with this project's commands; no record of theirs has so many values."
        raise BundleError(file, f"at most {most} texts, commas and brackets", "more", remedy, place=place)


def read_json(data: bytes, file: str, place: str | None = None) -> object:
    """Return the JSON value of exactly these bytes.

    Raises:
        BundleError: On invalid UTF-8, a byte order mark, invalid JSON, a key that stands twice, NaN, infinities
            (``1e999`` too), negative zero, numbers of 2^53 or more, more keys than any record has, more values than any
            record has, or deep nesting.
    """
    _bounded(data, MAX_PARTS, file, place)
    return _read_json(data, file, place)


def _read_json(data: bytes, file: str, place: str | None) -> object:
    if data.startswith(codecs.BOM_UTF8):
        raise BundleError(file, "UTF-8 without a byte order mark", "a BOM", _REMEDY, place=place)
    try:
        value: object = _DECODER.decode(data.decode("utf-8"))
    except _Refused as error:
        raise BundleError(file, error.expected, error.got, _REMEDY, place=place) from error
    except UnicodeDecodeError as error:
        raise BundleError(file, "UTF-8 text", f"byte {error.start} is not", _REMEDY, place=place) from error
    except RecursionError as error:
        raise BundleError(file, "a flat record", "deep nesting", _REMEDY, place=place) from error
    except ValueError as error:
        raise BundleError(file, "JSON", shown(str(error)), _REMEDY, place=place) from error
    return value


def read_record(
    kind: type[RecordT], data: bytes, file: str, place: str | None = None, *, parts: int = MAX_PARTS
) -> RecordT:
    """Return the typed record of exactly these bytes.

    Args:
        kind: The kind of record.
        data: One JSON object.
        file: Where it stands, for messages.
        place: Where in the file.
        parts: How many texts, commas and opening brackets it may have.

    Raises:
        BundleError: If the bytes are no strict JSON, or the record has a missing, unknown or wrongly typed field, or
            more values than any has.
    """
    _bounded(data, parts, file, place)
    try:
        record = kind.model_validate_json(data)
    except ValidationError as error:
        if len(data) <= _LONG:
            # What is no strict JSON is refused as such.
            _read_json(data, file, place)
        raise _refused(kind, data, file, place, error) from error
    if not _says_each_once(record, data):
        _read_json(data, file, place)
    return record


def _refused(kind: type[BaseModel], data: bytes, file: str, place: str | None, error: ValidationError) -> BundleError:
    """Return what is wrong with a record; of a long one no value is made only to be shown."""
    is_long = len(data) > _LONG
    first = error.errors(include_url=False, include_input=not is_long, include_context=False)[0]
    field = field_name(first["loc"]) or "the record"
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    where = f"{place}, field {field}" if place else f"field {field}"
    what = f"one of {len(data)} bytes" if is_long else shown(first["input"])
    return BundleError(file, f"a valid {kind.__name__}", f"{what}: {first['msg']}{more}", _REMEDY, place=where)


def field_name(place: tuple[int | str, ...]) -> str:
    """Return where a fault is; a name that the sender chose is escaped and shortened."""
    return ".".join(shown(part)[1:-1] if isinstance(part, str) else str(part) for part in place)


def _says_each_once(record: BaseModel, data: bytes) -> bool:
    """Tell whether bytes that were read as this record are certainly strict JSON, without reading them again.

    What a typed reader lets through are numbers that are not ours, and a key that stands twice: its last value counts.
    No field but those of the record is read, and a colon stands after each key and within texts only. So if there are
    just as many colons as fields and texts have, and none is written as an escape, no key stands twice.
    """
    return (
        _colons(record) == data.count(b":")
        and _ESCAPED_COLON.search(data) is None
        and _NEGATIVE_ZERO.search(data) is None
    )


def _colons(record: BaseModel) -> float:
    """Return how many colons a record takes in JSON with each key once; NaN if that, or a number, is in doubt."""
    count: float = len(record.model_fields_set)
    values = record.__dict__
    for name in _open_fields(type(record)):
        value = values[name]
        kind = type(value)
        if kind is str:
            count += value.count(":")
        elif kind is float or kind is int:
            count += 0 if -MAX_EXACT <= value <= MAX_EXACT and (value or copysign(1, value) > 0) else nan
        elif isinstance(value, BaseModel):
            count += _colons(value)
        elif kind is tuple:
            for each in value:
                count += _colons(each) if isinstance(each, BaseModel) else _plain_colons(each)
        elif not (value is None or kind is bool or isinstance(value, StrEnum)):
            count = nan
    return count


def _plain_colons(value: object) -> float:
    if isinstance(value, str):
        return value.count(":")
    return 0 if isinstance(value, int) and -MAX_EXACT <= value <= MAX_EXACT else nan


@cache
def _open_fields(kind: type[BaseModel]) -> tuple[str, ...]:
    """Return the fields whose text may hold a colon or whose number may be odd, by their types."""
    fields = kind.model_fields.items()
    return tuple(name for name, field in fields if not is_closed(field.annotation, field.metadata))


def is_closed(annotation: object, bounds: Iterable[object] = ()) -> bool:
    """Tell whether every value of a type is null, true, false, one of a few words or a small positive integer."""
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *more = get_args(annotation)
        return is_closed(inner, chain.from_iterable(getattr(each, "metadata", ()) for each in more))
    if origin in (Union, UnionType):
        return all(map(is_closed, get_args(annotation)))
    if origin is Literal:
        return all(isinstance(word, str) and ":" not in word for word in get_args(annotation))
    if annotation is int:
        found = list(bounds)
        low, high = (min((getattr(each, side, inf) for each in found), default=inf) for side in ("ge", "le"))
        return 0 <= low < inf and high <= MAX_EXACT
    return annotation in (bool, NoneType)


def write_record(record: BaseModel) -> bytes:
    """Return a record as one line of ASCII JSON, without the newline; equal records give equal bytes."""
    return json.dumps(record.model_dump(mode="json"), separators=(",", ":"), allow_nan=False).encode()
