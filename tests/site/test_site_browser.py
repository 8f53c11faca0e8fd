"""The site in a real browser: over HTTP below a sub-path and from disk, with and without scripts, wide and narrow."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request

from leaderboard.build import build_site
from leaderboard.order import compare
from tests.site.factory import Spec, make_results, site_entry
from tests.site.test_site_hostile import CORPUS

pytestmark = pytest.mark.browser

PAGES = (
    "index.html",
    "pathways.html",
    "pathways/snake.html",
    "judging.html",
    "judging/snake.html",
    "training.html",
    "data.html",
    "published.html",
    "method.html",
    "games/snake.html",
    "games/pvz.html",
    "entries/elm-history.html",
    "entries/trial-smoke.html",
)
AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text()
AXE_PAGES = (
    *("index", "published", "method", "games/snake", "entries/elm-history"),
    *("pathways", "pathways/snake", "judging", "judging/snake", "training", "data"),
)
AXE_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


ALL_DRAWN = "document.querySelectorAll('.chart:not([data-drawn])').length === 0"


def until(page: Page, expression: str) -> None:
    """Wait for an expression to hold; Playwright's own wait needs an eval, which the policy refuses."""
    for _ in range(200):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    pytest.fail(f"never held: {expression}")


class Watched:
    """A page that remembers what went wrong on it."""

    def __init__(self, context: BrowserContext) -> None:
        self.page = context.new_page()
        self.faults: list[str] = []
        self.page.on("console", lambda message: self.faults.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("requestfailed", self._failed)
        self.page.on("dialog", lambda dialog: self.faults.append(f"dialog: {dialog.message}"))

    def _failed(self, request: Request) -> None:
        """Note a request that failed, unless the page was left while its icon was on the way."""
        if request.failure != "net::ERR_ABORTED":
            self.faults.append(f"failed: {request.url}")

    def see_all(self, address: str) -> Page:
        """Open a page and scroll through it, so that every chart is drawn."""
        self.page.goto(address)
        boxes = self.page.locator(".chart")
        for index in range(boxes.count()):
            boxes.nth(index).scroll_into_view_if_needed()
            boxes.nth(index).locator(".main-svg").first.wait_for(state="attached")
        until(self.page, ALL_DRAWN)
        return self.page


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context
    context.close()


@pytest.fixture(params=["http", "file"])
def base(request: pytest.FixtureRequest, site: Path) -> str:
    if request.param == "file":
        return f"{site.as_uri()}/"
    return str(request.getfixturevalue("address"))


def test_every_page_works_under_its_policy(base: str, context: BrowserContext) -> None:
    """No message on the console, no refused style or script, no failed request; every chart drawn."""
    watched = Watched(context)
    charts = 0
    for name in PAGES:
        page = watched.see_all(base + name)
        charts += page.locator(".chart[data-drawn] .scatterlayer .trace").count()
        assert watched.faults == [], name
    assert charts > 50


def test_a_chart_waits_until_it_is_scrolled_to(context: BrowserContext, address: str) -> None:
    page = context.new_page()
    page.goto(f"{address}entries/cedar-history.html")
    page.locator("h1").wait_for()
    page.wait_for_timeout(300)
    assert page.locator(".chart[data-drawn]").count() < page.locator(".chart").count()
    page.locator(".chart").last.scroll_into_view_if_needed()
    page.locator(".chart").last.locator(".main-svg").first.wait_for(state="attached")


def test_a_chart_shows_its_points_where_they_are(context: BrowserContext, address: str) -> None:
    """Without Plotly's base rules its layers lie below each other: points must lie inside the plot area."""
    watched = Watched(context)
    page = watched.see_all(f"{address}entries/cedar-history.html")
    box = page.locator(".chart").first
    inside = box.evaluate(
        """box => {
          const frame = box.getBoundingClientRect();
          return [...box.querySelectorAll('.scatterlayer .point, .xtitle, .ytitle')].map(point => {
            const place = point.getBoundingClientRect();
            return place.left >= frame.left - 1 && place.right <= frame.right + 1
              && place.top >= frame.top - 1 && place.bottom <= frame.bottom + 1;
          });
        }"""
    )
    assert len(inside) > 40
    assert all(inside)


def test_A07_sorting_keeps_missing_last_in_both_directions(context: BrowserContext, address: str) -> None:
    page = context.new_page()
    for name, table in (
        ("games/pvz.html", "pvz-paper-1-history-rules-1"),
        ("entries/elm-history.html", "measured"),
        ("training.html", "published-training"),
        ("judging.html", "coupling-paper-1-both-rho-agreement-gain"),
    ):
        page.goto(address + name)
        headers = page.locator(f"#{table} thead th")
        gone = 0
        for index in range(headers.count()):
            for direction in ("ascending", "descending"):
                headers.nth(index).get_by_role("button").click()
                sorts, kind, column = page.eval_on_selector(
                    f"#{table}",
                    """(table, index) => {
                      const headers = [...table.querySelectorAll('thead th')];
                      return [
                        headers.map(header => header.getAttribute('aria-sort')),
                        headers[index].dataset.kind,
                        [...table.querySelectorAll('tbody tr')].map(row => {
                          const cell = row.cells[index];
                          return cell.hasAttribute('data-missing') ? null
                            : cell.dataset.value ?? cell.querySelector('bdi').textContent.trim();
                        }),
                      ];
                    }""",
                    index,
                )
                assert sorts == [direction if place == index else None for place in range(len(sorts))]
                values = [value for value in column if value]
                assert [bool(value) for value in column] == [True] * len(values) + [False] * (len(column) - len(values))
                for left, right in pairwise(values):
                    order = compare(left, right, "number" if kind == "number" else "text")
                    assert order in ((-1, 0) if direction == "ascending" else (1, 0)), (name, index, column)
                gone += len(column) - len(values)
        assert gone > 0, name


def test_a_table_is_sorted_by_keyboard(context: BrowserContext, address: str) -> None:
    page = context.new_page()
    page.goto(f"{address}published.html")
    button = page.locator("#published-facts-history thead button").nth(1)
    button.focus()
    page.keyboard.press("Enter")
    first = page.locator("#published-facts-history tbody th").first
    assert first.inner_text() == "o3-mini"
    page.keyboard.press("Space")
    assert first.inner_text() in ("GPT-5.5", "Gemini-3.5-Flash")


def test_A08_the_order_is_the_same_here_and_in_the_browser(context: BrowserContext, address: str) -> None:
    page = context.new_page()
    page.goto(f"{address}index.html")
    draw = Random(8)
    odd: list[str | None] = [None, "", "NaN", "N/A", "null", "-0", "0", "0.0", "1e999", "-1e999", "5", "1e3", "007"]
    odd += [
        "a10",
        "a9",
        "a09",
        "A9",
        "é",
        "É",
        "\U0001f3b2",
        "\uffee",
        "١٢",
        "v1.10",
        "v1.9",
        "2026-01-02",
        "1 ",
        "-3.5e-7",
    ]
    odd += ["".join(draw.choice("aAbB019.-é\U0001f3b2 ") for _ in range(draw.randrange(7))) for _ in range(60)]
    odd += [repr(draw.uniform(-1e3, 1e3)) for _ in range(20)]
    pairs = [(a, b, kind, down) for a in odd for b in odd for kind in ("number", "text") for down in (False, True)]
    found = page.evaluate("pairs => pairs.map(pair => s3gymOrder.compare(...pair))", pairs)
    for (a, b, kind, down), order in zip(pairs, found, strict=True):
        assert order == compare(a, b, "number" if kind == "number" else "text", descending=down), (a, b, kind, down)


@pytest.mark.parametrize("width", [360, 430])
def test_LB_09_no_page_scrolls_sideways_on_a_phone(width: int, browser: Browser, few_site: Path) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800})
    watched = Watched(context)
    for name in PAGES:
        page = watched.see_all(f"{few_site.as_uri()}/{name}")
        page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        aligned = page.eval_on_selector_all(
            "table",
            """tables => tables.every(table => [...table.tHead.rows[0].cells].every((cell, index) => {
              const below = table.tBodies[0].rows[0]?.cells[index];
              return !below || Math.abs(below.getBoundingClientRect().left - cell.getBoundingClientRect().left) < 1;
            }))""",
        )
        assert aligned, name
    context.close()


@pytest.mark.parametrize(
    ("width", "scheme", "rules", "names"),
    [
        (1280, "light", AXE_RULES, AXE_PAGES),
        (360, "light", AXE_RULES, ("index", "entries/trial-smoke", "judging/snake", "pathways")),
        (1280, "dark", ["wcag2aa"], ("index", "games/pvz", "entries/trial-smoke", "judging/pvz", "pathways/pvz")),
    ],
)
def test_every_page_meets_the_accessibility_rules(
    width: int, scheme: str, rules: list[str], names: tuple[str, ...], browser: Browser, few_site: Path
) -> None:
    """In the dark the rules about colours are enough: nothing else changes."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if scheme == "dark" else "light"
    )
    watched = Watched(context)
    for name in names:
        page = watched.see_all(f"{few_site.as_uri()}/{name}.html")
        page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true; })")
        page.evaluate(AXE)
        found = json.loads(
            page.evaluate(
                """async tags => {
                  const found = await axe.run(document, { runOnly: tags, resultTypes: ['violations'] });
                  return JSON.stringify(found.violations.map(
                    fault => [fault.id, fault.nodes.slice(0, 3).map(node => node.html.slice(0, 200))]));
                }""",
                rules,
            )
        )
        assert found == [], name
    context.close()


def test_charts_follow_light_and_dark(context: BrowserContext, address: str) -> None:
    watched = Watched(context)
    page = watched.see_all(f"{address}games/snake.html")
    colour = "document.querySelector('.chart .scatterlayer .js-line').style.stroke"
    light = page.evaluate(colour)
    page.emulate_media(color_scheme="dark")
    until(page, f"{colour} !== {json.dumps(light)}")
    assert watched.faults == []


def test_LB_10_without_scripts_tables_are_whole_and_no_chart_leaves_a_hole(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}games/snake.html")
    assert page.locator("table tbody tr").count() > 50
    assert page.locator(".chart").first.is_hidden()
    assert page.locator("thead button").count() == 0
    context.close()


def test_LB_08_an_old_page_beside_newer_data_says_so(context: BrowserContext, address: str, site: Path) -> None:
    page = context.new_page()
    page.goto(f"{address}index.html")
    assert page.locator(".stale").count() == 0
    page.route("**/data/stamp.js", lambda route: route.fulfill(body='const s3gymStamp = "newer";'))
    page.goto(f"{address}index.html")
    page.locator(".stale").wait_for()
    assert "different builds" in page.locator(".stale").inner_text()


def test_A27_no_text_runs_in_a_browser(context: BrowserContext, tmp_path: Path) -> None:
    specs = tuple(
        Spec(f"e{place:02}", team=text, model=text, marks=(text,), deviations=(text,), seed=place, games=("chess",))
        for place, text in enumerate(CORPUS)
    )
    told = [replace(site_entry(spec), command=spec.team) for spec in specs]
    build_site(told, make_results(specs), tmp_path / "site")
    watched = Watched(context)
    for name in ("index.html", "games/chess.html", *(f"entries/{spec.entry}.html" for spec in specs)):
        page = watched.see_all(f"{(tmp_path / 'site').as_uri()}/{name}")
        assert page.locator("main img, svg[onload], main script:not([type='application/json'])").count() == 0
    assert watched.faults == []


@pytest.mark.parametrize(
    "text", ["<b>x</b><br>&lt;i&gt;", "&amp;lt;b&amp;gt;", '<a href="javascript:alert(1)">x</a>', "%{y}"]
)
def test_A17_a_chart_shows_a_hostile_name_as_it_is(text: str, context: BrowserContext, tmp_path: Path) -> None:
    specs = (Spec("one", model=text, games=("snake",)), Spec("two", skill=0.9, seed=1, games=("snake",)))
    build_site([site_entry(spec) for spec in specs], make_results(specs), tmp_path / "site")
    watched = Watched(context)
    page = watched.see_all(f"{(tmp_path / 'site').as_uri()}/games/snake.html")
    chart = page.locator(".chart").first
    chart.scroll_into_view_if_needed()
    page.wait_for_timeout(200)
    trace = chart.evaluate("box => box._fullData.findIndex(trace => trace.name.startsWith('one'))")
    point = chart.locator(".scatterlayer .trace").nth(trace).locator(".point").nth(5).bounding_box()
    assert point is not None
    page.mouse.move(point["x"] + point["width"] / 2, point["y"] + point["height"] / 2)
    hover = chart.locator(".hoverlayer .name")
    hover.wait_for(state="attached")
    assert hover.evaluate("label => label.textContent") == f"one · {text}"
    assert chart.locator(".hoverlayer a").count() == 0
    assert watched.faults == []


def test_a_page_prints_with_its_charts_and_without_its_frame(context: BrowserContext, address: str) -> None:
    page = context.new_page()
    page.goto(f"{address}entries/cedar-history.html")
    page.emulate_media(media="print")
    assert page.locator(".top").is_hidden()
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    until(page, ALL_DRAWN)
