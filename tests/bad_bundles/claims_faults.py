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


def _cost(name: str, changed: str, says: tuple[str, ...], kind: Kind = "history", place: int = 0, **values: int) -> Bad:
    """Change one cost of Snake, and the totals with it."""

    def change(parts: Parts) -> None:
        cost, sums = parts.lines["costs/snake.jsonl"][place], fields(parts.manifest["totals"])
        for key, value in values.items():
            was, total = cost[key], sums.get(key)
            if isinstance(was, int) and isinstance(total, int):
                sums[key] = total + value - was
            cost[key] = value

    return _bad(name, changed, says, signed(change, kind))


def _failed_cost(parts: Parts) -> None:
    """Estimate a reply where none came."""
    failed = next(each for each in parts.lines["episodes/snake.jsonl"] if each["status"] == "failed")
    places = ("phase", "checkpoint", "index", "replicate")
    steps = failed["steps"]
    assert isinstance(steps, list)
    for cost in parts.lines["costs/snake.jsonl"]:
        if cost["step"] == len(steps) and all(cost[key] == failed[key] for key in places):
            cost["tokens_out"] = 9
    sums = fields(parts.manifest["totals"])
    assert isinstance(sums["tokens_out"], int)
    sums["tokens_out"] += 9


def _failed_usage(parts: Parts) -> None:
    """Say that the endpoint counted what it never answered."""
    for cost in parts.lines["costs/snake.jsonl"]:
        cost["estimated"] = False


def _summary_cost(parts: Parts) -> None:
    cost = next(each for each in parts.lines["costs/snake.jsonl"] if each["phase"] == "summary")
    sums = fields(parts.manifest["totals"])
    assert isinstance(cost["tokens_out"], int)
    assert isinstance(sums["tokens_out"], int)
    cost.update(tokens_out=cost["tokens_out"] + 1, estimated=True)
    sums["tokens_out"] += 1


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
    _cost(
        "estimate-of-another-reply",
        "1.",
        ("costs/snake", "line 1", "tokens_out", "got 1"),
        tokens_out=1,
        estimated=True,
    ),
    _bad("estimate-of-another-memory", "One more token.", ("tokens_out",), signed(_summary_cost, "summary")),
    _bad("estimate-of-no-reply", "9 tokens.", ("tokens_out 0", "got 9"), signed(_failed_cost, "failing")),
    _cost("estimate-beyond-the-input-budget", "6,501.", ("tokens_in of 1 to 6500",), tokens_in=6_501, estimated=True),
    _cost("estimate-of-an-empty-prompt", "0.", ("tokens_in of 1 to 6500", "got 0"), tokens_in=0, estimated=True),
    _cost("usage-of-no-prompt", "0, as reported.", ("no token of a prompt",), tokens_in=0, estimated=False),
    _bad("usage-without-a-reply", "As reported.", ("no reply",), signed(_failed_usage, "failing")),
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
