"""The data page: every file is there, every column and every metric is explained, and the schema fits the data."""

import json
from pathlib import Path

from leaderboard.data_page import COLUMNS
from scoring.flat import FlatRow, flat_rows
from scoring.metric_terms import TERMS
from scoring.results import Results, results_schema
from tests.site.html import read


def rows(site: Path, table: str) -> dict[str, list[str]]:
    page = read(site / "data.html")
    box = next(element for element in page.walk() if element.attrs.get("id") == table)
    cells = [[cell.text.strip() for cell in row.all("th") + row.all("td")] for row in box.one("tbody").all("tr")]
    return {head: rest for head, *rest in cells}


def test_every_column_of_the_csv_is_explained_and_no_other(site: Path) -> None:
    assert tuple(COLUMNS) == FlatRow._fields
    assert (site / "data" / "results.csv").read_text().splitlines()[0].split(",") == list(COLUMNS)
    assert list(rows(site, "columns")) == list(COLUMNS)


def test_every_metric_is_explained_as_the_scorer_does(site: Path) -> None:
    for scope, terms in TERMS.items():
        wanted = {
            metric: [term.title, term.meaning, term.unit, term.bounds or "never any", term.n]
            for metric, term in terms.items()
        }
        assert rows(site, f"terms-{scope}") == wanted


def test_every_number_of_the_csv_is_of_an_explained_metric(site: Path, results: Results) -> None:
    known = {(scope, metric) for scope, terms in TERMS.items() for metric in terms}
    assert {(row.scope, row.metric) for row in flat_rows(results)} == known


def test_every_file_is_linked_and_there(site: Path) -> None:
    page = read(site / "data.html")
    linked = {link.attrs["href"] for link in page.one("main").all("a")}
    files = {path.relative_to(site).as_posix() for path in (site / "data").rglob("*") if path.suffix != ".js"}
    assert {name for name in files if not (site / name).is_dir()} <= linked


def test_the_schema_is_the_scorers_and_names_every_list_of_the_results(site: Path) -> None:
    text = (site / "data" / "results.schema.json").read_text()
    assert text == results_schema()
    data = json.loads((site / "data" / "results.json").read_text())
    assert set(json.loads(text)["properties"]) == set(data)
