"""Faults that step 4 must find: episodes, memories and costs that are not those of the protocol."""

from __future__ import annotations

from tests.bad_bundles.bad import Bad, Make, cost, episode, listed, memory, setting, signed
from tests.bad_bundles.good import preset_of
from tests.scoring.forge import Fields, Parts


def _bad(name: str, changed: str, says: tuple[str, ...], make: Make) -> Bad:
    return Bad(name, "completeness", changed, says, make)


def _forgotten(name: str, changed: str, says: tuple[str, ...], number: int, **values: str | None) -> Bad:
    """Change a memory of a run whose summary calls fail."""
    change = setting(lambda parts: parts.lines["memory/snake.jsonl"][number], **values)
    return Bad(name, "completeness", changed, says, signed(change, "forgetful"), preset_of=preset_of)


def _explore(parts: Parts) -> Fields:
    return parts.episode(phase="explore")


def _replace_costs(parts: Parts, **values: int | str) -> None:
    for each in parts.lines["costs/snake.jsonl"]:
        if (each["phase"], each["index"]) == ("explore", 0):
            each.update(values)


def _repeated(parts: Parts) -> None:
    _explore(parts).update(replicate=7)
    _replace_costs(parts, replicate=7)


def _at_a_checkpoint(parts: Parts) -> None:
    _explore(parts).update(checkpoint=0)
    _replace_costs(parts, checkpoint=0)


def _too_long(parts: Parts) -> None:
    steps = listed(episode(parts)["steps"])
    episode(parts)["steps"] = [*steps, *[steps[0]] * (9 - len(steps))]


def _played_again(parts: Parts) -> None:
    """A22: the best of two trials of one seed."""
    parts.episodes().insert(1, parts.episodes()[0])


EPISODES = (
    _bad("episode-left-out", "The last is gone.", ("4 episodes", "got 3"), signed(lambda p: p.episodes().pop())),
    _bad(
        "episode-twice",
        "The first follows once more.",
        ("4 episodes", "got 5"),
        signed(lambda p: p.episodes().append(p.episodes()[0])),
    ),
    _bad("episode-played-again", "A second trial of a seed.", ("4 episodes", "got 5"), signed(_played_again)),
    _bad(
        "episodes-in-another-order",
        "Backwards.",
        ("line 1", "strict 0 of snake"),
        signed(lambda p: p.episodes().reverse()),
    ),
    _bad("no-episode", "None at all.", ("4 episodes", "got 0"), signed(lambda p: p.episodes().clear())),
    _bad(
        "worst-episode-replaced",
        "By the better one of another checkpoint.",
        ("line 4", "checkpoint 2"),
        signed(lambda p: p.episodes().__setitem__(3, p.episodes()[0])),
    ),
    _bad("seed-of-no-round", "Seed 7.", ("line 1", "seed 7"), signed(setting(episode, seed="7"))),
    _bad(
        "strict-seed-while-exploring",
        "An exploration on a strict seed.",
        ("line 2", "explore 0"),
        signed(lambda p: _explore(p).update(seed=p.episode()["seed"])),
    ),
    _bad(
        "exploration-seed-while-strict",
        "The other way round.",
        ("line 1", "strict 0"),
        signed(lambda p: p.episode().update(seed=_explore(p)["seed"])),
    ),
    _bad("exploration-repeated", "An exploration as a repeat.", ("line 2", "repeat 7"), signed(_repeated)),
    _bad("exploration-at-a-checkpoint", "One with an x.", ("line 2", "checkpoint 0"), signed(_at_a_checkpoint)),
    _bad("episode-of-another-game", "Named trust.", ("line 1", "of trust"), signed(setting(episode, game="trust"))),
    _bad("episode-too-long", "Nine steps of eight.", ("1 to 8 steps", "got 9"), signed(_too_long)),
    _bad("episode-without-a-step", "No step.", ("1 to 8 steps", "got 0"), signed(setting(episode, steps=[]))),
    _bad(
        "failed-and-scored",
        "Failed, with its score.",
        ("a failed one", "status failed"),
        signed(setting(episode, status="failed", failure="transport")),
    ),
    _bad(
        "failed-without-a-kind",
        "Failed, and nobody says how.",
        ("with its kind",),
        signed(setting(episode, status="failed", end=None, score=None)),
    ),
    _bad(
        "failed-and-ended",
        "Failed, with its end.",
        ("neither", "end lost"),
        signed(setting(episode, status="failed", failure="transport", score=None, end="lost")),
    ),
    _bad(
        "valid-and-failed",
        "Valid, with a kind of failure.",
        ("status valid",),
        signed(setting(episode, failure="transport")),
    ),
    _bad("valid-without-a-score", "No score.", ("score None",), signed(setting(episode, score=None))),
    _bad("valid-without-an-end", "No end.", ("end None",), signed(setting(episode, end=None))),
)

MEMORIES = (
    _bad(
        "memory-left-out",
        "The last is gone.",
        ("memories 1..2 (2)", "1..1 (1)"),
        signed(lambda p: p.lines["memory/snake.jsonl"].pop(), "summary"),
    ),
    _bad(
        "memory-twice",
        "The first twice.",
        ("memories 1..2 (2)", "(3)"),
        signed(lambda p: p.lines["memory/snake.jsonl"].append(p.lines["memory/snake.jsonl"][0]), "summary"),
    ),
    _bad(
        "memory-of-another-mode",
        "Recursive.",
        ("snake, rebuild", "snake, recursive"),
        signed(setting(memory, mode="recursive"), "summary"),
    ),
    _bad(
        "memory-of-another-game", "Named trust.", ("trust, rebuild",), signed(setting(memory, game="trust"), "summary")
    ),
    _bad("memory-made-without-text", "Empty.", ("a made memory",), signed(setting(memory, memory=""), "summary")),
    _bad(
        "memory-made-without-a-reply",
        "No reply.",
        ("a made memory",),
        signed(setting(memory, reply=None, finish=None), "summary"),
    ),
    _bad(
        "memory-made-and-failed",
        "Made, with a failure.",
        ("made, empty",),
        signed(setting(memory, failure="empty"), "summary"),
    ),
    _bad(
        "memory-kept-without-a-failure",
        "Kept for no reason.",
        ("kept, None",),
        signed(setting(memory, status="kept"), "summary"),
    ),
    _bad(
        "memory-reply-without-a-finish",
        "No finish reason.",
        ("finish reason together",),
        signed(setting(memory, finish=None), "summary"),
    ),
    _forgotten(
        "memory-fault-called-empty",
        "No reply came.",
        ("transport or timeout or context_overflow", "got empty"),
        1,
        failure="empty",
    ),
    _forgotten(
        "memory-empty-called-a-fault",
        "An empty reply came.",
        ("failure empty", "got transport"),
        2,
        failure="transport",
    ),
    _forgotten(
        "memory-filtered-called-empty", "A filter spoke.", ("failure filtered", "got empty"), 3, failure="empty"
    ),
    _forgotten("memory-cut-called-empty", "Cut at its limit.", ("failure truncated", "got empty"), 4, failure="empty"),
    _forgotten(
        "memory-refused-called-filtered", "It declined.", ("failure refused", "got filtered"), 5, failure="filtered"
    ),
    _forgotten(
        "memory-empty-called-a-time-out", "An empty reply came.", ("failure empty", "got timeout"), 2, failure="timeout"
    ),
    _bad(
        "memory-good-and-called-empty",
        "A reply with tips is called empty.",
        ("memory 1", "a memory that was made", "got empty"),
        signed(setting(memory, status="kept", failure="empty", memory=None), "summary"),
    ),
    *(
        _bad(
            f"memory-made-of-a-{what}-reply",
            f"The endpoint said {finish}.",
            ("memory 1", f"failure {failure}", "got none"),
            signed(setting(memory, finish=finish), "summary"),
        )
        for what, finish, failure in (
            ("cut", "length", "truncated"),
            ("filtered", "content_filter", "filtered"),
            ("declined", "refusal", "refused"),
        )
    ),
)


def _unsent_fault(parts: Parts) -> None:
    """Say that nothing was sent where an episode ended in a fault of the transport."""
    failed = next(each for each in parts.episodes() if each["status"] == "failed")
    steps = failed["steps"]
    assert isinstance(steps, list)
    for each in parts.lines["costs/snake.jsonl"]:
        if each["step"] == len(steps) and (each["phase"], each["index"]) == (failed["phase"], failed["index"]):
            each["requests"] = 0


def _unsent_summary(parts: Parts) -> None:
    """Say that nothing was sent where a summary call met a fault of the transport."""
    kept = next(each for each in parts.lines["memory/snake.jsonl"] if each["failure"] == "transport")
    for each in parts.lines["costs/snake.jsonl"]:
        if (each["phase"], each["index"]) == ("summary", kept["index"]):
            each["requests"] = 0


COSTS = (
    _bad(
        "cost-left-out",
        "The last is gone.",
        ("one cost record for each",),
        signed(lambda p: p.lines["costs/snake.jsonl"].pop()),
    ),
    _bad(
        "cost-twice",
        "The first twice.",
        ("one cost record for each",),
        signed(lambda p: p.lines["costs/snake.jsonl"].append(p.lines["costs/snake.jsonl"][0])),
    ),
    _bad("cost-of-another-step", "Step 63.", ("one cost record for each",), signed(setting(cost, step=63))),
    _bad("cost-of-another-game", "Named trust.", ("one cost record for each",), signed(setting(cost, game="trust"))),
    _bad("reply-without-a-request", "No request.", ("a request for every reply",), signed(setting(cost, requests=0))),
    _bad(
        "fault-of-the-transport-without-a-request",
        "Nothing was sent, and the transport failed.",
        ("every fault of the transport", "got none"),
        signed(_unsent_fault, "failing"),
    ),
    Bad(
        "summary-fault-without-a-request",
        "completeness",
        "No summary call was sent, and the transport failed.",
        ("every fault of the transport", "got none"),
        signed(_unsent_summary, "forgetful"),
        preset_of=preset_of,
    ),
)

FAULTS = (*EPISODES, *MEMORIES, *COSTS)
