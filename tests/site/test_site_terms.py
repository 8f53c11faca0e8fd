"""The words of metrics have one home, the scorer's; the method page adds a formula to each."""

from pathlib import Path
from typing import get_args

from leaderboard.entry_tables import CURVE, GAIN, JUDGING
from leaderboard.formulas import FORMULAS
from leaderboard.terms import GAINS
from protocol.preset import preset_named
from s3gym.wording import Gain
from scoring.metric_terms import RUN_METRICS
from scoring.statistics.power import power_note
from tests.site.html import read


def test_every_metric_of_a_run_has_a_formula_and_no_other_has() -> None:
    assert set(FORMULAS) == set(RUN_METRICS)


def test_gains_are_called_what_the_command_line_calls_them() -> None:
    assert set(GAINS.values()) == set(get_args(Gain))


def test_a_game_page_says_how_little_its_episodes_can_show(site: Path) -> None:
    for protocol in ("paper-1", "pocket-1"):
        preset = preset_named(protocol)
        assert power_note(len(preset.checkpoints), preset.strict_episodes) in read(site / "games" / "snake.html").text


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
