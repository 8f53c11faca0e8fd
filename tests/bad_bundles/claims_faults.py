"""Faults that step 8 must find: claims of the manifest that do not follow from the records."""

from __future__ import annotations

from collections.abc import Callable

from tests.bad_bundles.bad import Bad, Make, decoding, fields, listed, manifest, setting, signed
from tests.bad_bundles.good import Kind, preset_of
from tests.scoring.forge import Fields, Json, Parts


def _bad(name: str, changed: str, says: tuple[str, ...], make: Make) -> Bad:
    return Bad(name, "claims", changed, says, make)


def _set(name: str, changed: str, says: tuple[str, ...], kind: Kind = "history", **values: Json) -> Bad:
    return _bad(name, changed, says, signed(setting(manifest, **values), kind))


def _temperature(name: str, changed: str, value: float | None, **values: Json) -> Bad:
    def change(parts: Parts) -> None:
        decoding(parts)["temperature"] = value
        parts.manifest.update(values)

    return _bad(name, changed, ("a declared deviation",), signed(change))


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


Pick = Callable[[Parts], Fields]
"""Choose a cost."""


def _change(parts: Parts, cost: Fields, **values: int) -> None:
    """Change a cost, and the totals with it."""
    sums = fields(parts.manifest["totals"])
    for key, value in values.items():
        was, total = cost[key], sums.get(key)
        if isinstance(was, int) and isinstance(total, int):
            sums[key] = total + value - was
        cost[key] = value


def _cost(name: str, changed: str, says: tuple[str, ...], **values: int) -> Bad:
    """Change the first cost of Snake."""
    return _bad(name, changed, says, signed(lambda parts: _change(parts, _costs(parts)[0], **values)))


def _prompt(name: str, changed: str, kind: Kind, pick: Pick, more: int, says: str = "") -> Bad:
    """Call a cost of Snake an estimate and estimate its prompt at so many tokens more."""

    def change(parts: Parts) -> None:
        cost = pick(parts)
        tokens = cost["tokens_in"]
        assert isinstance(tokens, int)
        _change(parts, cost, tokens_in=tokens + more, estimated=True)

    words = ("costs/snake", "expected tokens_in", says, "as its prompt is estimated at")
    return Bad(name, "claims", changed, words, signed(change, kind), preset_of=preset_of)


def _costs(parts: Parts) -> list[Fields]:
    return parts.lines["costs/snake.jsonl"]


def _cost_of_step(parts: Parts, episode: Fields, number: int) -> Fields:
    places = ("phase", "checkpoint", "index", "replicate")
    return next(
        cost
        for cost in _costs(parts)
        if cost["step"] == number and all(cost[place] == episode[place] for place in places)
    )


def _of_step(wanted: Callable[[Fields], bool]) -> Pick:
    """Choose the cost of the first step of Snake of that kind."""

    def pick(parts: Parts) -> Fields:
        return next(
            _cost_of_step(parts, episode, number)
            for episode in parts.episodes()
            for number, each in enumerate(listed(episode["steps"]))
            if wanted(each)
        )

    return pick


def _of_failed(parts: Parts) -> Fields:
    """Choose the cost of the request that an episode failed at."""
    failed = next(each for each in parts.episodes() if each["status"] == "failed")
    return _cost_of_step(parts, failed, len(listed(failed["steps"])))


def _of_summary(index: int) -> Pick:
    """Choose the cost of a summary call."""
    return lambda parts: next(cost for cost in _costs(parts) if cost["phase"] == "summary" and cost["index"] == index)


def _failed_cost(parts: Parts) -> None:
    """Estimate a reply where none came."""
    _change(parts, _of_failed(parts), tokens_out=9)


def _one_request(parts: Parts) -> None:
    """Leave a prompt cut for the server, and say that it was the only one that was sent."""
    _change(parts, _of_failed(parts), requests=1)


def _failed_usage(parts: Parts) -> None:
    """Say that the endpoint counted what was never sent."""
    for cost in parts.lines["costs/pvz.jsonl"]:
        cost["estimated"] = False


def _cached(parts: Parts) -> None:
    parts.lines["costs/snake.jsonl"][0]["tokens_cached"] = 10**9
    fields(parts.manifest["totals"])["tokens_cached"] = 10**9


def _summary_cost(parts: Parts) -> None:
    cost = _of_summary(1)(parts)
    assert isinstance(cost["tokens_out"], int)
    _change(parts, cost, tokens_out=cost["tokens_out"] + 1, estimated=True)


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
    _cost("estimate-beyond-the-input-budget", "6,501.", ("tokens_in", "got 6501"), tokens_in=6_501, estimated=True),
    _cost("estimate-of-an-empty-prompt", "0.", ("tokens_in", "got 0"), tokens_in=0, estimated=True),
    _prompt("estimate-of-a-longer-prompt", "One more token.", "history", lambda parts: _costs(parts)[0], 1),
    _prompt("estimate-of-a-shorter-prompt", "One token less.", "history", lambda parts: _costs(parts)[0], -1),
    _prompt("estimate-of-a-prompt-with-a-memory", "One more.", "summary", lambda parts: _costs(parts)[-1], 1),
    _prompt("estimate-of-a-longer-summary-prompt", "One more token.", "summary", _of_summary(2), 1),
    _prompt("estimate-of-a-shorter-summary-prompt", "One token less.", "summary", _of_summary(2), -1),
    _prompt("estimate-of-a-failed-summary-prompt", "One more.", "forgetful", _of_summary(2), 1),
    _prompt("estimate-of-a-cut-summary-prompt", "One more, cut by rule.", "narrow-summary", _of_summary(1), 1),
    _prompt(
        "estimate-of-a-refused-summary-prompt", "One more, cut for the server.", "narrow-summary", _of_summary(2), 1
    ),
    _prompt(
        "estimate-of-a-prompt-without-some-history",
        "One more, cut by rule.",
        "narrow",
        _of_step(lambda each: each["dropped_steps"] != 0),
        1,
    ),
    _prompt(
        "estimate-of-a-prompt-without-some-steps",
        "One less, cut by rule.",
        "narrow",
        _of_step(lambda each: each["window"] != 0),
        -1,
    ),
    _prompt(
        "estimate-of-a-refused-prompt",
        "One more, cut for the server.",
        "overflowing",
        _of_step(lambda each: each["cut"] == "server_overflow"),
        1,
    ),
    _prompt("estimate-of-a-prompt-that-failed", "One more.", "failing", _of_failed, 1),
    _prompt("estimate-of-a-prompt-refused-twice", "One more.", "refused-twice", _of_failed, 1),
    _prompt("estimate-of-a-prompt-refused-and-lost", "One more.", "refused-and-lost", _of_failed, 1, " or "),
    _bad(
        "estimate-of-a-prompt-cut-for-no-server",
        "As if cut for a server, but one request.",
        ("expected tokens_in", "as its prompt is estimated at"),
        signed(_one_request, "refused-and-lost"),
    ),
    _cost("usage-of-no-prompt", "0, as reported.", ("no token of a prompt",), tokens_in=0, estimated=False),
    Bad(
        "usage-without-a-request",
        "claims",
        "As reported.",
        ("no request",),
        signed(_failed_usage, "too-narrow"),
        preset_of=preset_of,
    ),
    _set(
        "failure-that-did-not-happen",
        "One.",
        ("failures", "no failed episode", "1 transport"),
        failures=[{"kind": "transport", "episodes": 1}],
    ),
    _set("failure-unsaid", "None.", ("failures", "1 transport", "no failed episode"), "failing", failures=[]),
    _bad(
        "more-cached-than-in-the-prompt",
        "A billion tokens from a cache.",
        ("costs/snake", "line 1", "tokens_cached of at most"),
        signed(_cached),
    ),
    _set("input-budget-beyond-the-protocol", "6,501.", ("input_budget", "6500 tokens"), input_budget=6_501),
    _set("input-budget-below-the-protocol", "6,499.", ("input_budget", "6500 tokens"), input_budget=6_499),
    _set("output-budget-beyond-the-protocol", "401.", ("output_budget", "400 tokens"), output_budget=401),
    _set("output-budget-of-nothing", "0.", ("output_budget", "400 tokens"), output_budget=0),
    _set(
        "budgets-beyond-the-endpoints-context",
        "A context of 2,000 tokens, and the budgets of the protocol.",
        ("input_budget", "1408 tokens"),
        endpoint={"kind": "openai_chat", "model": "m", "context_tokens": 2_000},
    ),
    _set(
        "context-too-small-to-play-in",
        "A context of one token.",
        ("endpoint.context_tokens", "at least 1,600 tokens, got 1"),
        endpoint={"kind": "openai_chat", "model": "m", "context_tokens": 1},
    ),
    _temperature("temperature-unsaid", "1.", 1.0),
    _temperature("temperature-left-to-the-server", "null.", None),
    _temperature(
        "temperature-behind-another-deviation",
        "1, and another deviation is declared.",
        1.0,
        deviations=["context cut by server: 1 of 2"],
    ),
)
