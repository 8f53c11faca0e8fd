"""Strict JSON: what two readers could read differently is refused."""

from __future__ import annotations

import codecs
import json
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from protocol.errors import BundleError

RecordT = TypeVar("RecordT", bound=BaseModel)
_SHOWN = 200
_MAX_DIGITS = 40
_REMEDY = "Write the bundle again with this project's runner; do not edit it by hand."


class _Refused(ValueError):
    """What was expected and got, from within a JSON hook."""

    def __init__(self, expected: str, got: str) -> None:
        super().__init__(expected)
        self.expected = expected
        self.got = got


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    seen = dict(pairs)
    if len(seen) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _Refused("each key once", f"{shown(twice)} twice")
    return seen


def _constant(text: str) -> object:
    raise _Refused("finite numbers", text)


def _float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise _Refused("finite numbers", shown(text))
    return value


def _int(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise _Refused(f"integers of at most {_MAX_DIGITS} digits", f"one of {len(text)}")
    return int(text)


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float, parse_int=_int)


def shown(value: object) -> str:
    """Return a value as a message shows it: short, with control and non-ASCII characters escaped."""
    text = ascii(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text)} characters)"


def read_json(data: bytes, file: str, place: str | None = None) -> object:
    """Return the JSON value of exactly these bytes.

    Raises:
        BundleError: On invalid UTF-8, a byte order mark, invalid JSON, a key that stands twice, NaN, infinities
            (``1e999`` too), huge integers or deep nesting.
    """
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


def read_record(kind: type[RecordT], data: bytes, file: str, place: str | None = None) -> RecordT:
    """Return the typed record of exactly these bytes.

    Raises:
        BundleError: If the bytes are no strict JSON, or the record has a missing, unknown or wrongly typed field.
    """
    read_json(data, file, place)
    try:
        return kind.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "the record"
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        where = f"{place}, field {field}" if place else f"field {field}"
        got = f"{shown(first['input'])}: {first['msg']}{more}"
        raise BundleError(file, f"a valid {kind.__name__}", got, _REMEDY, place=where) from error


def write_record(record: BaseModel) -> bytes:
    """Return a record as one line of ASCII JSON, without the newline; equal records give equal bytes."""
    return json.dumps(record.model_dump(mode="json"), separators=(",", ":"), allow_nan=False).encode()
