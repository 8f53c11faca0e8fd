"""Competition ranks."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics.ranks import competition_ranks


def test_ties_share_the_better_rank() -> None:
    assert competition_ranks({"a": 1.0, "b": 3.0, "c": 2.0, "d": 2.0}) == {"b": 1, "c": 2, "d": 2, "a": 4}


def test_LB_02_zero_has_a_rank_and_equals_minus_zero() -> None:
    assert competition_ranks({"a": 0.0, "b": -0.0}) == {"a": 1, "b": 1}


@given(st.dictionaries(st.text(max_size=3), st.sampled_from([0.0, 1.0, 2.0, 2.5]), max_size=8))
def test_A04_ranks_do_not_depend_on_order_or_names(values: dict[str, float]) -> None:
    names = list(values)
    random.Random(0).shuffle(names)
    assert competition_ranks({name: values[name] for name in names}) == competition_ranks(values)
    for name, rank in competition_ranks(values).items():
        assert rank == 1 + sum(other > values[name] for other in values.values())
