"""Read a page back: its elements, its tables, its figures."""

import json
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path

VOID = {"meta", "link", "br", "hr", "img", "input", "line", "rect", "path"}


@dataclass
class Element:
    tag: str
    attrs: dict[str, str]
    children: "list[Element | str]" = field(default_factory=list)

    def walk(self) -> "list[Element]":
        """Return the element and all below it, in the order of the page."""
        found: list[Element] = []
        due = [self]
        while due:
            found.append(due.pop())
            due.extend(child for child in reversed(found[-1].children) if isinstance(child, Element))
        return found

    def all(self, tag: str) -> "list[Element]":
        return [element for element in self.walk() if element.tag == tag]

    def one(self, tag: str) -> "Element":
        return self.all(tag)[0]

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def has_class(self, name: str) -> bool:
        return name in self.attrs.get("class", "").split()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("root", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        assert len(named) == len(attrs), f"<{tag}> has an attribute twice"
        element = Element(tag, named)
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def parse(text: str) -> Element:
    """Return the page's root; every element must be closed where it was opened."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == [reader.root], f"not closed: {[element.tag for element in reader.open[1:]]}"
    return reader.root


def read(path: Path) -> Element:
    return parse(path.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Number:
    """One cell of a table, with what it is looked up by."""

    table: str
    metric: str
    entry: str
    game: str
    head: str
    shown: str
    value: str | None
    """None: the cell is missing."""
    title: str
    note: str
    protocol: str = ""
    pathway: str = ""
    other: str = ""


def shown_text(cell: Element) -> str:
    return cell.one("bdi").text


def note_text(cell: Element) -> str:
    return "".join(element.text for element in cell.walk() if element.has_class("note"))


def numbers(page: Element) -> list[Number]:
    """Return every number of every table on a page, and every missing one."""
    found = []
    for box in (element for element in page.walk() if element.has_class("table")):
        table = box.one("table")
        metrics = [header.attrs.get("data-metric", "") for header in table.one("thead").all("th")]
        for row in table.one("tbody").all("tr"):
            head, *cells = [child for child in row.children if isinstance(child, Element)]
            for metric, cell in zip(metrics[1:], cells, strict=True):
                number = Number(
                    box.attrs["id"],
                    metric,
                    row.attrs.get("data-entry", table.attrs.get("data-entry", "")),
                    row.attrs.get("data-game", table.attrs.get("data-game", "")),
                    shown_text(head),
                    shown_text(cell),
                    cell.attrs.get("data-value"),
                    cell.attrs.get("title", ""),
                    note_text(cell),
                    table.attrs.get("data-protocol", ""),
                    table.attrs.get("data-pathway", ""),
                    row.attrs.get("data-other", ""),
                )
                if "data-value" in cell.attrs or "data-missing" in cell.attrs or metric == "scores":
                    found.append(number)
                found += pieces(number, cell)
    return found


def pieces(number: Number, cell: Element) -> list[Number]:
    """Return the smaller numbers of a cell: `avg/low`, or another metric of the row by its own name."""
    found = []
    for piece in cell.all("data"):
        part = piece.attrs["data-part"]
        scope, game = number.metric.partition(":")[0], number.metric.rpartition(":")[2]
        other = f"run:{part}:{game}" if scope == "run" else part
        metric = f"{number.metric}/{part}" if part in ("low", "high", "n", "said") else other
        found.append(replace(number, metric=metric, shown=piece.text, value=piece.attrs["value"], title="", note=""))
    return found


def texts(page: Element, metric: str) -> dict[tuple[str, str, str], str]:
    """Return the words of every cell of a column of text, by table, entry and game."""
    found = {}
    for box in (element for element in page.walk() if element.has_class("table")):
        table = box.one("table")
        metrics = [header.attrs.get("data-metric", "") for header in table.one("thead").all("th")]
        for row in table.one("tbody").all("tr"):
            cells = [child for child in row.children if isinstance(child, Element)]
            entry = row.attrs.get("data-entry", table.attrs.get("data-entry", ""))
            game = row.attrs.get("data-game", table.attrs.get("data-game", ""))
            for name, cell in zip(metrics, cells, strict=True):
                if name == metric:
                    found[box.attrs["id"], entry, game] = shown_text(cell)
    return found


def figures(page: Element) -> dict[str, dict[str, list[dict[str, list[float | None]]]]]:
    """Return every figure on a page by its name."""
    scripts = [script for script in page.all("script") if script.attrs.get("type") == "application/json"]
    return {script.attrs["data-figure"]: json.loads(script.text) for script in scripts}
