"""Text from outside, made safe to look at: what is invisible is shown, what is mark-up elsewhere is escaped."""

from __future__ import annotations

import json
import re

from protocol.records import Name

_HIDDEN_RANGES = (
    (0x80, 0x9F),
    (0xAD, 0xAD),
    (0x115F, 0x1160),
    (0x600, 0x605),
    (0x61C, 0x61C),
    (0x6DD, 0x6DD),
    (0x70F, 0x70F),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xD800, 0xDFFF),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF9, 0xFFFB),
    (0xFFFE, 0xFFFF),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE01EF),
)
"""Controls, bidirectional and zero-width marks, fillers and surrogates: written out, since Python versions differ."""

_HIDDEN = re.compile("[" + "".join(f"{chr(low)}-{chr(high)}" for low, high in _HIDDEN_RANGES) + "]")
_CONTROLS = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "\u2421"}
_CONTROLS_BUT_LINES = {code: sign for code, sign in _CONTROLS.items() if code != 0x0A}
_JSON_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
_PLOTLY_ESCAPES = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord("{"): "&#123;"}
"""Plotly reads ``%{name}`` in labels too; it fills that in before it reads entities."""
_NAME = re.compile(r"\A[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?\Z", re.ASCII)


def _named(match: re.Match[str]) -> str:
    return f"\u27e6U+{ord(match.group()):04X}\u27e7"


def visible(text: str) -> str:
    """Return text in which every hidden character but the line end shows."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(_named, text.translate(_CONTROLS_BUT_LINES))


def visible_line(text: str) -> str:
    """Return text on one line, in which every hidden character shows."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(_named, text.translate(_CONTROLS))


def plotly_label(text: str) -> str:
    """Return a label that Plotly, which reads pseudo-HTML in labels, draws literally."""
    return visible_line(text).translate(_PLOTLY_ESCAPES)


def island(value: object) -> str:
    """Return strict JSON that no text in it can break out of a script element with."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return text.translate(_JSON_ESCAPES)


def file_name(name: Name, what: str) -> str:
    """Return the name, which pages are called by.

    Raises:
        ValueError: If it is no safe file name.
    """
    if not _NAME.match(name):
        raise ValueError(f"{what}: expected lower-case letters, digits and . _ - only, got {visible_line(name)!r}")
    return name
