"""The words of metrics have one home, the scorer's; the method page adds a formula to each."""

from pathlib import Path

from leaderboard.entry_tables import CURVE, GAIN, JUDGING
from leaderboard.formulas import FORMULAS
from scoring.metric_terms import RUN_METRICS
from tests.site.html import read


def test_every_metric_of_a_run_has_a_formula_and_no_other_has() -> None:
    assert set(FORMULAS) == set(RUN_METRICS)


def test_the_three_tables_of_an_entry_share_out_every_metric() -> None:
    assert sorted((*CURVE, *GAIN, *JUDGING)) == sorted(RUN_METRICS)


def test_the_method_page_holds_title_meaning_and_formula_of_each(site: Path) -> None:
    page = read(site / "method.html")
    found = {element.attrs["id"]: element for element in page.walk() if "id" in element.attrs}
    for metric, term in RUN_METRICS.items():
        element = found[f"metric-{metric.replace('_', '-')}"]
        assert element.one("dt").text == term.title
        assert term.meaning[1:] in element.text
        assert FORMULAS[metric] in element.text
