"""What is generated about results: the page of every metric."""

from __future__ import annotations

from collections.abc import Mapping

from scoring.flat import FlatRow
from scoring.metric_terms import TERMS, AnyMetric, Scope, Term

HEAD = """\
# Results

`s3gym score --json` prints everything that the scorer says; a site offers the same as `data/results.json`. Its form
is a [JSON schema](results.schema.json): no field is ever left out, no number is ever NaN or infinite, and the same
bundles give the same bytes. What the metrics mean, with formulas and worked examples, is told in [Metrics and
ranking](metrics.md).

| list | one element is |
| --- | --- |
| `entries` | an entry: who, under which conditions, what it took, and how each of its runs went |
| `rows` | a metric of a run |
| `entry_rows` | a metric of an entry over its games; never a mean of scores |
| `pair_rows` | Summary Memory minus History ICL of one model and game |
| `pool_rows` | a metric over the ranked runs of a protocol, of one game or all, of one pathway or both |
| `curves`, `explorations` | a checkpoint, an exploration episode |
| `blocks` | the exploration between two neighbouring valid checkpoints: how it was judged and what followed |
| `calibration` | what the rules paid where a model said so much, by tenths of the judging range |
| `ranks` | the place of a run in a table, and how far it is behind the first |

A number has a `value` or the `reason` why there is none; where there is a value, `reason` is a note on it. `n` is
what the value rests on. `low` and `high` are its bounds, of the kind named below; where they could be and are not,
`no_bounds` says why.

Entries of one team and model under equal protocol, endpoint, decoding and budgets are a pair if their pathways
differ; of several the first by id goes with the first. Pools hold ranked runs only.

## CSV and Parquet

`--csv` and `--parquet FILE` hold the same numbers as one flat table with the columns {columns}. `scope` is the kind
of row; what does not apply is empty (null in Parquet). Of a pair `entry` is the one under Summary Memory, `other` the
one under History ICL. In CSV a text that a spreadsheet would take for a formula has an apostrophe before it.
"""
TITLES: Mapping[Scope, str] = {
    "run": "Of a run",
    "entry": "Of an entry",
    "pair": "Of a pair",
    "pool": "Of a pool",
}


def results_page() -> str:
    """Return the page: the lists, the flat table, and every metric by scope."""
    columns = ", ".join(f"`{name}`" for name in FlatRow._fields)
    return "\n".join([HEAD.format(columns=columns), *(_section(scope, terms) for scope, terms in TERMS.items())])


def _section(scope: Scope, terms: Mapping[AnyMetric, Term]) -> str:
    rows = "\n".join(
        f"| `{name}` | {term.title} | {term.meaning} | {term.unit} | {term.n} | {term.bounds or 'none'} |"
        for name, term in terms.items()
    )
    head = "| metric | name | what it is | unit | `n` counts | bounds |\n| --- | --- | --- | --- | --- | --- |"
    return f"## {TITLES[scope]}\n\nScope `{scope}`.\n\n{head}\n{rows}\n"
