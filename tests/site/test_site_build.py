"""The folder that a build makes: the same bytes every time, nothing outside it, nothing lost in it."""

import ast
import html
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TypeVar, get_args
from urllib.parse import unquote, urldefrag

import pytest
from jinja2 import StrictUndefined
from pydantic import BaseModel

import leaderboard.build
from games.registry import game_named
from leaderboard.build import build_site
from leaderboard.output import MANIFEST, digest, is_whole, write_tree
from leaderboard.pages import PAGE_LIMIT, environment
from protocol.context import Pathway
from protocol.signing import generate_key, load_key, team_key
from scoring.flat import to_csv
from scoring.results import Results
from tests.powercuts import power_cuts, seen
from tests.site.factory import GAMES, Spec, make_results, many, realistic, site_entry
from tests.site.html import Element, read

ModelT = TypeVar("ModelT", bound=BaseModel)
PACKAGE = Path(leaderboard.build.__file__).parent
ROOT = Path(__file__).resolve().parents[2]
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'"
)


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Element]:
    """Return every page of the site, read once for all who look at them."""
    return {path: read(path) for path in sorted(site.rglob("*.html"))}


def build_small(out: Path, *specs: Spec) -> Path:
    found = specs or (Spec("one", games=("snake",)),)
    build_site([site_entry(spec) for spec in found], make_results(found), out)
    return out


def test_the_pages_that_the_reader_expects(site: Path, results: Results) -> None:
    files = tree(site)
    assert {
        "index.html",
        "published.html",
        "method.html",
        "data/results.json",
        "data/results.csv",
        "data/standings.json",
        "data/published/s3gym-main-table.csv",
        "static/site.css",
        ".nojekyll",
    } <= files.keys()
    assert {f"games/{game}.html" for game in GAMES} <= files.keys()
    assert {f"entries/{entry.entry}.html" for entry in results.entries} <= files.keys()
    assert files["data/results.json"] == results.to_json().encode()
    assert files["data/results.csv"] == to_csv(results).encode()


def test_the_same_inputs_give_the_same_bytes_in_another_process_and_order(site: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from leaderboard.build import build_site; "
        "from tests.site.factory import make_results, realistic, site_entry; "
        "build_site([site_entry(spec) for spec in reversed(realistic())], make_results(realistic()), Path(sys.argv[1]))"
    )
    odd = {"PYTHONHASHSEED": "7", "TZ": "Pacific/Honolulu", "LC_ALL": "C", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code, str(tmp_path / "again")]
    subprocess.run(command, cwd=tmp_path, env={**os.environ, **odd}, check=True)
    assert tree(tmp_path / "again") == tree(site)


def test_a_second_build_changes_nothing(tmp_path: Path) -> None:
    specs = (Spec("one", games=("snake",)),)
    entries, results = [site_entry(spec) for spec in specs], make_results(specs)
    first = build_site(entries, results, tmp_path / "out")
    second = build_site(entries, results, tmp_path / "out")
    assert first.changed == first.files
    assert (second.changed, second.removed, second.stamp) == (0, 0, first.stamp)


def test_what_an_earlier_build_wrote_goes_and_what_others_wrote_stays(tmp_path: Path) -> None:
    out = build_small(tmp_path / "out", Spec("gone", games=("snake",)), Spec("stays", games=("snake",)))
    (out / "CNAME").write_text("example.org")
    build_small(out, Spec("stays", games=("snake",)))
    assert not (out / "entries" / "gone.html").exists()
    assert not (out / "reports" / "gone.json").exists()
    assert (out / "entries" / "stays.html").exists()
    assert (out / "CNAME").read_text() == "example.org"


def test_a_folder_that_no_build_made_is_refused_untouched(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match="neither, choose another"):
        build_small(tmp_path)
    assert tree(tmp_path) == {"notes.txt": b"mine"}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema_id": "s3gym-site-1", "files": ["../x"]}', '{"files": [1]}'])
def test_a_list_of_files_that_is_not_ours_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / MANIFEST).write_text(text)
    (tmp_path / "x").write_text("mine")
    with pytest.raises(ValueError, match=r"choose another|plain relative path"):
        build_small(tmp_path / "out")
    assert (tmp_path / "x").read_text() == "mine"


def test_a_file_in_the_way_is_not_overwritten(tmp_path: Path) -> None:
    out = build_small(tmp_path / "out", Spec("one", games=("snake",)))
    (out / "entries" / "two.html").write_text("mine")
    with pytest.raises(ValueError, match=r"two\.html: expected no such file"):
        build_small(out, Spec("one", games=("snake",)), Spec("two", games=("snake",)))
    assert (out / "entries" / "two.html").read_text() == "mine"


def test_a_link_inside_the_folder_is_not_followed(tmp_path: Path) -> None:
    out = build_small(tmp_path / "out")
    elsewhere = tmp_path / "elsewhere"
    (out / "games").rename(elsewhere)
    (out / "games").symlink_to(elsewhere)
    before = tree(elsewhere)
    with pytest.raises(ValueError, match="expected no link"):
        build_small(out, Spec("two", games=("snake",)))
    assert tree(elsewhere) == before


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", "a//b", "", MANIFEST, "a\\b", "a b"])
def test_nothing_is_written_outside(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="plain relative path"):
        write_tree(tmp_path / "out", {name: lambda: b"x"})
    assert tree(tmp_path) == {}


def test_a_build_that_breaks_off_leaves_nothing_unknown(tmp_path: Path) -> None:
    def broken() -> bytes:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_tree(tmp_path / "out", {"a": lambda: b"1", "b": broken})
    listed = json.loads((tmp_path / "out" / MANIFEST).read_text())["files"]
    assert listed == ["a", "b"]
    write_tree(tmp_path / "out", {"c": lambda: b"3"})
    assert tree(tmp_path / "out").keys() == {"c", MANIFEST}


def test_RN_03_a_build_is_the_old_or_the_new_one_at_every_power_cut_or_says_that_it_is_neither(tmp_path: Path) -> None:
    def built(folder: Path, **pages: bytes) -> None:
        write_tree(folder / "site", {name.replace("_", "/"): partial(bytes, page) for name, page in pages.items()})

    begin, after = tmp_path / "begin", tmp_path / "after"
    new = {"a": b"3" * 50, "b_c": b"4" * 90, "n_d": b"5", "same": b"6"}
    built(begin, a=b"1", b_c=b"2" * 60, old_e=b"0", same=b"6")
    built(after, a=b"1", b_c=b"2" * 60, old_e=b"0", same=b"6")
    built(after, **new)
    found = []
    for folder in power_cuts(begin, lambda folder: built(folder, **new), tmp_path / "work"):
        states = seen(folder)
        found.append("neither" if not is_whole(folder / "site") else "old" if states == seen(begin) else "new")
        if found[-1] == "new":
            assert states == seen(after)
        built(folder, **new)
        assert tree(folder) == tree(after)
    assert (found[0], found[-1]) == ("old", "new")
    assert "neither" in found


def test_a_first_build_that_stopped_at_any_power_cut_is_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "begin").mkdir()
    pages = {"a": lambda: b"1", "b/c": lambda: b"2"}
    for folder in power_cuts(tmp_path / "begin", lambda each: write_tree(each / "site", pages), tmp_path / "work"):
        write_tree(folder / "site", pages)
        assert seen(folder) == {"site/a": b"1", "site/b/c": b"2"}
        assert is_whole(folder / "site")


def test_a_build_of_before_this_was_told_counts_as_whole(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a": lambda: b"1"})
    told = json.loads((tmp_path / MANIFEST).read_text())
    del told["whole"]
    (tmp_path / MANIFEST).write_text(json.dumps(told))
    assert is_whole(tmp_path)
    assert write_tree(tmp_path, {"a": lambda: b"1"}).changed == 0


def links(page: Element) -> list[str]:
    return [element.attrs[name] for element in page.walk() for name in ("href", "src") if name in element.attrs]


def test_LB_10_every_link_is_relative_and_leads_somewhere(site: Path, pages: dict[Path, Element]) -> None:
    seen = 0
    for path, page in pages.items():
        ids = {element.attrs["id"] for element in page.walk() if "id" in element.attrs}
        assert len(ids) == len([element for element in page.walk() if "id" in element.attrs]), f"{path}: an id twice"
        for link in links(page):
            target, fragment = urldefrag(link)
            assert not re.match(r"[a-z]+:|/", target), f"{path}: {link}"
            found = (path.parent / unquote(target)).resolve() if target else path
            assert found.is_file(), f"{path}: {link}"
            assert site.resolve() in found.resolve().parents
            if fragment:
                assert fragment in ids or target, f"{path}: {link}"
            seen += 1
    assert seen > 1000


def test_every_page_carries_the_policy_and_keeps_it(pages: dict[Path, Element]) -> None:
    for path, page in pages.items():
        first = [element for element in page.all("meta") if "http-equiv" in element.attrs]
        assert [element.attrs["content"] for element in first] == [POLICY], path
        for element in page.walk():
            assert not [name for name in element.attrs if name == "style" or name.startswith("on")], path
            assert element.tag not in ("style", "iframe", "form", "base"), path
            if element.tag == "script" and "src" not in element.attrs:
                assert element.attrs["type"] == "application/json", path


def test_every_page_says_its_language_and_title_and_has_one_main_heading(pages: dict[Path, Element]) -> None:
    titles = []
    for path, page in pages.items():
        assert page.one("html").attrs["lang"] == "en"
        assert len(page.all("h1")) == 1, path
        titles.append(page.one("title").text)
        levels = [int(element.tag[1]) for element in page.walk() if re.fullmatch(r"h[1-6]", element.tag)]
        assert all(after <= before + 1 for before, after in pairwise(levels)), path
        for table in page.all("table"):
            assert table.one("caption").text.strip()
            assert all(header.attrs.get("scope") in ("col", "row") for header in table.all("th"))
    assert len(set(titles)) == len(titles)


def test_LB_08_pages_and_data_carry_one_stamp(site: Path, pages: dict[Path, Element]) -> None:
    stamp = digest((site / "data" / "results.json").read_bytes())
    assert stamp in (site / "data" / "stamp.js").read_text()
    for page in pages.values():
        assert page.one("html").attrs["data-stamp"] == stamp


def test_a_site_without_an_entry_is_whole(tmp_path: Path) -> None:
    build_site([], make_results(()), tmp_path / "out")
    assert "No verified entry yet" in read(tmp_path / "out" / "index.html").text
    assert (tmp_path / "out" / "published.html").is_file()


def test_LB_10_a_thousand_rows_stay_within_the_size_of_a_page(tmp_path: Path) -> None:
    specs = [Spec(spec.entry, team=spec.team, model=spec.model, seed=spec.seed) for spec in many(1000)]
    one = make_results(specs[:1])
    entries = tuple(one.entries[0].model_copy(update={"entry": spec.entry, "team": spec.team}) for spec in specs)

    def copied(items: tuple[object, ...]) -> list[object]:
        return [item.model_copy(update={"entry": spec.entry}) for spec in specs for item in items]  # type: ignore[attr-defined]

    results = one.model_copy(
        update={
            "entries": entries,
            "rows": tuple(copied(one.rows)),
            "entry_rows": tuple(copied(one.entry_rows)),
            "ranks": tuple(copied(one.ranks)),
            "curves": (),
            "explorations": (),
        }
    )
    told = [site_entry(Spec(spec.entry, team=spec.team)) for spec in specs]
    same = specs[0].digest
    told = [
        type(entry)(entry.entry, entry.report.model_copy(update={"bundle_digest": same}), entry.command)
        for entry in told
    ]
    build_site(told, results, tmp_path / "out")
    pages = list((tmp_path / "out").rglob("*.html"))
    assert max(path.stat().st_size for path in pages) <= PAGE_LIMIT
    shown: list[str] = []
    for part in range(1, 11):
        page = read(tmp_path / "out" / "parts" / f"paper-1-history-auc_plus-{part}.html")
        shown += [row.attrs["data-entry"] for row in page.one("tbody").all("tr")]
    assert sorted(shown) == [spec.entry for spec in specs]
    home = read(tmp_path / "out" / "index.html")
    assert "rows 1–100 of 1000" in home.one("caption").text
    assert "parts/paper-1-history-auc_plus-10.html" in links(home)


def copies(results: Results, times: int) -> Results:
    """Return the same results with every entry that many times, each time under another name."""
    names = [f"{place:03}-" for place in range(times)]

    def renamed(items: Sequence[ModelT]) -> tuple[ModelT, ...]:
        fields = ("entry", "summary", "history")
        return tuple(
            item.model_copy(update={field: f"{name}{getattr(item, field)}" for field in fields if hasattr(item, field)})
            for name in names
            for item in items
        )

    return results.model_copy(
        update={
            "entries": renamed(results.entries),
            "rows": renamed(results.rows),
            "entry_rows": renamed(results.entry_rows),
            "pair_rows": renamed(results.pair_rows),
            "ranks": renamed(results.ranks),
            "curves": renamed(results.curves),
            "explorations": renamed(results.explorations),
            "calibration": renamed(results.calibration),
        }
    )


def test_LB_10_several_long_tables_and_many_curves_share_a_page(tmp_path: Path) -> None:
    specs = (
        *(Spec(f"{name}-paper", name, seed=place, games=("snake",)) for place, name in enumerate(get_args(Pathway))),
        *(Spec(f"{name}-pocket", name, "pocket-1", games=("snake",)) for name in get_args(Pathway)),
    )
    results = copies(make_results(specs), 60)
    told = []
    for spec in specs:
        one = site_entry(spec)
        for place in range(60):
            name = f"{place:03}-{spec.entry}"
            told.append(replace(one, entry=name, report=one.report.model_copy(update={"entry": name})))
    build_site(told, results, tmp_path / "out")
    for name in ("index", "games/snake", "pathways", "pathways/snake", "judging", "judging/snake"):
        page = read(tmp_path / "out" / f"{name}.html")
        shown = {row.attrs["data-entry"] for row in page.all("tr") if "data-entry" in row.attrs}
        parts = [link for link in links(page) if "parts/" in link]
        for link in parts:
            part = read((tmp_path / "out" / name).parent / link)
            shown |= {row.attrs["data-entry"] for row in part.all("tr") if "data-entry" in row.attrs}
        wanted = {entry.entry for entry in results.entries if name[:8] != "pathways" or entry.pathway == "summary"}
        assert parts or name in ("index", "pathways", "pathways/snake")
        assert shown == wanted, name


def test_a_page_that_is_too_large_is_refused(tmp_path: Path) -> None:
    results = make_results((Spec("one", games=("snake",)),))
    entry = results.entries[0].model_copy(update={"deviations": ("x" * (PAGE_LIMIT + 1),)})
    with pytest.raises(ValueError, match=r"entries/one\.html: expected at most 500000 bytes"):
        build_site([site_entry(Spec("one"))], results.model_copy(update={"entries": (entry,)}), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_A29_documentation_is_copied_and_neither_folder_lies_in_the_other(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (docs / "assets").mkdir(parents=True)
    (docs / "index.html").write_text("<h1>Docs</h1>")
    (docs / "assets" / "main.js").write_text("1")
    before = tree(docs)
    build_site([], make_results(()), tmp_path / "out", docs=docs)
    assert (tmp_path / "out" / "docs" / "assets" / "main.js").read_text() == "1"
    assert tree(docs) == before
    assert "docs/index.html" in links(read(tmp_path / "out" / "index.html"))
    for folder in (docs, docs / "site", tmp_path):
        with pytest.raises(ValueError, match="expected a folder apart"):
            build_site([], make_results(()), folder, docs=docs)


def test_a_link_in_the_documentation_or_a_bundle_is_refused(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "secret").symlink_to("/etc/hostname")
    with pytest.raises(ValueError, match="plain files only"):
        build_site([], make_results(()), tmp_path / "out", docs=tmp_path / "docs")
    with pytest.raises(ValueError, match="plain files only"):
        build_site(
            [site_entry(Spec("one", games=("snake",)), tmp_path / "docs")],
            make_results((Spec("one", games=("snake",)),)),
            tmp_path / "out",
        )


def test_the_bundle_can_be_downloaded_whole(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    (bundle / "episodes").mkdir(parents=True)
    (bundle / "bundle.dsse.json").write_bytes(b"{}")
    (bundle / "episodes" / "snake.jsonl.gz").write_bytes(b"\x1f\x8b")
    (bundle / "README.md").write_text("<script>alert(1)</script>")
    spec = Spec("one", games=("snake",))
    out = tmp_path / "out"
    key = team_key("alpha", load_key(generate_key()))
    name = f"alpha-{key.keyid[:12]}.json"
    told = replace(site_entry(spec, bundle), key=key)
    build_site([told], make_results((spec,)), out)
    (tmp_path / "got").mkdir()
    subprocess.run(["tar", "-xf", str(out / "bundles" / "one.tar")], cwd=tmp_path / "got", check=True)
    assert tree(tmp_path / "got" / "one") == tree(bundle)
    page = read(out / "entries" / "one.html")
    assert {"../bundles/one.tar", f"../keys/{name}"} <= set(links(page))
    assert json.loads((out / "keys" / name).read_text())["public_key"] == key.public_key
    commands = [block.text.strip().splitlines() for block in page.all("pre")]
    assert ["tar -xf one.tar", f"mkdir -p keys && mv {name} keys/alpha.json", "s3gym score one"] in commands


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"verdict": "refused"}, "expected an accepted bundle"),
        ({"entry": "other"}, "expected the report of"),
        ({"team": "other"}, "expected the report of"),
        ({"bundle_digest": "0" * 64}, "expected the report of"),
        ({"checks": ()}, "expected steps 1 and 6"),
    ],
)
def test_no_mark_without_the_report_that_earns_it(change: dict[str, object], message: str, tmp_path: Path) -> None:
    told = site_entry(Spec("one"))
    changed = type(told)(told.entry, told.report.model_copy(update=change), told.command)
    with pytest.raises(ValueError, match=message):
        build_site([changed], make_results((Spec("one"),)), tmp_path / "out")


@pytest.mark.parametrize("status", ["failed", "not run"])
def test_no_mark_with_a_step_that_did_not_pass(status: str, tmp_path: Path) -> None:
    told = site_entry(Spec("one"))
    checks = (*told.report.checks[:-1], told.report.checks[-1].model_copy(update={"status": status}))
    changed = type(told)(told.entry, told.report.model_copy(update={"checks": checks}), told.command)
    with pytest.raises(ValueError, match="every step passed"):
        build_site([changed], make_results((Spec("one"),)), tmp_path / "out")


def test_an_entry_without_a_report_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a report for every scored entry"):
        build_site([], make_results((Spec("one"),)), tmp_path / "out")


def test_A28_templates_escape_everything_and_know_no_way_around() -> None:
    templates = environment()
    assert templates.autoescape is True
    assert templates.undefined is StrictUndefined
    names = templates.list_templates()
    assert names == sorted(path.name for path in (PACKAGE / "templates").iterdir())
    for name in names:
        text = (PACKAGE / "templates" / name).read_text()
        assert not re.search(r"\|\s*safe|autoescape|Markup|\|\s*tojson|style\s*=|\son\w+\s*=", text), name


def test_A28_no_code_marks_text_as_safe() -> None:
    for path in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = {getattr(node, "id", ""), getattr(node, "attr", ""), getattr(node, "name", "")}
            assert not names & {"Markup", "to_html", "mark_safe", "write_html"}, path


def test_nothing_is_fetched_from_another_host() -> None:
    for path in (PACKAGE / "static").iterdir():
        if path.suffix in (".css", ".js"):
            assert "//" not in re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.MULTILINE), path


def test_importing_the_builder_does_not_import_plotly() -> None:
    code = "import sys, leaderboard.build; sys.exit('plotly' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_realistic_pages_stay_small(site: Path) -> None:
    assert len(realistic()) == len(list(site.glob("entries/*.html")))
    assert max(path.stat().st_size for path in site.rglob("*.html")) < PAGE_LIMIT / 2


def test_a_game_s_page_holds_the_numbers_of_every_variant_and_who_plays_it(few_site: Path) -> None:
    text = html.unescape((few_site / "games" / "pvz.html").read_text(encoding="utf-8"))
    for config in game_named("pvz").configs:
        assert game_named("pvz").numbers(config) in text
    assert "At a checkpoint, standard variant (paper-1, smoke-1)" in text
    assert "At a checkpoint, sighted variant (pocket-1, rigorous-1)" in text
