"""Decoding settings: made, and told one by one in the words that every page, table and message has for them."""

from __future__ import annotations

from typing import NamedTuple

from protocol.asking import Header
from protocol.records import Decoding

DEFAULT = "the server's default"
UNTOLD = "not told"
"""What stands for the value of a header that is a secret."""


class Told(NamedTuple):
    """One setting."""

    name: str
    value: str


def decoding_at(temperature: float | None) -> Decoding:
    """Return settings of which only the temperature is set, or none."""
    return Decoding(
        temperature=temperature,
        top_p=None,
        sampling_seed=None,
        reasoning_effort=None,
        stream=False,
        extra_body=(),
        extra_headers=(),
    )


def asked_with(decoding: Decoding) -> tuple[Told, ...]:
    """Return every setting: the temperature first, and whatever else is set."""
    temperature = DEFAULT if decoding.temperature is None else _number(decoding.temperature)
    return Told("temperature", temperature), *beside_temperature(decoding)


def beside_temperature(decoding: Decoding) -> tuple[Told, ...]:
    """Return what is set beside the temperature; nothing for most entries."""
    plain = (
        ("reasoning effort", decoding.reasoning_effort),
        ("top_p", None if decoding.top_p is None else _number(decoding.top_p)),
        ("sampling seed", None if decoding.sampling_seed is None else str(decoding.sampling_seed)),
        ("streamed", "yes" if decoding.stream else None),
    )
    return (
        *(Told(name, value) for name, value in plain if value is not None),
        *(Told(f"body {each.name}", each.value) for each in decoding.extra_body),
        *(Told(f"header {each.name}", UNTOLD if each.value is None else each.value) for each in decoding.extra_headers),
    )


def _number(value: float) -> str:
    """Return a number as short as it can be told from all others."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def one_line(settings: tuple[Told, ...]) -> str:
    """Return settings on one line."""
    return ", ".join(f"{each.name}: {each.value}" for each in settings)


def decoding_differences(one: Decoding, other: Decoding) -> tuple[tuple[str, str, str], ...]:
    """Return the settings in which two differ: their names, and the values of both."""
    mine, theirs = dict(asked_with(one)), dict(asked_with(other))
    names = dict.fromkeys((*mine, *theirs))
    found = ((name, mine.get(name, "not set"), theirs.get(name, "not set")) for name in names)
    return tuple(each for each in found if each[1] != each[2])


def without_secrets(decoding: Decoding) -> Decoding:
    """Return settings without the headers whose values are not told: nobody else can send them."""
    kept: tuple[Header, ...] = tuple(each for each in decoding.extra_headers if each.value is not None)
    return decoding.model_copy(update={"extra_headers": kept})
