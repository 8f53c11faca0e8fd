"""The page on the paper's printed numbers, from the stored curves and rates."""
# ruff: noqa: E501  # a row of a table is one line

from __future__ import annotations

import csv
from fractions import Fraction

from benchmarks.published_curves import CHANGES, CURVES, NUMBERS, RATES
from scoring.published.tables import main_table

HEAD = """\
# The paper's numbers

The S3Gym paper prints 294 numbers in its Table 4: Avg, Max and AUC+ of 98 runs, without the curves behind them. Can
each triple belong to one curve? `s3gym audit` asks that of any such table, and this page is its answer for the
paper's. The numbers stay quotations: nothing here is replayed.

## All 98 rows can be

For every row a curve was found on the game's grid whose Avg, Max and AUC+ have the printed digits: {whole} with all
11 checkpoints, {failed} with one failed checkpoint. The [curves](../reference/published-curves.csv) are not the
paper's; they show that nothing in Table 4 contradicts the formulas on the [metrics page](../reference/metrics.md).
A test checks each of them.

One thing follows that the paper does not say: its areas were computed from checkpoint means already rounded to four
decimals. GPT-5.5 in Nullify under Summary Memory has an AUC+ of 7.418; three episodes that score 0 or 1 have means
of whole thirds, and no curve of thirds with its Avg and Max has an area between 7.4175 and 7.4185. With .3333 and
.6667 for the thirds, `.3333 .3333 1 .6667 .6667 0 1 .6667 .3333 .3333 1` has 7.41752. The same holds for 5.584, 8.501 and
10.084. `s3gym score` never rounds a mean.

## What cannot hold together

The paper's section 6.3 quotes Delta-NABA, the NABA of Summary Memory minus that of History ICL, for eight pairs. NABA
is AUC+ / y(0). Six of the quotations do not follow from Table 4, whatever the curves were; a test does this
arithmetic.

| pair | quoted | why it cannot be |
| --- | ---: | --- |
| GPT-4o, Snake | -22.00 | History ICL has AUC+ 0.000, so its NABA is 0 and the difference cannot be negative. Table 7 agrees: the pair is one of three in Snake that Summary Memory wins. |
| o3-mini, Tetris | +14.42 | History ICL has AUC+ 0.000, so y(0) = 28.598 / 14.42 = 1.983; means of three episodes of whole rows are thirds, and 5/3 gives 17.16, 2 gives 14.30. |
| Gemini-3.5-Flash, Nullify | +8.50 | y(0), or the first positive score in its place, is 1/3, 2/3 or 1. That gives 16.75, 8.38 or 5.58 for Summary Memory and 1.25, 0.63 or 0.42 for History ICL: no difference is 8.50. |
| GPT-5.5, PvZ | -2.56 | History ICL's y(0) is at most its Max of 48, so its NABA is at least 548.499 / 48 = 11.4 and that of Summary Memory at least 8.86. Then Summary Memory's y(0) = 33.219 / NABA is below 3.75, and with an Avg of 33.500 the area above that is more than 700, not 33.219. |
| Gemini-3.5-Flash, Chess | -33.27 | Summary Memory has AUC+ 0.000, so History ICL's y(0) = 12.280 / 33.27 = 0.3691; 83/225 gives 33.29 and 84/225 gives 32.89. |
| GPT-5.5, Trust | +66.89 | No two multiples of 1/12, up to a Max of 17 and of 23, give 240.500 / y(0) - 164.411 / y(0)' = 66.89. |

The last two rest on steps of 1/225 and 1/12, which the paper does not state: all its printed maxima of the two games
are such multiples. The two pairs of Minesweeper can be: its means are shares of many denominators.

## What the auditor finds

Each published number was changed, one at a time, and the row audited with bounds and, where they are few enough, by
trying every curve. The share of changed copies that are proved impossible, by the number that was changed and by the
size of the change:
"""

TAIL = """\
*digit* adds one to the last printed digit; the others multiply. Where scores are whole (Nullify, Tetris, Snake,
PvZ) a changed Avg or Max leaves the grid at once. A changed AUC+ is found out
where scores are few (Nullify), and in PvZ and Trust next to never, even doubled: three numbers leave a curve much freedom. So *feasible* is no seal of quality; only a bundle that replays is. Where
means are shares of many denominators (Minesweeper) only the bounds speak. The
[counts](../reference/audit-rates.csv) are made by `python -m benchmarks.published_curves record`.

The auditor never calls a row impossible that can be: bounds are computed in exact fractions over every baseline,
every number that rounds to the printed digits, every single failed checkpoint and means in full or with four
decimals, and tests print random curves and audit them. What it cannot settle it calls *undecided*.
"""


def papers_numbers_page() -> str:
    """Return the page."""
    with CURVES.open(encoding="utf-8", newline="") as file:
        lengths = [len(row["xs"].split()) for row in csv.DictReader(file)]
    assert len(lengths) == len(main_table())
    head = HEAD.format(whole=lengths.count(11), failed=lengths.count(10))
    return "\n".join([head, *_rates(), "", TAIL])


def _rates() -> list[str]:
    with RATES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = [*((number, None) for number in NUMBERS), *((None, change) for change in CHANGES)]
    names = ["Avg", "Max", "AUC+", "digit", *(f"× {change}" for change in CHANGES[1:])]
    lines = ["| game | " + " | ".join(names) + " |", "| --- " + "| ---: " * len(names) + "|"]
    for game in dict.fromkeys(row["game"] for row in rows):
        cells = []
        for number, change in columns:
            some = [
                row
                for row in rows
                if row["game"] == game and number in (None, row["number"]) and change in (None, row["change"])
            ]
            copies = sum(int(row["copies"]) for row in some)
            cells.append(f"{float(Fraction(sum(int(row['found']) for row in some), copies)):.0%}")
        lines.append(f"| {game} | " + " | ".join(cells) + " |")
    return lines
