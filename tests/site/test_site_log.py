"""The log on the site: every line, a tombstone for what stands in no table, and what kind of registry it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from leaderboard.build import build_site
from protocol.records import Content
from protocol.signing import TeamKey, generate_key, load_key
from scoring.acceptance import Happening, LogLine, RegistryMark, Subject, head_of, next_line
from scoring.board import Board
from scoring.registry import Keyring
from scoring.root_keys import Roots, root_of
from tests.site.factory import Spec, make_results, site_entry
from tests.site.html import read

ROOT = root_of(load_key(generate_key()))
HOSTILE = '<script>alert(1)</script>"\u202e'


def no_keys(team: str) -> tuple[TeamKey, ...]:
    return ()


def subject(entry: str) -> Subject:
    episodes = (Content(name="episodes/snake.jsonl", sha256="3" * 64),)
    return Subject(entry=entry, team="team-a", keyid="1" * 64, bundle_digest="2" * 64, episodes=episodes)


def board(mark: RegistryMark | None, *happenings: Happening) -> Board:
    lines: list[LogLine] = []
    for each in happenings:
        lines.append(next_line(lines, each))
    return Board(Path("nowhere"), Keyring(no_keys, mark, Roots(ROOT) if mark else None), tuple(lines))


STATES = (
    Happening("accepted", subject("one")),
    Happening("held", subject("twin"), "snake equals that of one by team-b"),
    Happening("accepted", subject("gone")),
    Happening("withdrawn", subject("gone"), HOSTILE),
    Happening("accepted", subject("bad")),
    Happening("disqualified", subject("bad"), "the replies were typed by hand"),
)


def built(out: Path, told: Board, lines_a_part: int = 100) -> Path:
    spec = Spec("one", games=("snake",))
    build_site([site_entry(spec)], make_results((spec,)), out, board=told, lines_a_part=lines_a_part)
    return out


def test_every_line_stands_on_the_log_page_with_its_reason_and_the_head(tmp_path: Path) -> None:
    told = board(None, *STATES)
    page = read(built(tmp_path / "out", told) / "log.html")
    lines, outside = (next(t for t in page.all("table") if title in t.text) for title in ("Every line", "no table"))
    assert [row.all("td")[0].text for row in lines.one("tbody").all("tr")] == [each.action for each in STATES]
    assert [row.attrs["data-entry"] for row in outside.one("tbody").all("tr")] == ["bad", "gone", "twin"]
    assert "snake equals that of one by team-b" in outside.text
    assert head_of(told.lines) in page.text


@pytest.mark.parametrize(
    ("entry", "words"),
    [("twin", "held for the organisers"), ("gone", "withdrawn by its team"), ("bad", "disqualified by the organisers")],
)
def test_what_stands_in_no_table_keeps_a_page_with_its_reason(tmp_path: Path, entry: str, words: str) -> None:
    out = built(tmp_path / "out", board(None, *STATES))
    page = read(out / "entries" / f"{entry}.html")
    assert words in page.text
    assert "Position" in page.text
    assert f"{entry}.html" not in (out / "index.html").read_text()
    assert entry not in (out / "data" / "results.json").read_text()


def test_A27_a_reason_is_text_and_nothing_else(tmp_path: Path) -> None:
    out = built(tmp_path / "out", board(None, *STATES))
    for name in ("log.html", "entries/gone.html"):
        page = read(out / name)
        assert all("src" in script.attrs for script in page.all("script"))
        assert "<script>alert(1)</script>" in page.text
        assert "\u202e" not in page.text


def test_the_registry_is_called_what_it_is(tmp_path: Path) -> None:
    unsigned = read(built(tmp_path / "unsigned", board(None)) / "log.html").text
    assert "Unsigned registry" in unsigned
    assert "rests on whoever keeps" in unsigned
    mark = RegistryMark(version=7, digest="5" * 64, root=ROOT.keyid)
    signed = read(built(tmp_path / "signed", board(mark)) / "log.html").text
    assert f"Registry version 7, signed by the organisers' root key {ROOT.keyid}" in signed
    assert "rests on whoever keeps" not in signed


def test_LB_10_a_long_log_goes_on_on_other_pages(tmp_path: Path) -> None:
    out = built(tmp_path / "out", board(None, *STATES), lines_a_part=4)
    rows = [
        row.all("th")[0].text
        for part in (1, 2)
        for row in read(out / "parts" / f"log-{part}.html").one("tbody").all("tr")
    ]
    assert rows == ["0", "1", "2", "3", "4", "5"]
