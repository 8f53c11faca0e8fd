"""Faults that step 8 must find: claims of the manifest that do not follow from the records."""

from __future__ import annotations

from collections.abc import Callable

from tests.bad_bundles.bad import Bad, Make, fields, listed, manifest, setting, signed
from tests.bad_bundles.good import Kind
from tests.scoring.forge import Fields, Json, Parts


def _bad(name: str, changed: str, says: tuple[str, ...], make: Make) -> Bad:
    return Bad(name, "claims", changed, says, make)


def _set(name: str, changed: str, says: tuple[str, ...], kind: Kind = "history", **values: Json) -> Bad:
    return _bad(name, changed, says, signed(setting(manifest, **values), kind))


def _totals(name: str, value: float | None) -> Bad:
    place: Callable[[Parts], Fields] = lambda parts: fields(parts.manifest["totals"])  # noqa: E731
    change = setting(place, **{name: value})
    return _bad(f"total-of-{name.replace('_', '-')}", f"{value}.", (f"totals.{name}",), signed(change))


def _checkpoint(parts: Parts) -> Fields:
    return listed(parts.manifest["checkpoints"])[0]


def _add_checkpoint(parts: Parts) -> None:
    checkpoints = parts.manifest["checkpoints"]
    assert isinstance(checkpoints, list)
    checkpoints.append(checkpoints[0])


def _pop_checkpoint(parts: Parts) -> None:
    checkpoints = parts.manifest["checkpoints"]
    assert isinstance(checkpoints, list)
    checkpoints.pop()


FAULTS = (
    _bad("checkpoint-too-high", "9.", ("snake x=0", "9.0 from 1 valid"), signed(setting(_checkpoint, score=9.0))),
    _bad("checkpoint-without-a-mean", "null.", ("snake x=0", "no mean"), signed(setting(_checkpoint, score=None))),
    _bad("checkpoint-of-more-episodes", "Two.", ("snake x=0", "2 valid"), signed(setting(_checkpoint, valid=2))),
    _bad("checkpoint-of-another-game", "Trust.", ("snake x=0",), signed(setting(_checkpoint, game="trust"))),
    _bad("checkpoint-left-out", "The last.", ("4 checkpoints", "got 3"), signed(_pop_checkpoint)),
    _bad("checkpoint-twice", "The first once more.", ("4 checkpoints", "got 5"), signed(_add_checkpoint)),
    _totals("steps", 1),
    _totals("requests", 1),
    _totals("tokens_in", 1),
    _totals("tokens_out", 1),
    _totals("tokens_cached", 1),
    _totals("seconds", 0.5),
    _set(
        "failure-that-did-not-happen",
        "One.",
        ("failures", "no failed episode", "1 transport"),
        failures=[{"kind": "transport", "episodes": 1}],
    ),
    _set("failure-unsaid", "None.", ("failures", "1 transport", "no failed episode"), "failing", failures=[]),
    _set("input-budget-beyond-the-protocol", "6,501.", ("input_budget", "1 to 6500 tokens"), input_budget=6_501),
    _set("output-budget-beyond-the-protocol", "401.", ("output_budget", "1 to 400 tokens"), output_budget=401),
    _set("output-budget-of-nothing", "0.", ("output_budget", "1 to 400 tokens"), output_budget=0),
    _set("temperature-unsaid", "1.", ("a declared deviation",), decoding={"temperature": 1.0}),
    _set("temperature-left-to-the-server", "null.", ("a declared deviation",), decoding={"temperature": None}),
    _set(
        "temperature-behind-another-deviation",
        "1, and another deviation is declared.",
        ("a declared deviation",),
        decoding={"temperature": 1.0},
        deviations=["context cut by server: 1 of 2"],
    ),
)
