"""The marks in a reply that tell thinking, messages and turns apart, by the names that step 1 of the rule lists.

A test compares the names here with docs/reference/reply.md. The text is untrusted: the work is linear in its length,
since every mark is looked at once and is of bounded length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from string import ascii_letters
from typing import NamedTuple

THINKING_WORDS = {
    **dict.fromkeys(("think", "thinking", "thought", "thoughts"), "think"),
    **dict.fromkeys(("reason", "reasoning"), "reason"),
    **dict.fromkeys(("reflect", "reflection"), "reflect"),
    **{word: word for word in ("analysis", "cot", "scratchpad")},
}
"""Words that make a tag one of thinking, each with the family whose tags close each other."""
CLOSING_WORDS = frozenset(("end", "stop", "suffix"))
"""Words that make a tag of thinking a closing one, as a slash does."""
ODD_TAGS = {
    "inner_prefix": ("inner", False),
    "inner_suffix": ("inner", True),
    "unused94": ("unused", False),
    "unused95": ("unused", True),
}
"""Tags of thinking whose names do not say so, with their family and whether they close."""
TURN_ENDS = re.compile(
    r"(?:[a-z]+[:_])?(?:eo[mst](?:_id|_token)?|end_?of_?(?:message|sentence|text|turn|utterance)(?:_token)?)"
)
"""Names of tokens that end a turn, with bars or without."""
BARRED_ENDS = frozenset(("im_end", "return", "call", "assistant_end", "message_end", "role_end", "turn_end"))
"""More of them, which are tokens only between bars."""
BARE_ENDS = frozenset(("/s", "/longcat_s", "turn|"))
"""More of them, with the slash or bar that makes them one."""
MESSAGE_ENDS = frozenset(("end", "eom"))
"""Names of tokens that end a message: the turn too, if none of a channel is open and no further one follows."""
TURN_STARTS = frozenset(
    (
        "im_start",
        "start_header_id",
        "header_start",
        "start_of_role",
        "start_of_turn",
        "start_of_turn_token",
        "start",
        "turn",
    )
)
"""Names of tokens that begin a turn; the role stands after them."""
OWN_ROLES = frozenset(("assistant", "model", "chatbot"))
"""Roles of whoever replies."""
OTHER_ROLES = frozenset(("user", "human", "system", "developer", "tool", "observation", "environment", "ipython"))
"""Roles of all others."""

CHANNEL, DETAILS, _GRANITE = "channel", "details", "granite"
_BESIDE_ROLES = frozenset(("start", "begin", "token", "longcat"))
_LT, _GT, _BAR = r"(?:<|&lt;)", r"(?:>|&gt;)", "[|｜]"
_FLAGS = re.ASCII | re.IGNORECASE
_TOKEN = re.compile(
    rf"{_LT}(?P<front>[/|｜]{{0,3}})(?P<name>[a-z][a-z0-9_:.▁-]{{0,80}}(?:{_BAR}[a-z][a-z0-9_-]{{0,40}})?)"
    rf"(?P<more>[^<>\r\n|｜/a-z0-9_:.▁-][^<>\r\n]{{0,199}}?)??(?P<back>[/|｜]{{0,3}}){_GT}",
    _FLAGS,
)
_SQUARE = re.compile(r"\[(?:(/?)think(?:ing)?|(/?)inst|\|(endofturn|user|system|assistant)\|)\]", _FLAGS)
_MAY_BE_SQUARE = re.compile(r"\[(?:/?(?:think|inst)|\|)", _FLAGS)
_TRIANGLE = re.compile("◁(/?)think(?:ing)?▷", _FLAGS)
_HEADER = rf"(?:[^<&\r\n]{{0,200}}(?={_LT}\|(?:channel|constrain|message|content)\|{_GT}))?"
_MESSAGE = re.compile(
    rf"(?:{_LT}\|(?:end|eom)\|{_GT}\s{{0,9}})?(?:{_LT}\|(?:start|begin)\|{_GT}\s{{0,9}}assistant(?P<whom>{_HEADER}))?"
    rf"(?:{_LT}\|channel\|?{_GT}\s{{0,9}}(?P<channel>[a-z]{{0,40}})(?P<more>{_HEADER}))?"
    rf"(?:{_LT}\|constrain\|{_GT}[^<&\r\n]{{0,80}})?(?:{_LT}\|(?:message|content)\|{_GT})?",
    _FLAGS,
)
"""The header of a message, the end of the one before included; it may match nothing."""
_RECIPIENT = re.compile(r"\bto=(?!user\b)", re.ASCII)
_BARE_HEADER = re.compile("assistant(final|analysis|commentary)", re.ASCII)
_BARE_START = re.compile(
    r"\s{0,99}(?:(?P<final>final(?=[A-Z]|<\|message))|(?P<granite>Here is my thought process:)"
    r"|analysis(?=[A-Za-z0-9\"'“]|<\|message)|commentary(?=[A-Z{]|<\|message)|to=(?!user)[\w.]{1,80}(?=<\|message))",
    re.ASCII,
)
_BARE_FIRST = frozenset("facHt \t\n\r\f\v")
"""What a text begins with where that pattern matches."""
_GRANITE_END = re.compile(r"Here(?: is|['’]s) my response:")
_REASONING = re.compile(r"\b(?:reasoning|thinking|thought)\b", _FLAGS)
_ROLE = re.compile(rf"\s{{0,9}}(?:{_LT}{_BAR})?([a-z]{{1,20}})", _FLAGS)
_WORDS = re.compile("[^a-z0-9]+")
_CANDIDATE = re.compile(r"<|&lt;|\[|◁|assistant(?=final|analysis|commentary)|Here(?= is my|['’]s my)")
_BEGINS_TOKEN = frozenset(ascii_letters + "/|｜")


class Does(StrEnum):
    """What a mark does."""

    OPEN = "open"
    CLOSE = "close"
    EMPTY = "empty"
    THINKS = "begins a message that is thinking"
    ANSWERS = "begins a message that answers"
    MESSAGE_END = "ends a message"
    TURN_END = "ends the turn"
    OWN_TURN = "begins a turn of whoever replies"


class Mark(NamedTuple):
    """A mark, from its first character to behind its last, with the family of what it opens or closes."""

    start: int
    end: int
    does: Does
    family: str = ""


def may_hold_marks(text: str) -> bool:
    """Tell whether it is worth looking for marks in a text: a quick test that nearly all prose fails."""
    return "<" in text or "[" in text or "&" in text or "◁" in text or text[:1] in _BARE_FIRST or "assistant" in text


def marks(text: str) -> Iterator[Mark]:
    """Yield the marks of a text, from its start on."""
    start = _BARE_START.match(text)
    if start is not None:
        does = Does.ANSWERS if start["final"] else Does.OPEN if start["granite"] else Does.THINKS
        yield Mark(start.start(), start.end(), does, _GRANITE if start["granite"] else CHANNEL)
    at = 0 if start is None else start.end()
    if start is not None or _has_rare(text):
        while (found := _CANDIDATE.search(text, at)) is not None:
            mark = _mark(text, found.start())
            if mark is not None and (mark.family != _GRANITE or start is not None):
                yield mark
            at = found.end() if mark is None else mark.end
        return
    # Looking for one character skips prose far faster than looking for a pattern that begins with it.
    at = text.find("<", at)
    while at >= 0:
        mark = _angle(text, at) if text[at + 1 : at + 2] in _BEGINS_TOKEN else None
        if mark is not None:
            yield mark
        at = text.find("<", at + 1 if mark is None else mark.end)


def _has_rare(text: str) -> bool:
    """Tell whether a text may hold a mark that does not begin with an angle bracket."""
    return (
        "◁" in text
        or ("&" in text and "&lt;" in text)
        or ("[" in text and _MAY_BE_SQUARE.search(text) is not None)
        or ("assistant" in text and _BARE_HEADER.search(text) is not None)
    )


def _mark(text: str, at: int) -> Mark | None:
    """Return the mark that begins at a place."""
    if text[at] in "<&":
        return _angle(text, at)
    if text[at] == "[":
        return _square(text, at)
    if text[at] == "◁":
        tag = _TRIANGLE.match(text, at)
        return tag and Mark(at, tag.end(), Does.CLOSE if tag[1] else Does.OPEN, "think")
    header = _BARE_HEADER.match(text, at)
    if header is not None:
        return Mark(at, header.end(), Does.ANSWERS if header[1] == "final" else Does.THINKS, CHANNEL)
    answer = _GRANITE_END.match(text, at)
    return answer and Mark(at, answer.end(), Does.CLOSE, _GRANITE)


def _square(text: str, at: int) -> Mark | None:
    tag = _SQUARE.match(text, at)
    if tag is None:
        return None
    if tag[1] is not None:
        return Mark(at, tag.end(), Does.CLOSE if tag[1] else Does.OPEN, "think")
    own = tag[2] == "/" or (tag[3] or "").lower() == "assistant"
    return Mark(at, tag.end(), Does.OWN_TURN if own else Does.TURN_END)


def _angle(text: str, at: int) -> Mark | None:
    """Return the mark that begins at an angle bracket, written out or as an entity."""
    message = _MESSAGE.match(text, at) if text[at + 1 : at + 2] in "|l" else None
    if message is not None and (message["whom"] is not None or message["channel"] is not None):
        return Mark(at, message.end(), Does.ANSWERS if _is_answer(message) else Does.THINKS, CHANNEL)
    token = _TOKEN.match(text, at)
    if token is None:
        return None
    name = token["name"].lower().replace("▁", "_")
    return _thinking(token, name) or _turn(token, name)


def _is_answer(message: re.Match[str]) -> bool:
    """Tell whether a message is for whoever asked: in no channel or the final one, and to no tool."""
    channel = message["channel"]
    for_others = _RECIPIENT.search(f"{message['whom']} {message['more']}")
    return for_others is None and (channel is None or channel.lower() == "final")


def _thinking(token: re.Match[str], name: str) -> Mark | None:
    """Return the mark of a token that begins or ends thinking."""
    family, closes = _family(name)
    closes = closes or "/" in token["front"]
    if not family:
        if name == CHANNEL and token["back"]:
            family, closes = CHANNEL, True
        elif name == DETAILS and (closes or _REASONING.search(token["more"] or "")):
            family = DETAILS
        else:
            return None
    does = Does.CLOSE if closes else Does.EMPTY if "/" in token["back"] else Does.OPEN
    return Mark(token.start(), token.end(), does, family)


@lru_cache(maxsize=256)
def _family(name: str) -> tuple[str, bool]:
    """Return the family that a tag of thinking belongs to, empty if it is none, and whether its name closes."""
    if name in ODD_TAGS:
        return ODD_TAGS[name]
    words = _WORDS.split(name)
    family = next((THINKING_WORDS[word] for word in words if word in THINKING_WORDS), "")
    return family, not CLOSING_WORDS.isdisjoint(words)


def _turn(token: re.Match[str], name: str) -> Mark | None:
    """Return the mark of a token that begins or ends a message or a turn."""
    barred = not {"|", "｜"}.isdisjoint(token["front"] + token["back"])
    start, end = token.span()
    if f"{token['front']}{name}{token['back']}" in BARE_ENDS:
        return Mark(start, end, Does.TURN_END)
    if "/" in token["front"] or token["more"]:
        return None
    if barred and name in MESSAGE_ENDS:
        return Mark(start, end, Does.MESSAGE_END)
    if TURN_ENDS.fullmatch(name) or (barred and name in BARRED_ENDS):
        return Mark(start, end, Does.TURN_END)
    if name in TURN_STARTS and (barred or name == "start_of_turn"):
        role = _ROLE.match(token.string, end)
        said = "" if role is None else role[1].lower()
        return Mark(start, end, Does.TURN_END if said in OTHER_ROLES else Does.OWN_TURN)
    roles = set(_WORDS.split(name)) - _BESIDE_ROLES
    if roles and (barred or name.startswith("longcat_")) and roles <= OWN_ROLES | OTHER_ROLES:
        return Mark(start, end, Does.OWN_TURN if roles <= OWN_ROLES else Does.TURN_END)
    return None
