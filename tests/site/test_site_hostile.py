"""Hostile text in every field, on every page: shown as it is, and never mark-up (A17, A26, A27, LB-04)."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from pydantic import BaseModel

from leaderboard.build import build_site
from leaderboard.site_entry import SiteEntry
from leaderboard.text import plotly_label, visible_line
from protocol.records import Endpoint
from scoring.results import EntryResult, Results, RunResult
from tests.site.factory import Spec, make_results, site_entry
from tests.site.html import Element, figures, read

CORPUS = (
    'x" onmouseover="alert(1)',
    "x' onfocus='alert(1)' autofocus='",
    "</script><img src=x onerror=alert(1)>",
    "</title></style></textarea></pre><svg onload=alert(1)>",
    "<b>x</b><br>&lt;i&gt;",
    "<scratchpad>&amp;amp;</scratchpad>",
    "javascript:alert(1)",
    "{{ 7 * 7 }}{% raw %}",
    "<!--<script>",
    "]]>--><a href='javascript:alert(1)'>x</a>",
    "\x1b[31mred\x07\x00",
    "abc\u202edcba\u2066",
    "line\u2028end\u2029",
    '<script type="application/json" data-figure="curve-evil-snake"></script>',
    "%{x} $x^2$ \\u003cimg\\u003e",
    "=HYPERLINK(1)",
    "١٢٣ שלום 模型 🎲",
)
PLAIN = "x"
RowT = TypeVar("RowT", bound=BaseModel)
FIELDS = (
    "team",
    "model",
    "endpoint",
    "deviation",
    "title",
    "mark",
    "run-reason",
    "outside",
    "row-reason",
    "rank-reason",
    "no-bounds",
    "behind-reason",
    "entry-reason",
    "pair-reason",
    "pair-warning",
    "pool-reason",
    "check-title",
    "check-code",
    "check-detail",
    "command",
)


def poisoned(text: str) -> tuple[list[SiteEntry], Results]:
    """Return results and reports with the text in every field of free text, each followed by the field's name."""
    specs = (
        Spec("evil", team=f"{text}team", model=f"{text}model", failed={"snake": (0,), "chess": (3, 6)}),
        Spec("whole", team=f"{text}team", model=f"{text}model", seed=4),
        Spec("other", "summary", team=f"{text}team", model=f"{text}model", seed=5, failed={"trust": (30,)}),
    )
    results = make_results(specs)

    def told(row: RowT, **changes: str) -> RowT:
        """Return the row with text put where there is some already."""
        return row.model_copy(update={name: f"{text}{new}" for name, new in changes.items() if getattr(row, name)})

    changed = results.model_copy(
        update={
            "entries": tuple(poisoned_entry(entry, text) for entry in results.entries),
            "rows": tuple(told(row, reason="row-reason", no_bounds="no-bounds") for row in results.rows),
            "ranks": tuple(told(rank, reason="rank-reason", behind_reason="behind-reason") for rank in results.ranks),
            "entry_rows": tuple(told(row, reason="entry-reason") for row in results.entry_rows),
            "pair_rows": tuple(
                told(row, reason="pair-reason").model_copy(update={"warning": f"{text}pair-warning"})
                for row in results.pair_rows
            ),
            "pool_rows": tuple(told(row, reason="pool-reason") for row in results.pool_rows),
        }
    )
    return [poisoned_report(spec, text) for spec in specs], Results.model_validate_json(changed.model_dump_json())


def poisoned_entry(entry: EntryResult, text: str) -> EntryResult:
    def run(result: RunResult) -> RunResult:
        reason = f"{text}run-reason" if result.reason else None
        return result.model_copy(update={"reason": reason, "marks": (f"{text}mark",)})

    return entry.model_copy(
        update={
            "protocol_title": f"{text}title",
            "endpoint": Endpoint(kind="openai_chat", model=f"{text}endpoint", context_tokens=None),
            "deviations": (f"{text}deviation",),
            "runs": tuple(map(run, entry.runs)),
            "outside_main_table": f"{text}outside" if entry.outside_main_table else None,
        }
    )


def poisoned_report(spec: Spec, text: str) -> SiteEntry:
    told = site_entry(spec)
    checks = tuple(
        check.model_copy(
            update={"title": f"{text}check-title", "code": f"{text}check-code", "detail": f"{text}check-detail"}
        )
        for check in told.report.checks
    )
    return replace(told, report=told.report.model_copy(update={"checks": checks}), command=f"{text}command")


Shape = Counter[tuple[str, ...]]
"""How often each kind of element with its attributes' names stands on a page, text left out."""


def built(text: str, out: Path) -> Path:
    entries, results = poisoned(text)
    build_site(entries, results, out)
    return out


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Shape]:
    """Return the shape of every page of a site without hostile text."""
    site = built(PLAIN, tmp_path_factory.mktemp("plain") / "site")
    return {name: shape(read(site / name).walk()) for name in html_files(site)}


@pytest.fixture(scope="module", params=CORPUS)
def hostile(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Return a hostile text and the site that is full of it."""
    text = str(request.param)
    return text, built(text, tmp_path_factory.mktemp("hostile") / "site")


def html_files(site: Path) -> list[str]:
    return sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))


def shape(elements: Sequence[Element]) -> Shape:
    return Counter((element.tag, *sorted(element.attrs)) for element in elements)


def test_A27_no_text_adds_an_element_or_an_attribute(hostile: tuple[str, Path], plain: dict[str, Shape]) -> None:
    text, site = hostile
    assert html_files(site) == list(plain)
    seen: set[str] = set()
    for name, wanted in plain.items():
        page = read(site / name)
        elements = page.walk()
        assert shape(elements) == wanted, name
        for element in elements:
            assert not [attr for attr in element.attrs if attr.startswith("on") or attr == "style"]
            for attr in ("href", "src"):
                assert ":" not in element.attrs.get(attr, ""), element.attrs
        whole = page.text
        titles = {element.attrs["title"] for element in elements if "title" in element.attrs}
        seen |= {field for field in FIELDS if f"{visible_line(text)}{field}" in whole}
        assert all("⟦U+" in title or title.isprintable() for title in titles)
        if name == "games/snake.html":
            assert f"{visible_line(text)}row-reason" in titles
    assert seen == set(FIELDS)


def test_A17_charts_tables_titles_and_data_hold_the_text_itself(hostile: tuple[str, Path]) -> None:
    text, site = hostile
    page = read(site / "games" / "chess.html")
    names = {str(trace["name"]) for figure in figures(page).values() for trace in figure["data"]}
    assert plotly_label(f"whole · {text}model") in names
    data = json.loads((site / "data" / "results.json").read_text())
    assert {entry["model"] for entry in data["entries"]} == {f"{text}model"}


def test_a_spreadsheet_runs_nothing_from_the_csv(tmp_path: Path) -> None:
    site = built("=HYPERLINK(1)", tmp_path / "site")
    text = (site / "data" / "results.csv").read_text()
    assert "'=HYPERLINK(1)row-reason" in text
    assert not any(cell.startswith("=") for line in text.splitlines() for cell in line.split(","))


@pytest.mark.parametrize("name", ['x"><script>', "../../etc", "a b", "x\u202e", "ABC", ""])
@pytest.mark.parametrize("field", ["entry", "protocol", "game"])
def test_a_name_that_becomes_a_file_name_must_be_one(name: str, field: str, tmp_path: Path) -> None:
    results = make_results((Spec("one", games=("snake",)),))
    entry = results.entries[0]
    if field == "game":
        entry = entry.model_copy(update={"runs": (entry.runs[0].model_copy(update={"game": name}),)})
    else:
        entry = entry.model_copy(update={field: name})
    bad = results.model_copy(update={"entries": (entry,), "rows": (), "ranks": (), "curves": (), "explorations": ()})
    with pytest.raises(ValueError, match="expected lower-case letters"):
        build_site([], bad, tmp_path / "site")
    assert not (tmp_path / "site").exists()
