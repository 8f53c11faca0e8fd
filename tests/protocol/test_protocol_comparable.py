"""What makes a row comparable: each reason, each mark, and what two rows must share."""

from __future__ import annotations

from dataclasses import replace

import pytest

from protocol.asking import BodyField, Header
from protocol.comparable import (
    Conditions,
    Declared,
    Played,
    comparability,
    decoding_deviations,
    outside,
    unequal,
    whose,
)
from protocol.decoding import decoding_at
from protocol.outcomes import ReplyKind
from protocol.preset import preset_named
from protocol.records import CheckpointRecord, Decoding, Endpoint

PRESET = preset_named("pocket-1")
TOLD = Declared(
    Endpoint(kind="openai_chat", model="m", context_tokens=None), PRESET.input_tokens, PRESET.output_tokens, True, ()
)


def checkpoints(*failed: int) -> tuple[CheckpointRecord, ...]:
    """Return the checkpoints of a run, some of them failed."""
    return tuple(
        CheckpointRecord(game="snake", checkpoint=x, valid=3, score=None if x in failed else 1.0)
        for x in PRESET.checkpoints
    )


PLAYED = Played(
    steps=100,
    kinds=dict.fromkeys(ReplyKind, 0) | {ReplyKind.ANSWERED: 100},
    checkpoints=checkpoints(),
    failed_explorations=0,
    windowed=False,
    overflowed=False,
    kept_memories=0,
)


def test_a_row_without_departures_is_ranked_before_and_after() -> None:
    assert comparability(PRESET, TOLD) == comparability(PRESET, TOLD, PLAYED) == (None, ())


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (replace(TOLD, deviations=("temperature: the protocol fixes 0, sent 1",)), "departs from the protocol: temp"),
        (replace(TOLD, endpoint=Endpoint(kind="builtin", model="oracle", context_tokens=None)), "the true state"),
    ],
)
def test_what_is_declared_keeps_a_row_from_being_ranked_before_a_step_is_played(told: Declared, words: str) -> None:
    reason = comparability(PRESET, told).reason
    assert reason is not None
    assert words in reason
    assert comparability(PRESET, told, PLAYED).reason == reason


def test_a_protocol_that_never_ranks_comes_first() -> None:
    told = replace(TOLD, deviations=("x",))
    assert comparability(preset_named("smoke-1"), told).reason == "protocol smoke-1 is never ranked"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"checkpoints": checkpoints(0)}, "x = 0 checkpoint failed"),
        ({"checkpoints": checkpoints(12)}, "last checkpoint"),
        ({"checkpoints": checkpoints(3, 6)}, "2 failed checkpoints"),
        ({"failed_explorations": PRESET.limits.failed_explorations + 1}, "failed explorations"),
        ({"steps": 0}, "holds no step"),
        ({"kinds": dict.fromkeys(ReplyKind, 0) | {ReplyKind.EMPTY: 21}}, "unreliable channel: 21 of 100"),
    ],
)
def test_what_the_records_hold_keeps_a_row_from_being_ranked(changes: dict[str, object], words: str) -> None:
    reason = comparability(PRESET, TOLD, replace(PLAYED, **changes)).reason  # type: ignore[arg-type]
    assert reason is not None
    assert words in reason


def test_what_is_within_the_limits_is_a_mark() -> None:
    told = replace(TOLD, input_budget=5_000, output_budget=300, system_role=False)
    played = replace(PLAYED, windowed=True, overflowed=True, kept_memories=2, checkpoints=checkpoints(3))
    assert comparability(PRESET, told).marks == ("input budget 5000", "output budget 300", "no system role")
    assert comparability(PRESET, told, played) == (
        None,
        (
            "episode window",
            "cut again after a server overflow",
            "failed checkpoints: 1",
            "summary calls that made no memory: 2",
            *comparability(PRESET, told).marks,
        ),
    )


def test_only_what_the_protocol_fixes_can_be_departed_from() -> None:
    hot, left = decoding_at(1.0), decoding_at(None)
    assert decoding_deviations(PRESET, decoding_at(0.0)) == ()
    assert decoding_deviations(PRESET, hot) == ("temperature: the protocol fixes 0, sent 1",)
    assert decoding_deviations(PRESET, left) == ("temperature: the protocol fixes 0, sent the server's default",)
    assert decoding_deviations(preset_named("paper-1"), hot) == ()


def test_an_entry_without_every_game_stands_outside_the_main_table() -> None:
    assert outside(PRESET, PRESET.games) is None
    reason = outside(PRESET, ["snake"])
    assert reason is not None
    assert reason.startswith("incomplete: 1 of 7 games, without chess")


def test_two_rows_share_all_conditions_or_are_told_apart_by_name() -> None:
    one = Conditions("p", "a" * 64, 1, 2, decoding_at(0.0), "openai_chat", ())
    assert unequal(one, one) == ()
    for other in (
        one._replace(protocol="q"),
        one._replace(protocol_digest="b" * 64),
        one._replace(input_budget=3),
        one._replace(output_budget=3),
        one._replace(decoding=decoding_at(0.5)),
        one._replace(endpoint="embedded"),
    ):
        (words,) = unequal(one, other)
        assert " and " in words


def test_every_field_of_the_decoding_counts() -> None:
    """However many fields there are: none can be added that rows may differ in without a word."""
    one = Conditions("p", "a" * 64, 1, 2, decoding_at(0.0), "openai_chat", ())
    changed: dict[str, object] = {
        "temperature": 0.5,
        "top_p": 0.5,
        "sampling_seed": 1,
        "reasoning_effort": "low",
        "stream": True,
        "extra_body": (BodyField(name="min_p", value="0.1"),),
        "extra_headers": (Header(name="x-effort", value=None),),
    }
    assert changed.keys() == Decoding.model_fields.keys()
    for name, value in changed.items():
        other = one._replace(decoding=one.decoding.model_copy(update={name: value}))
        assert len(unequal(one, other)) == 1


def test_whose_protocol_it_is() -> None:
    assert whose(PRESET) == "released with s3gym"
    own = PRESET.model_copy(update={"max_steps": 3})
    assert whose(own) == f"not released with s3gym, a protocol of its own: {own.digest[:12]}"
