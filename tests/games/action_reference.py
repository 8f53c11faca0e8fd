"""A second reader of actions, slow and plain, written from docs/reference/actions.md: one sign after the other."""

from __future__ import annotations

FOLDED = dict(zip("０１２３４５６７８９（），；：\u3000", "0123456789(),;: ", strict=True))
FOLDED |= dict.fromkeys("−–—－﹣‐‑", "-") | {"→": "=", "°": " "}
BLANKS = " \t\r\f\v"
ALWAYS = BLANKS + "()[]{}<>\"'`*,:|&"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS = "0123456789"

Piece = str | int | None


def folded(text: str) -> str:
    return "".join(FOLDED.get(sign, sign) for sign in text)


def is_mark(text: str, at: int) -> bool:
    """Rule 2; the end of the text counts as one."""
    if at >= len(text):
        return True
    return text[at] in ALWAYS or (text[at] in ".!" and text[at + 1 : at + 2] not in tuple(DIGITS))


def past_marks(text: str, at: int) -> int:
    while at < len(text) and is_mark(text, at):
        at += 1
    return at


def past_link(text: str, at: int) -> int | None:
    """Rule 5: where a link that follows a word ends, if there is one and a number follows."""
    at = past_marks(text, at)
    if text[at : at + 1] == "=":
        while text[at : at + 1] == "=":
            at += 1
    elif text[at : at + 1] == "-":
        one = at + 1
        while text[at : at + 1] == "-":
            at += 1
        if text[at : at + 1] != ">":
            at = one
            while one < len(text) and text[one] in BLANKS:
                one += 1
            if text[one : one + 1] not in tuple("([{"):
                return None
    else:
        return None
    number = past_marks(text, at)
    if text[number : number + 1] in tuple("+-"):
        number += 1
    return at if text[number : number + 1] in tuple(DIGITS) else None


def pieces(text: str) -> list[tuple[int, Piece]]:
    """Rules 3 to 5: the words and numbers, each with its place; None for anything else, up to the next mark."""
    found: list[tuple[int, Piece]] = []
    at, after_word = past_marks(text, 0), False
    while at < len(text):
        start = at
        if not after_word and text[at] in LETTERS:
            while at < len(text) and text[at] in LETTERS:
                at += 1
            found.append((start, text[start:at].upper()))
            link = past_link(text, at)
            if link is not None:
                at = past_marks(text, link)
            after_word = link is None and not is_mark(text, at)
        else:
            while not is_mark(text, at):
                at += 1
            run = text[start:at]
            digits = run[1:] if run[0] in "+-" and not after_word else run
            good = 1 <= len(digits) <= 6 and all(sign in DIGITS for sign in digits)
            found.append((start, int(run) if good else None))
            after_word = False
        if not after_word:
            at = past_marks(text, at)
    return found


def numbers(found: list[Piece], names: list[str], last: str) -> tuple[int, ...] | None:
    """Rule 6 and 7."""
    left, read = list(found), list[int]()
    for name in names:
        if left and left[0] == name:
            del left[0]
        number = left.pop(0) if left else None
        if not isinstance(number, int):
            return None
        read.append(number)
    if last and left == [last]:
        left = []
    return tuple(read) if not left else None


def one(text: str, names: list[str], last: str = "") -> tuple[str, tuple[int, ...]] | None:
    """Return the word and the numbers of an action that is no list."""
    bare = folded(text)
    while bare and (bare[-1] in ";\n" or is_mark(bare, len(bare) - 1)):
        bare = bare[:-1]
    while bare and (bare[0] in ";\n" or bare[0] in ALWAYS):
        bare = bare[1:]
    found = [piece for _, piece in pieces(bare)]
    if not found:
        return None
    word = ""
    if isinstance(found[0], str) and [found[0]] != names[:1]:
        word = found[0]
        del found[0]
    read = numbers(found, names, last)
    return None if read is None else (word, read)


def many(text: str) -> list[tuple[str, tuple[int, ...]] | None]:
    """Return the entries of a list, None for an unreadable one."""
    read: list[tuple[str, tuple[int, ...]] | None] = []
    for part in folded(text).replace("\n", ";").split(";"):
        found = pieces(part)
        starts = [place for place, (_, piece) in enumerate(found) if isinstance(piece, str) and len(piece) == 1]
        if not found:
            continue
        if not starts or any(sign in DIGITS for sign in part[: found[starts[0]][0]]):
            read.append(None)
            continue
        for start, end in zip(starts, [*starts[1:], len(found)], strict=True):
            letter = found[start][1]
            assert isinstance(letter, str)
            cell = numbers([piece for _, piece in found[start + 1 : end]], ["ROW", "COLUMN"], "AND")
            read.append(None if cell is None else (letter, cell))
    return read
