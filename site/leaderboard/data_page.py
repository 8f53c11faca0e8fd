"""The page of the site's files: what can be downloaded, and what every column and every metric means."""

from __future__ import annotations

from collections.abc import Mapping

from leaderboard.numbers import ROUNDING_RULE
from leaderboard.page_kinds import DataPage, Download
from leaderboard.part_pages import NAME
from leaderboard.reference_pages import published_file
from leaderboard.view import Column, Line, Link, Table, words
from scoring.metric_terms import TERMS, Scope
from scoring.published.tables import FILES

DATA_PAGE = "data.html"
SCHEMA_FILE = "data/results.schema.json"

COLUMNS: Mapping[str, str] = {
    "scope": "run: a metric of one game of an entry; entry: of an entry over its games; pair: Summary Memory minus "
    "History ICL; pool: over the ranked runs of a protocol",
    "protocol": "the protocol's name",
    "pathway": "history or summary; empty of a pair, and of a pool over both",
    "entry": "the entry; of a pair the one under Summary Memory",
    "other": "of a pair the entry under History ICL, which is taken off",
    "game": "the game; empty over an entry's games, and of a pool over all games",
    "metric": "a name of the tables below",
    "value": "the number, in the unit of its metric; empty where there is none, never 0 and never NaN",
    "n": "what the value rests on, as its metric says",
    "low": "lower bound, of the kind that its metric says; empty where there is none",
    "high": "upper bound",
    "reason": "why there is no value, or a note on it, or a warning of a pair",
    "no_bounds": "why there are no bounds where the metric could have some",
}
_SCOPES: Mapping[Scope, str] = {
    "run": "Metrics of a run",
    "entry": "Metrics of an entry over its games",
    "pair": "Metrics of a pair",
    "pool": "Metrics over the ranked runs of a protocol",
}


def data_page() -> DataPage:
    """Return the page of the files."""
    downloads = (
        Download(Link("results.json", "data/results.json"), "everything that the scorer says, with its version"),
        Download(Link("results.schema.json", SCHEMA_FILE), "its JSON schema, with what each field means"),
        Download(
            Link("results.csv", "data/results.csv"),
            "every number, one a line; text that a spreadsheet would run as a formula starts with an apostrophe",
        ),
        Download(
            Link("standings.json", "data/standings.json"), "ranks, mean ranks and games improved, as on the home page"
        ),
    )
    published = tuple(Link(name, published_file(name)) for name in FILES)
    metrics = tuple(_terms(scope) for scope in TERMS)
    return DataPage(DATA_PAGE, f"Data · {NAME}", downloads, published, _columns(), metrics, ROUNDING_RULE)


def _columns() -> Table:
    lines = tuple(Line(words(name), (words(meaning),)) for name, meaning in COLUMNS.items())
    return Table("columns", "Columns of results.csv", (Column("Column", "text"), Column("Meaning", "text")), lines)


def _terms(scope: Scope) -> Table:
    lines = tuple(
        Line(
            words(metric),
            (
                words(term.title),
                words(term.meaning),
                words(term.unit),
                words(term.bounds or "never any"),
                words(term.n),
            ),
        )
        for metric, term in TERMS[scope].items()
    )
    columns = (
        Column("Metric", "text"),
        Column("Title", "text", "term:title"),
        Column("Meaning", "text", "term:meaning"),
        Column("Unit", "text", "term:unit"),
        Column("low and high", "text", "term:bounds"),
        Column("n counts", "text", "term:n"),
    )
    return Table(f"terms-{scope}", _SCOPES[scope], columns, lines)
