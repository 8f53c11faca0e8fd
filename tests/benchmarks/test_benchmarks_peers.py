"""What the comparison with other environments computes from its timings; nothing here is timed."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from benchmarks.peers import ours
from benchmarks.peers.figures import (
    Alone,
    Comparison,
    Missing,
    Report,
    Speed,
    Spread,
    gate,
    number,
    quotients,
    spread,
    verdicts,
)
from benchmarks.peers.measure import Contender, Pass, Recorded, replayer, speed_of, speeds
from benchmarks.peers.tables import as_json, grids, markdown, rich_table
from games.registry import GAMES


def speed(*steps: float, turns: Sequence[float] = ()) -> Speed:
    return Speed(steps, tuple(turns) or steps, tuple(10 * each for each in steps))


def comparison(ours: Speed, theirs: Speed, text: bool = True) -> Comparison:
    return Comparison("snake", "other", text, "one player's action", ours, theirs)


FAST = comparison(speed(200.0, 300.0, 900.0), speed(100.0, 100.0, 100.0))
SLOW = comparison(speed(199.0), speed(100.0))
NO_TEXT = comparison(speed(1.0), speed(100.0), text=False)
COMPILED = replace(SLOW, peer="compiled", gated=False)


def report(*comparisons: Comparison, missing: Sequence[Missing] = ()) -> Report:
    alone = (Alone("trust", speed(1000.0), 60_900), Alone("pvz", speed(1000.0), None))
    return Report((("Python", "3.11"),), comparisons, alone, tuple(missing))


def test_a_spread_is_the_middle_and_both_ends() -> None:
    assert spread([5.0, 1.0, 3.0]) == Spread(3.0, 1.0, 5.0)
    assert spread([1.0, 2.0]).median == 1.5


def test_a_spread_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        spread([])


def test_a_ratio_is_taken_within_each_repetition() -> None:
    """The machine was three times slower in the second repetition; the ratio does not notice."""
    assert quotients([300.0, 100.0], [100.0, 100.0 / 3]) == pytest.approx((3.0, 3.0))


def test_repetitions_that_do_not_pair_are_refused() -> None:
    with pytest.raises(ValueError, match="2 and 1"):
        quotients([1.0, 2.0], [1.0])


def test_the_ratio_is_the_median_of_the_repetitions_with_its_range() -> None:
    assert FAST.ratio == Spread(3.0, 2.0, 9.0)


def test_a_step_of_the_peer_may_be_a_part_of_a_turn() -> None:
    """Two calls of the peer make one turn: by its own steps it is as fast, by turns half as fast."""
    each = comparison(speed(100.0), speed(100.0, turns=[50.0]))
    assert (each.ratio.median, each.turn_ratio.median) == (1.0, 2.0)


@pytest.mark.parametrize(
    ("comparisons", "holds"),
    [
        ([FAST], True),
        ([comparison(speed(200.0), speed(100.0))], True),
        ([SLOW], False),
        ([FAST, SLOW], False),
        ([FAST, NO_TEXT], True),
        ([NO_TEXT], False),
        ([FAST, COMPILED], True),
        ([COMPILED], False),
        ([comparison(speed(100.0), speed(100.0, turns=[50.0]))], True),
        ([comparison(speed(100.0), speed(100.0, turns=[51.0]))], False),
        ([], False),
    ],
)
def test_the_gate_wants_every_peer_that_judges_twice_over_by_turns_and_at_least_one(
    comparisons: list[Comparison], holds: bool
) -> None:
    assert gate(report(*comparisons)) is holds


@pytest.mark.parametrize(("text", "holds"), [(True, False), (False, True)])
def test_a_peer_that_is_missing_fails_the_gate_if_it_makes_text(text: bool, holds: bool) -> None:
    found = report(FAST, missing=[Missing("absent", text, "No module named 'absent'")])
    assert gate(found) is holds
    assert verdicts(found)[-1].startswith("NO " if text else "-  ")
    assert "No module named 'absent'" in verdicts(found)[-1]


def test_every_peer_that_judges_has_a_line_that_ends_the_run() -> None:
    lines = verdicts(report(FAST, SLOW, NO_TEXT, COMPILED))
    assert lines == [
        "yes snake beside other: 3 times as fast (2 to 9), wanted 2",
        "NO  snake beside other: 1.99 times as fast (1.99 to 1.99), wanted 2",
    ]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.09049, "0.0905"),
        (1.999, "2"),
        (13.26, "13.3"),
        (99.96, "100"),
        (234.0, "234"),
        (1234.0, "1,230"),
        (2_587_000.0, "2,590,000"),
    ],
)
def test_a_figure_is_shown_with_three_digits(value: float, shown: str) -> None:
    assert number(value) == shown


def test_the_tables_split_peers_by_text_and_name_what_a_step_is() -> None:
    with_text, compiled, without, alone = grids(report(FAST, NO_TEXT, COMPILED))
    assert with_text.rows == (("snake", "other", "300", "100", "3 (2 to 9)", "3", "3,000", "1,000"),)
    assert with_text.notes == ("snake: a step of other is one player's action.",)
    assert [row[1] for row in compiled.rows] == ["compiled"]
    assert all("not a gate" in grid.title for grid in (compiled, without))
    assert alone.rows == (("trust", "1,000", "10,000", "60,900"), ("pvz", "1,000", "10,000", "unknown"))


def test_a_table_without_rows_is_absent() -> None:
    assert [grid.rows for grid in grids(Report((), (), (), ()))] == []


def test_the_markdown_has_the_same_cells_as_the_table() -> None:
    lines = markdown(report(FAST)).splitlines()
    assert "| snake | other | 300 | 100 | 3 (2 to 9) | 3 | 3,000 | 1,000 |" in lines
    assert lines[0] == "Python 3.11."
    assert rich_table(grids(report(FAST))[0]).row_count == 1


def test_the_json_has_every_repetition_the_ratio_and_the_verdict() -> None:
    told = json.loads(as_json(report(FAST, NO_TEXT, missing=[Missing("absent", True, "why")])))
    first, second = told["comparisons"]
    assert first["ours"]["steps"] == [200.0, 300.0, 900.0]
    assert first["ratio"] == {"median": 3.0, "low": 2.0, "high": 9.0}
    assert (first["holds"], second["holds"]) == (True, None)
    assert told["missing"] == [{"peer": "absent", "text": True, "reason": "why"}]


def test_a_speed_is_a_count_by_its_own_seconds() -> None:
    passes = [Pass(100, 50, 2.0, 10, 0.5), Pass(100, 50, 4.0, 10, 1.0)]
    assert speed_of(passes) == Speed((50.0, 25.0), (25.0, 12.5), (20.0, 10.0))


def _total(start: int, actions: Sequence[int]) -> str:
    return str(start + sum(actions))


EPISODES = [Recorded(7, [1, 2, 3], 3, 1), Recorded(9, [4], 2, 1)]


def test_a_replay_counts_steps_turns_and_resets() -> None:
    found = replayer(lambda seed: seed, _total, EPISODES)()
    assert (found.steps, found.turns, found.resets) == (5, 2, 2)


def test_a_replay_that_ends_otherwise_than_the_first_fails() -> None:
    worlds = iter(range(100))
    play = replayer(lambda _seed: next(worlds), _total, EPISODES)
    with pytest.raises(AssertionError, match="seed 7"):
        play()


def test_two_sides_are_timed_in_turns() -> None:
    order: list[str] = []

    def side(name: str) -> Contender:
        def play() -> Pass:
            order.append(name)
            return Pass(10, 10, 0.5, 1, 0.5)

        return Contender("snake", name, True, "an action", play)

    first, second = speeds([side("A"), side("B")], repetitions=3, seconds=1.0)
    assert order == ["A", "B"] * 4, "one pass each to see how long it takes, then three repetitions"
    assert first == second == Speed((20.0,) * 3, (20.0,) * 3, (2.0,) * 3)


def test_a_short_play_is_repeated_until_a_repetition_is_long_enough() -> None:
    calls: list[int] = []

    def play() -> Pass:
        calls.append(1)
        return Pass(10, 10, 0.2, 1, 0.05)

    (found,) = speeds([Contender("snake", "A", True, "an action", play)], repetitions=1, seconds=1.0)
    assert len(calls) == 1 + 4
    assert found.steps == pytest.approx((50.0,))


def test_this_project_is_replayed_by_legal_actions_alone() -> None:
    for game in GAMES:
        recorded = ours.record(game, 3)
        state = game.start(game.explore, 3)
        for action in recorded.actions:
            state, feedback, _ = game.step(state, action)
            assert not feedback.startswith("Invalid"), f"{game.id}: {action}"
        assert recorded.steps == recorded.turns == state.steps > 0
