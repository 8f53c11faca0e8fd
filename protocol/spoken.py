"""What a reply says: its text without thinking, up to where the model's turn ends.

The rule is step 1 of docs/reference/reply.md, whose tables a test compares with the names here. The text is untrusted:
the work is linear in its length, since every mark is looked at once and is of bounded length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import chain
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

_CHANNEL, _DETAILS, _GRANITE = "channel", "details", "granite"
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
_GRANITE_END = re.compile(r"Here(?: is|['’]s) my response:")
_REASONING = re.compile(r"\b(?:reasoning|thinking|thought)\b", _FLAGS)
_ROLE = re.compile(rf"\s{{0,9}}(?:{_LT}{_BAR})?([a-z]{{1,20}})", _FLAGS)
_WORDS = re.compile("[^a-z0-9]+")
_CANDIDATE = re.compile(r"<|&lt;|\[|◁|assistant(?=final|analysis|commentary)|Here(?= is my|['’]s my)")
_BEGINS_TOKEN = frozenset(ascii_letters + "/|｜")
_BARE_LABEL = "thought\n"


class _Does(StrEnum):
    OPEN = "open"
    CLOSE = "close"
    EMPTY = "empty"
    THINKS = "begins a message that is thinking"
    ANSWERS = "begins a message that answers"
    MESSAGE_END = "ends a message"
    TURN_END = "ends the turn"
    OWN_TURN = "begins a turn of whoever replies"


class _Mark(NamedTuple):
    start: int
    end: int
    does: _Does
    family: str = ""


class Leak(StrEnum):
    """What a server should have kept apart from the text of a reply."""

    CHANNELS = "channels"
    THINKING = "thinking"
    TURNS = "tokens of turns"


_LEAKS = {
    **dict.fromkeys((_Does.OPEN, _Does.CLOSE, _Does.EMPTY), Leak.THINKING),
    **dict.fromkeys((_Does.THINKS, _Does.ANSWERS), Leak.CHANNELS),
    **dict.fromkeys((_Does.MESSAGE_END, _Does.TURN_END, _Does.OWN_TURN), Leak.TURNS),
}


def leak(text: str) -> Leak | None:
    """Return what the first mark of a reply shows that a server hands on; None if there is none."""
    # The end of a block that anybody may fold away says nothing without its beginning.
    mark = next((each for each in _marks(text) if (each.does, each.family) != (_Does.CLOSE, _DETAILS)), None)
    if mark is None:
        return Leak.CHANNELS if text.startswith(_BARE_LABEL) else None
    return Leak.CHANNELS if mark.family == _CHANNEL else _LEAKS[mark.does]


def spoken(text: str) -> str:
    """Return what a reply says: without thinking, each block replaced by one blank, up to the end of the turn."""
    if "<" not in text and _BARE_START.match(text) is None and not _has_rare(text):
        return text
    marks = _marks(text)
    first = next(marks, None)
    if first is None:
        return text
    reading = _Reading(text)
    for mark in chain((first,), marks):
        if reading.takes(mark):
            return " ".join(reading.kept)
    if not reading.blocks:
        reading.kept.append(text[reading.start :])
    return " ".join(reading.kept)


class _Reading:
    """A reply, read as far as some mark."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.kept: list[str] = []
        self.start = 0
        """Where what is not yet kept begins, outside of thinking."""
        self.blocks: list[str] = []
        """The families of the blocks that are open, outermost first; each stands once."""
        self._says = False
        self._answers = False

    def takes(self, mark: _Mark) -> bool:
        """Go on behind a mark, and tell whether the reply ends at it."""
        does = mark.does
        if does is _Does.CLOSE:
            self._close(mark)
        elif does is _Does.ANSWERS:
            self._answer(mark)
        elif does is _Does.MESSAGE_END and _CHANNEL in self.blocks:
            self._close(mark._replace(family=_CHANNEL))
        elif does is _Does.THINKS and _CHANNEL in self.blocks:
            # A message begins, so the one before is over, and with it what was opened in it.
            del self.blocks[self.blocks.index(_CHANNEL) + 1 :]
        elif does in (_Does.OPEN, _Does.THINKS):
            self._open(mark)
        elif not self.blocks:
            self._keep(mark)
            return does in (_Does.TURN_END, _Does.MESSAGE_END) or (does is _Does.OWN_TURN and self._says)
        return False

    def _keep(self, mark: _Mark) -> None:
        piece = self._text[self.start : mark.start]
        self._says = self._says or (bool(piece) and not piece.isspace())
        self.kept.append(piece)
        self.start = mark.end

    def _open(self, mark: _Mark) -> None:
        if mark.family not in self.blocks:
            if not self.blocks:
                self._keep(mark)
            self.blocks.append(mark.family)

    def _close(self, mark: _Mark) -> None:
        if mark.family in self.blocks:
            del self.blocks[self.blocks.index(mark.family) :]
        elif self.blocks or mark.family == _DETAILS:
            return
        else:
            self._forget()
        self.start = mark.end

    def _answer(self, mark: _Mark) -> None:
        if not self._answers:
            self._forget()
        elif not self.blocks:
            self._keep(mark)
        self.blocks.clear()
        self._answers = True
        self.start = mark.end

    def _forget(self) -> None:
        """Let go of everything before: it was thinking, and where it began is not in the text."""
        self.kept.clear()
        self._says = False


def _marks(text: str) -> Iterator[_Mark]:
    """Yield the marks of a text, from its start on."""
    start = _BARE_START.match(text)
    if start is not None:
        does = _Does.ANSWERS if start["final"] else _Does.OPEN if start["granite"] else _Does.THINKS
        yield _Mark(start.start(), start.end(), does, _GRANITE if start["granite"] else _CHANNEL)
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


def _mark(text: str, at: int) -> _Mark | None:
    """Return the mark that begins at a place."""
    if text[at] in "<&":
        return _angle(text, at)
    if text[at] == "[":
        return _square(text, at)
    if text[at] == "◁":
        tag = _TRIANGLE.match(text, at)
        return tag and _Mark(at, tag.end(), _Does.CLOSE if tag[1] else _Does.OPEN, "think")
    header = _BARE_HEADER.match(text, at)
    if header is not None:
        return _Mark(at, header.end(), _Does.ANSWERS if header[1] == "final" else _Does.THINKS, _CHANNEL)
    answer = _GRANITE_END.match(text, at)
    return answer and _Mark(at, answer.end(), _Does.CLOSE, _GRANITE)


def _square(text: str, at: int) -> _Mark | None:
    tag = _SQUARE.match(text, at)
    if tag is None:
        return None
    if tag[1] is not None:
        return _Mark(at, tag.end(), _Does.CLOSE if tag[1] else _Does.OPEN, "think")
    own = tag[2] == "/" or (tag[3] or "").lower() == "assistant"
    return _Mark(at, tag.end(), _Does.OWN_TURN if own else _Does.TURN_END)


def _angle(text: str, at: int) -> _Mark | None:
    """Return the mark that begins at an angle bracket, written out or as an entity."""
    message = _MESSAGE.match(text, at) if text[at + 1 : at + 2] in "|l" else None
    if message is not None and (message["whom"] is not None or message["channel"] is not None):
        return _Mark(at, message.end(), _Does.ANSWERS if _is_answer(message) else _Does.THINKS, _CHANNEL)
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


def _thinking(token: re.Match[str], name: str) -> _Mark | None:
    """Return the mark of a token that begins or ends thinking."""
    words = _WORDS.split(name)
    family = next((THINKING_WORDS[word] for word in words if word in THINKING_WORDS), "")
    closes = "/" in token["front"] or not CLOSING_WORDS.isdisjoint(words)
    if not family:
        if name in ODD_TAGS:
            family, closes = ODD_TAGS[name]
        elif name == _CHANNEL and token["back"]:
            family, closes = _CHANNEL, True
        elif name == _DETAILS and (closes or _REASONING.search(token["more"] or "")):
            family = _DETAILS
        else:
            return None
    does = _Does.CLOSE if closes else _Does.EMPTY if "/" in token["back"] else _Does.OPEN
    return _Mark(token.start(), token.end(), does, family)


def _turn(token: re.Match[str], name: str) -> _Mark | None:
    """Return the mark of a token that begins or ends a message or a turn."""
    barred = not {"|", "｜"}.isdisjoint(token["front"] + token["back"])
    start, end = token.span()
    if f"{token['front']}{name}{token['back']}" in BARE_ENDS:
        return _Mark(start, end, _Does.TURN_END)
    if "/" in token["front"] or token["more"]:
        return None
    if barred and name in MESSAGE_ENDS:
        return _Mark(start, end, _Does.MESSAGE_END)
    if TURN_ENDS.fullmatch(name) or (barred and name in BARRED_ENDS):
        return _Mark(start, end, _Does.TURN_END)
    if name in TURN_STARTS and (barred or name == "start_of_turn"):
        role = _ROLE.match(token.string, end)
        said = "" if role is None else role[1].lower()
        return _Mark(start, end, _Does.TURN_END if said in OTHER_ROLES else _Does.OWN_TURN)
    roles = set(_WORDS.split(name)) - _BESIDE_ROLES
    if roles and (barred or name.startswith("longcat_")) and roles <= OWN_ROLES | OTHER_ROLES:
        return _Mark(start, end, _Does.OWN_TURN if roles <= OWN_ROLES else _Does.TURN_END)
    return None
