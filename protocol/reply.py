"""The one home of the rule that reads a reply: raw text in, action and self-score out.

The runner and the scorer both read through this file. The rule is written in docs/reference/reply.md, whose steps the
comments here count and whose table of examples a test compares with this code. The text is untrusted: the work is
linear in its length, nothing raises, and nothing hangs on a Unicode table of the Python in use.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import inf
from typing import NamedTuple

from protocol.exact import MAX_EXACT
from protocol.spoken import spoken

MAX_ACTION = 4_000
"""Characters of an action that is still read."""
MAX_SHOWN = 400
"""Characters of an action in a canonical line."""
EARLIER = "Answer: ?\n"
"""An answer line that no action of a game is on; it stands for any that came before the one that is read."""
MAX_NUMBER = 32
"""Characters of a self-score that is still read."""


class Reply(NamedTuple):
    """What a reply says."""

    action: str | None
    """The action; empty if an empty one was given; None if the reply is unreadable."""
    score: float | None
    """The self-score, finite; None if missing."""
    score_text: str | None
    """The self-score as read, in ASCII, at most 32 characters; None if missing."""


UNREADABLE = Reply(None, None, None)

_CONTROLS = "".join(map(chr, (*range(0x20), *range(0x7F, 0xA0))))
_BLANKS = (
    _CONTROLS + " \u00a0\u1680\u2028\u2029\u202f\u205f\u2060\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200C)))
)
_EDGE = _BLANKS + "*_`|$\"'“”‘’"
_HEAD = _EDGE + ":：>)]}"
_TAIL = _EDGE + ",;.，；。\\([{"
_DASHES = "-–—"
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_B = f"[{re.escape(_BLANKS)}]"
_COMMAND = rf"\\(?:boxed|fbox|mbox|emph|operatorname|text[a-z]*|math[a-z]*)\*?{_B}*\{{"

# Steps 2 to 4.
_COLON = re.compile(rf"[{re.escape(_BLANKS.replace(chr(10), ''))}*_`]*[:：]")
_LEAD = re.compile(rf"[{re.escape(_EDGE)}>#]*(?:[-+•]{_B}+[{re.escape(_EDGE)}>#]*)*")
_FENCE = re.compile(rf"[{re.escape(_BLANKS)}>]*(?:`{{3,}}[^`]*|~~~.*)")
_SELF = re.compile(r"self[-_ ]?", re.ASCII)
# Steps 5 and 6.
_BRACKET = re.compile(r"[()\[\]{}]")
_OPENING = {")": "(", "]": "[", "}": "{"}
_OPENER = re.compile(rf"{_COMMAND}|\\?[(\[{{]", re.ASCII | re.IGNORECASE)
_CLOSE_TAG = re.compile(rf"</([a-z][a-z0-9_-]*){_B}*>", re.ASCII | re.IGNORECASE)
_LONE_TAG = re.compile(rf"<\|[a-z0-9_]+\|>|<br{_B}*/?>", re.ASCII | re.IGNORECASE)
_OPEN_TAG = re.compile(rf"<([a-z][a-z0-9_-]*)(?:{_B}[^<>()\[\]{{}}]*)?>", re.ASCII | re.IGNORECASE)
_END_COMMAND = re.compile(r"\\[a-z]+", re.ASCII | re.IGNORECASE)
_UNSEEN = re.compile(f"[{re.escape(_CONTROLS.replace(chr(9), ''))}]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_PLACEHOLDER = re.compile(r"<[^<>]+>")
_BLANK_RUN = re.compile(f"{_B}+")
# Steps 7 to 9.
_FOLDS = {0xFF01 + code: chr(0x21 + code) for code in range(94)}
_FOLDS |= dict.fromkeys(map(ord, "−–—―‒‐‑﹣"), "-") | {ord("。"): ".", ord("、"): ","}
_SCORE_LEAD = re.compile(rf"(?:[{re.escape(_EDGE)}:)}}\]]+|</[a-z][a-z0-9_-]*>|{_COMMAND}|\\[(\[])*", re.ASCII)
_NUMBER = r"(?:[0-9]+(?:\.[0-9]+|\.(?=e[-+]?[0-9]))?|\.[0-9]+)(?:e[-+]?[0-9]+)?"
_VALUE = re.compile(
    rf"(?P<sign>[-+]?){_B}*(?P<size>(?P<number>{_NUMBER})"
    rf"(?:(?:{_B}*/{_B}*|{_B}+out{_B}+of{_B}+)(?P<parts>{_NUMBER})|{_B}*(?P<percent>\\?%|per{_B}?cent(?![a-z])))?)",
    re.ASCII,
)
_ENDS_NUMBER = frozenset(_EDGE + ",;.()[]{}<>\\!?…")
_DIGIT = "[0-9²³¹¼-¾\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u2070-\u209f\u2150-\u218f]"
_SECOND_NUMBER = re.compile(rf"[^,;(.]*?{_DIGIT}|[\x00-\x60\x7b-\x7f{re.escape(_EDGE)}]*{_DIGIT}", re.ASCII)
_UNFINISHED = re.compile(rf"[{re.escape(_EDGE)}]*(?:/|out{_B}+of(?![a-z]))", re.ASCII)
# The usual last line, read at once; the general way reads it no differently.
_CELL = r"\([0-9]{1,2}, ?[0-9]{1,2}\)"
_MOVE = rf"[A-Za-z0-9]{{1,40}}(?: [A-Za-z0-9]{{1,40}}){{0,3}}(?: ?{_CELL})?"
_ACTION = rf"(?:{_MOVE}(?:; {_MOVE}){{0,15}}|[a-z]:{_CELL}(?:, [a-z]:{_CELL}){{0,25}})"
_PLAIN_ACTION = re.compile(_ACTION, re.ASCII)
_PLAIN = re.compile(
    rf" ?Answer: ({_ACTION}), "
    r"Score: ((?:[0-9]|-[1-9])[0-9]{0,8}(?:\.[0-9]{1,16})?|-0\.[0-9]{0,15}[1-9])\n?",
    re.ASCII,
)


def read_reply(text: str) -> Reply:
    """Return the action and the self-score of a reply.

    Args:
        text: The raw reply, any text at all.
    """
    return _read(_answering(text))


def _read(text: str) -> Reply:
    plain = _plain(text)
    if plain is not None:
        return Reply(plain[1], float(plain[2]), plain[2])
    # Reading goes from the bottom, so whole lines at the end are enough if an answer is found there.
    cut = text.rfind("\n", 0, max(0, len(text) - 600)) + 1
    found = _read_lines(text[cut:])
    if found is None and cut:
        found = _read_lines(text)
    return UNREADABLE if found is None else found


def gist(text: str) -> str | None:
    """Return a text with the usual last line of a reply that says all of it; None if the reply has another one.

    What stood before is in it only as an answer line, if `second_answer` finds one there.
    """
    said = _answering(text)
    plain = _plain(said)
    if plain is None:
        return None
    line = f"Answer: {plain[1]}, Score: {plain[2]}"
    return f"{EARLIER}{line}" if plain.start() and _has_other(said, plain.start(), plain[1]) else line


def second_answer(text: str) -> bool:
    """Tell whether a reply holds, above the answer that is read, another one that would have been read without it.

    An action that differs in blanks and in upper and lower case alone is no other one.
    """
    if _lower(text).count("answer") < 2:
        return False
    said = _answering(text)
    low = _lower(said)
    end, action = len(said), None
    while action is None and (label := _last_label(low, "answer", 0, end)) is not None:
        end = label[0]
        reply = _read_line(said, low, label[1])
        action = None if reply is None else reply.action
        if reply is not None and action is None:
            return False
    return action is not None and _has_other(said, end, action)


def _has_other(text: str, end: int, action: str) -> bool:
    """Tell whether text[:end] holds an answer line with another action than the one given."""
    # A label has a colon; where nothing has one, there is no need for a lowered copy of all that was said.
    if text.find(":", 0, end) < 0 and text.find("：", 0, end) < 0:
        return False
    low = _lower(text[:end])
    while (label := _last_label(low, "answer", 0, end)) is not None:
        other = _action_at(text, low, label[1], end)
        if other and _folded(other) != _folded(action):
            return True
        end = label[0]
    return False


def _action_at(text: str, low: str, start: int, end: int) -> str:
    """Return the action that a label gives which is not the last; empty if none."""
    stop = min(_line_end(text, start), end)
    if not text[start:stop].strip(_EDGE):
        start, stop = _next_line(text, stop)
        if stop > end:
            return ""
    label = _last_label(low, "score", start, stop)
    raw = text[start : stop if label is None else _first_score(low, start, label[0])].strip(_BLANKS)
    if len(raw) > MAX_ACTION:
        return ""
    action = _bare(raw)
    return "" if _is_echo(raw, action) else action


def _folded(action: str) -> str:
    return _lower(_BLANK_RUN.sub("", action))


def _answering(text: str) -> str:
    """Return the text of a reply in which the answer is looked for."""
    text = spoken(text)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _plain(text: str) -> re.Match[str] | None:
    return _PLAIN.fullmatch(text, text.rfind("\n", 0, len(text) - 1) + 1)


@lru_cache(maxsize=4096)
def read_again(text: str) -> Reply:
    """Return what ``read_reply`` returns of a short text that is likely to be read again."""
    return read_reply(text)


@lru_cache(maxsize=1024)
def canonical_line(reply: Reply) -> str:
    """Return the line that stands for a reply in later contexts; reading it back gives this line again."""
    if reply.action is None:
        return "Answer: INVALID, Score: NA"
    return f"Answer: {_shown(reply.action)}, Score: {'NA' if reply.score_text is None else reply.score_text}"


@lru_cache(maxsize=512)
def _shown(action: str) -> str:
    """Return an action as a canonical line shows it."""
    if len(action) <= MAX_SHOWN and _PLAIN_ACTION.fullmatch(action):
        return action
    return _bare(_BLANK_RUN.sub(" ", action)[:MAX_SHOWN])


def _read_lines(text: str) -> Reply | None:
    """Read the lowest line that answers; None if no line does."""
    low = _lower(text)
    end = len(text)
    while (label := _last_label(low, "answer", 0, end)) is not None:
        at, start = label
        reply = _read_line(text, low, start)
        if reply is not None:
            return reply
        end = low.rfind("\n", 0, at) + 1
    return None


def _lower(text: str) -> str:
    """Lower ASCII letters only, so that every character keeps its place."""
    if text.isascii():
        return text.lower()
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def _last_label(low: str, word: str, start: int, end: int) -> tuple[int, int] | None:
    """Return where the last `word:` in a stretch begins and where it ends; None if there is none."""
    at = low.rfind(word, start, end)
    while at >= 0:
        colon = _COLON.match(low, at + len(word), end) if _begins_word(low, at) else None
        if colon is not None:
            return at, colon.end()
        at = low.rfind(word, start, at)
    return None


def _begins_word(low: str, at: int) -> bool:
    """Tell whether no letter stands right before a word; `selfscore` counts as one word."""
    if at >= 4 and low.startswith("selfscore", at - 4):
        at -= 4
    return at == 0 or low[at - 1] not in _LETTERS


def _read_line(text: str, low: str, start: int) -> Reply | None:
    """Read what follows the last `answer:` of a line; None if it only echoes the format."""
    end = _line_end(text, start)
    if not text[start:end].strip(_EDGE):
        start, end = _next_line(text, end)
    label = _last_label(low, "score", start, end)
    raw = text[start : end if label is None else _first_score(low, start, label[0])].strip(_BLANKS)
    if len(raw) > MAX_ACTION:
        return UNREADABLE
    action = _visible(_bare(raw))
    if _is_echo(raw, action):
        return None
    score, score_text = _read_score(_score_below(text, low, end) if label is None else text[label[1] : end])
    return Reply(action, score, score_text)


def _first_score(low: str, start: int, last: int) -> int:
    """Return where the first score label of a stretch begins, a `self` before it included."""
    at = low.find("score", start)
    while at < last and not (_begins_word(low, at) and _COLON.match(low, at + 5)):
        at = low.find("score", at + 5)
    for length in (5, 4):
        if at - length >= start and _SELF.fullmatch(low, at - length, at):
            before = at - length
            return before if before == 0 or low[before - 1] not in _LETTERS else at
    return at


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _next_line(text: str, end: int) -> tuple[int, int]:
    """Return the stretch of the next line that says something, from its first word on; an empty one if none does."""
    while end < len(text):
        start, end = end + 1, _line_end(text, end + 1)
        if start == end:
            continue
        lead = _LEAD.match(text, start, end)
        if lead is not None and text[lead.end() : end].strip(_EDGE) and not _FENCE.fullmatch(text, start, end):
            return lead.end(), end
    return end, end


def _score_below(text: str, low: str, end: int) -> str:
    """Return the text of a score that stands on a line of its own below the answer; empty if none does."""
    start, end = _next_line(text, end)
    label = _last_label(low, "score", start, end)
    if label is None or _first_score(low, start, label[0]) != start:
        return ""
    if text[label[1] : end].strip(_EDGE):
        return text[label[1] : end]
    # The whole line: a dash before the number is its minus sign, not a bullet.
    _, end = _next_line(text, end)
    return text[text.rfind("\n", 0, end) + 1 : end]


def _bare(text: str) -> str:
    """Return an action without the marks, wrappers and stray brackets around it."""
    low, high = 0, len(text)
    partners: dict[int, int] | None = None
    while True:
        body = text[low:high].lstrip(_HEAD)
        low = high - len(body)
        high = low + len(body.rstrip(_TAIL))
        if low == high or (text[low] not in "([{\\<" and text[high - 1] not in ")]}>-–—" and "\\" not in body):
            return text[low:high]
        if partners is None:
            partners = _partners(text)
        shorter = _peel(text, low, high, partners)
        if shorter == (low, high):
            return text[low:high]
        low, high = shorter


def _partners(text: str) -> dict[int, int]:
    """Return for every bracket that has a partner the place of that partner, each kind by itself."""
    partners: dict[int, int] = {}
    waiting: dict[str, list[int]] = {"(": [], "[": [], "{": []}
    for bracket in _BRACKET.finditer(text):
        at, kind = bracket.start(), bracket[0]
        if kind in waiting:
            waiting[kind].append(at)
        elif waiting[_OPENING[kind]]:
            partners[at] = waiting[_OPENING[kind]].pop()
            partners[partners[at]] = at
    return partners


def _peel(text: str, low: int, high: int, partners: dict[int, int]) -> tuple[int, int]:
    """Take one layer off text[low:high]; the same bounds if there is none."""
    last = text[high - 1]
    if last in ")]}" and partners.get(high - 1, -1) < low:
        return low, high - 1
    if last in _DASHES and high - low > 1 and text[high - 2] in _BLANKS:
        return low, high - 1
    command = text.rfind("\\", low + 1, high)
    if command > low and _END_COMMAND.fullmatch(text, command, high):
        return low, command
    if last == ">" or text[low] == "<":
        return _peel_tag(text, low, high)
    opener = _OPENER.match(text, low, high)
    if opener is not None:
        inner = opener.end()
        partner = partners.get(inner - 1, high)
        if partner >= high:
            return inner, high
        if partner == high - 1 and opener[0] != "(":
            return inner, partner
    return low, high


def _peel_tag(text: str, low: int, high: int) -> tuple[int, int]:
    """Take a tag off an end of text[low:high], or a pair of tags off both; the same bounds if there is none."""
    last = text.rfind("<", low, high)
    if last >= 0 and _LONE_TAG.fullmatch(text, last, high):
        return low, last
    close = _CLOSE_TAG.fullmatch(text, last, high) if last >= 0 else None
    if close is not None:
        first = _OPEN_TAG.match(text, low, last)
        return (first.end() if first is not None and _lower(first[1]) == _lower(close[1]) else low), last
    stray = _CLOSE_TAG.match(text, low, high)
    return (low if stray is None else stray.end()), high


def _visible(action: str) -> str:
    """Turn control characters other than tab into blanks, and halves of surrogate pairs into U+FFFD."""
    if action.isascii() and action.isprintable():
        return action
    return _SURROGATE.sub("\ufffd", _UNSEEN.sub(" ", action))


def _is_echo(raw: str, action: str) -> bool:
    """Tell whether the action is a form to fill in: something in angle brackets, or nothing but dots."""
    if not action.strip(".…"):
        return "." in raw or "…" in raw
    return "<" in action and _PLACEHOLDER.search(action) is not None


def _read_score(text: str) -> tuple[float, str] | tuple[None, None]:
    """Return the number that a score text begins with, and its text; None twice if it is missing or ambiguous."""
    low = _lower(text if text.isascii() else text.translate(_FOLDS))
    lead = _SCORE_LEAD.match(low)
    match = _VALUE.match(low, 0 if lead is None else lead.end())
    if match is None or not _stands_alone(low[match.end() :]):
        return None, None
    shown = match["sign"] + _BLANK_RUN.sub(" ", match["size"])
    value = _size(match) if len(shown) <= MAX_NUMBER else inf
    if value > MAX_EXACT:
        return None, None
    if value == 0:
        return 0.0, shown.removeprefix("-")
    return (-value if match["sign"] == "-" else value), shown


def _size(match: re.Match[str]) -> float:
    """Return the size of a matched number; infinity if it, or a part of it, is one that we do not read."""
    size, parts = float(match["number"]), float(match["parts"] or 1)
    if max(size, parts) > MAX_EXACT or not parts:
        return inf
    return size / 100 if match["percent"] is not None else size / parts


def _stands_alone(rest: str) -> bool:
    """Tell whether what follows a number neither continues it nor offers a second one."""
    if not rest:
        return True
    return rest[0] in _ENDS_NUMBER and not _SECOND_NUMBER.match(rest) and not _UNFINISHED.match(rest)
