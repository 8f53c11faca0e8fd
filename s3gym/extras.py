"""Further fields and headers of requests, as a file or a command line gives them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence

from protocol.asking import BodyField, Header
from protocol.extras import check_field, check_header, field_text, field_value
from protocol.secrets import findings
from protocol.strictjson import shown

FROM_ENVIRONMENT = "env:"
"""How the value of a header begins that stands in an environment variable, since it is a secret."""
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_SECRET_NAMES = re.compile(r"auth|key|token|secret|passw|credential|session|bearer")

_PUBLISHED = "expected nothing private, since the signed bundle tells it"


def body_fields(table: object) -> tuple[BodyField, ...]:
    """Return the fields of a table, in the order of their names.

    Raises:
        ValueError: If it is no table, or a field may not be sent.
    """
    texts = {name: field_text(name, value) for name, value in _table(table).items()}
    for name, text in texts.items():
        check_field(name, text)
    return tuple(BodyField(name=name, value=text) for name, text in sorted(texts.items()))


def headers(table: object) -> tuple[Header, ...]:
    """Return the headers of a table, in the order of their names in lower case.

    Raises:
        ValueError: If it is no table of texts, or a header may not be sent.
    """
    found: dict[str, str] = {}
    for given, value in _table(table).items():
        name = given.lower()
        if not isinstance(value, str):
            raise ValueError(f"{name}: expected text in quotes, got {type(value).__name__}")
        if name in found:
            raise ValueError(f"{name}: expected each header once; capital letters make no other one")
        check_header(name, value)
        variable = variable_of(value)
        if variable is not None and not _VARIABLE.fullmatch(variable):
            raise ValueError(f"{name}: expected the name of an environment variable behind {FROM_ENVIRONMENT}")
        found[name] = value
    return tuple(Header(name=name, value=value) for name, value in sorted(found.items()))


def _table(table: object) -> Mapping[str, object]:
    if not isinstance(table, dict):
        raise ValueError(f"expected a table, got {shown(table) if isinstance(table, (str, int)) else 'none'}")
    return table


def table_of(given: Sequence[str], *, is_json: bool) -> dict[str, object]:
    """Return the table that the values of a flag stand for: NAME=VALUE, each name once.

    Args:
        given: As on the command line.
        is_json: Whether values are JSON; a plain word needs no quotes. Else they are text.

    Raises:
        ValueError: If one is not of that form.
    """
    table: dict[str, object] = {}
    for each in given:
        name, sign, value = each.partition("=")
        if not sign or not name:
            raise ValueError(f"expected NAME={'JSON' if is_json else 'VALUE'}, got a text without a name and =")
        if name in table:
            raise ValueError(f"{shown(name)}: expected each name once, got it twice")
        table[name] = _json(name, value) if is_json else value
    return table


def _json(name: str, text: str) -> object:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        if _WORD.fullmatch(text):
            return text
        raise ValueError(f"{shown(name)}: expected JSON such as 20, true or '{{\"a\": 1}}', got none") from error
    return value


def body_table(fields: Sequence[BodyField]) -> dict[str, object]:
    """Return the table that fields come from."""
    return {each.name: field_value(each.value) for each in fields}


def header_table(given: Sequence[Header]) -> dict[str, object]:
    """Return the table that headers come from."""
    return {each.name: each.value for each in given}


def variable_of(value: str | None) -> str | None:
    """Return the environment variable that holds a header's value; None if the value is given itself."""
    return value.removeprefix(FROM_ENVIRONMENT) if value is not None and value.startswith(FROM_ENVIRONMENT) else None


def recorded(given: Sequence[Header]) -> tuple[Header, ...]:
    """Return headers as a bundle tells them: without the values that stand in the environment."""
    return tuple(each if variable_of(each.value) is None else Header(name=each.name, value=None) for each in given)


def hidden(given: Sequence[Header]) -> dict[str, str]:
    """Return the values of headers that stand in the environment, by header.

    Raises:
        ValueError: If one is not set, or cannot be sent.
    """
    found = {}
    for header in given:
        variable = variable_of(header.value)
        if variable is not None:
            value = os.environ.get(variable, "").strip()
            if not value:
                raise ValueError(f"header {header.name}: expected a value in the environment variable {variable}")
            check_header(header.name, value)
            found[header.name] = value
    return found


def set_in_environment(given: Sequence[Header]) -> tuple[str, ...]:
    """Return the values of headers that stand in the environment and are set."""
    values = (os.environ.get(variable_of(each.value) or "", "").strip() for each in given)
    return tuple(value for value in values if value)


def private_field(fields: Sequence[BodyField], secret: str) -> str | None:
    """Return which field of a body holds what must not be published; None if none does.

    Args:
        fields: The fields.
        secret: The API key; empty for none.
    """
    for field in fields:
        kind = _private(f'{{"{field.name}":{field.value}}}', secret)
        if kind is not None:
            return f"{field.name}: {_PUBLISHED}, got {kind} (not shown); leave it out"
    return None


def private_header(given: Sequence[Header], secret: str) -> str | None:
    """Return which header holds what must not be published, and what to do; None if none does.

    Args:
        given: The headers; values that stand in the environment are never published.
        secret: The API key; empty for none.
    """
    for header in given:
        if variable_of(header.value) is None:
            kind = _private(f"{header.name}: {header.value}", secret)
            if kind is None and _SECRET_NAMES.search(header.name):
                kind = "a header named as one that holds a secret"
            if kind is not None:
                return (
                    f"{header.name}: {_PUBLISHED}, got {kind} (not shown); put its value into an environment variable "
                    f"and name that: {FROM_ENVIRONMENT}MY_VARIABLE"
                )
    return None


def _private(text: str, secret: str) -> str | None:
    if len(secret) >= 8 and secret in text:
        return "the API key"
    found = next(findings(text), None)
    return None if found is None else found.kind
