"""Texts that look like secrets or private names, found before they are signed or published."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class Finding(NamedTuple):
    """A text that looks like something private."""

    kind: str
    shown: str
    """Its first characters and its length; the rest is not repeated."""


class _Shape(NamedTuple):
    kind: str
    signs: tuple[str, ...]
    """One of these stands in every text, in lower case, that the pattern finds: most texts need no more than that."""
    pattern: re.Pattern[str]


_BYTE = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_KEYS = ("sk", "pk", "rk", "gsk", "xai", "hf", "ghp", "gho", "ghs", "ghu", "ghr", "glpat", "github_pat", "r8")
_SLACK = ("xoxa", "xoxb", "xoxp", "xoxr", "xoxs")
_HOSTS = ("internal", "intranet", "corp", "lan", "local", "localdomain", r"home\.arpa")
_SHAPES = (
    _Shape(
        "an API key",
        (*(f"{key}{mark}" for key in (*_KEYS, *_SLACK) for mark in "-_"), "akia", "asia", "aiza"),
        re.compile(
            rf"(?<![\w-])(?:{'|'.join((*_KEYS, *_SLACK))})[-_][A-Za-z0-9_-]{{16,400}}"
            r"|(?<!\w)(?:AKIA|ASIA)[A-Z0-9]{16}(?!\w)|(?<!\w)AIza[A-Za-z0-9_-]{30,60}"
        ),
    ),
    _Shape("a private key", ("private key-----",), re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY-----")),
    _Shape("a JSON web token", ("eyj",), re.compile(r"(?<!\w)eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,4000}")),
    _Shape(
        "a bearer token",
        ("bearer", "basic"),
        re.compile(r"\b(?:bearer|basic)[ \t]{1,4}(?=[a-z._~+/-]{0,400}\d)[a-z0-9._~+/-]{16,4000}", re.IGNORECASE),
    ),
    _Shape(
        "a key in a setting or address",
        ("key", "token", "secret", "passw"),
        re.compile(
            r"\b(?:api[-_]?key|access[-_]?token|secret|password|passwd)\b[\"']?[ \t]{0,4}[=:][ \t]{0,4}[\"']?"
            r"[^\s\"'&<>]{8,400}",
            re.IGNORECASE,
        ),
    ),
    _Shape("a name and password in an address", ("://",), re.compile(r"://[^\s/@:]{1,200}:[^\s/@]{1,200}@")),
    _Shape(
        "a private address",
        ("10.", "192.168.", "172.", "127.", "169.254.", "100.", "fe80:", "fc", "fd"),
        re.compile(
            rf"(?<![\d.])(?:10\.{_BYTE}|192\.168|172\.(?:1[6-9]|2\d|3[01])|127\.{_BYTE}|169\.254"
            rf"|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.{_BYTE}\.{_BYTE}(?![\d.]\d)"
            r"|(?<![\w:])(?:f[cd][0-9a-f]{2}|fe80):[0-9a-f:]{2,40}",
        ),
    ),
    _Shape(
        "a private host name",
        (".internal", ".intranet", ".corp", ".lan", ".local", ".home.arpa", "//localhost"),
        re.compile(
            rf"(?<![\w.-])(?:[a-z0-9][a-z0-9-]{{0,62}}\.){{1,6}}(?:{'|'.join(_HOSTS)})(?![\w-])|//localhost\b",
            re.IGNORECASE,
        ),
    ),
    _Shape(
        "an e-mail address",
        ("@",),
        re.compile(r"(?<![\w.+-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}(?![\w-])"),
    ),
    _Shape(
        "a home folder",
        ("/home/", "users", "/root/"),
        re.compile(r"(?:/home/|/Users/|[A-Za-z]:\\{1,2}Users\\{1,2})[A-Za-z0-9._-]{1,64}|(?<![\w/])/root/[\w.-]{1,64}"),
    ),
)
MAX_FINDINGS = 1000
"""Findings of one text that are told; whoever has so many needs no further one."""
_SHOWN = 4


def findings(text: str) -> Iterator[Finding]:
    """Yield what looks private in a text; a guess by shape, so an honest text can be named and a secret missed."""
    lower = text.lower()
    taken: list[tuple[int, int]] = []
    for shape in _SHAPES:
        if not any(sign in lower for sign in shape.signs):
            continue
        before = len(taken)
        for match in shape.pattern.finditer(text):
            start, end = match.span()
            if not any(start < last and first < end for first, last in taken[:before]):
                if len(taken) == MAX_FINDINGS:
                    return
                taken.append((start, end))
                yield Finding(shape.kind, f"{match.group()[:_SHOWN]}... ({end - start} characters)")
