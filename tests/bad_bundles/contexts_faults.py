"""Faults that step 7 must find: prompts that the rule does not build, and memories that no reply gave."""

from __future__ import annotations

from tests.bad_bundles.bad import Bad, Make, fields, listed, manifest, memory, setting, signed, step
from tests.bad_bundles.good import Kind, preset_of
from tests.scoring.forge import Fields, Json, Parts

ZEROS = "0" * 64


def _bad(name: str, changed: str, says: tuple[str, ...], make: Make) -> Bad:
    return Bad(name, "contexts", changed, says, make)


def _last(parts: Parts) -> Fields:
    """Return the first step of the last strict episode, before which there is history to carry."""
    last = [each for each in parts.episodes() if each["phase"] == "strict"][-1]
    return listed(last["steps"])[0]


def _remembered(name: str, changed: str, says: tuple[str, ...], kind: Kind = "summary", **values: Json) -> Bad:
    change = setting(memory, **values)
    return Bad(name, "contexts", changed, says, signed(change, kind), preset_of=preset_of)


def _overflowed(parts: Parts) -> Fields:
    """Return the step whose prompt the server refused at first."""
    steps = [each for record in parts.episodes() for each in listed(record["steps"])]
    return next(each for each in steps if each["cut"] == "server_overflow")


def _kept_other_text(parts: Parts) -> None:
    """A call that failed changes the memory all the same."""
    parts.lines["memory/snake.jsonl"][1].update(memory="- go left")


def _called_transport(parts: Parts) -> None:
    for each in parts.episodes("pvz"):
        each.update(failure="transport")
    costs = parts.lines["costs/pvz.jsonl"]
    for each in costs:
        each.update(requests=1)
    fields(parts.manifest["totals"]).update(requests=len(costs))
    parts.manifest.update(failures=[{"kind": "transport", "episodes": len(parts.episodes("pvz"))}])


FAULTS = (
    _bad("prompt-of-other-text", "Zeros.", ("strict x=0 #0, step 0", "context"), signed(setting(step, context=ZEROS))),
    _bad(
        "prompt-of-another-step",
        "That of the first step.",
        ("explore 0, step 1", "context"),
        signed(lambda parts: parts.step(1, phase="explore").update(context=parts.step(phase="explore")["context"])),
    ),
    _bad(
        "history-dropped-by-choice",
        "One episode.",
        ("strict x=2 #0, step 0", "dropped where the rule"),
        signed(lambda parts: _last(parts).update(dropped_episodes=1)),
    ),
    _bad(
        "history-dropped-for-no-server",
        "An overflow that drops nothing.",
        ("dropped nothing",),
        signed(setting(step, cut="server_overflow")),
    ),
    _bad(
        "steps-dropped-before-history",
        "This episode's own.",
        ("strict x=2 #0, step 0", "a prompt that"),
        signed(lambda parts: _last(parts).update(window=1, cut="server_overflow")),
    ),
    _bad(
        "own-steps-dropped-before-history",
        "The oldest step of the episode, not of the history.",
        ("only after all carried history",),
        signed(lambda parts: listed(parts.episodes()[-1]["steps"])[2].update(window=1, cut="server_overflow")),
    ),
    _bad(
        "history-dropped-beyond-its-end",
        "99 episodes.",
        ("at least", "within the history"),
        signed(lambda parts: _last(parts).update(dropped_episodes=99, cut="server_overflow")),
    ),
    _bad(
        "overflow-that-dropped-less",
        "Nothing, where the server made it drop.",
        ("explore 1", "context"),
        signed(
            lambda parts: _overflowed(parts).update(
                dropped_episodes=0, dropped_steps=int(str(_overflowed(parts)["dropped_steps"])) + 1
            ),
            "overflowing",
        ),
    ),
    _bad(
        "overflow-unsaid",
        "By rule, as if the rule had dropped it.",
        ("dropped where the rule drops",),
        signed(lambda parts: _overflowed(parts).update(cut="rule"), "overflowing"),
    ),
    _bad(
        "input-budget-below-the-prompt",
        "900 tokens.",
        ("dropped where the rule drops",),
        signed(setting(manifest, input_budget=900)),
    ),
    _bad(
        "input-budget-below-any-prompt",
        "100 tokens.",
        ("the input budget is 100",),
        signed(setting(manifest, input_budget=100)),
    ),
    _bad(
        "system-role-unsaid",
        "The rules stand in the user message.",
        ("strict x=0 #0, step 0", "context"),
        signed(
            lambda parts: parts.manifest.update(
                options={"pathway": "history", "summary_mode": "rebuild", "system_role": False}
            )
        ),
    ),
    Bad(
        "overflow-called-a-transport-fault",
        "contexts",
        "A prompt that cannot be sent, and a fault of the transport.",
        ("strict x=0 #0, step 0", "failure context_overflow", "got transport"),
        signed(_called_transport, "too-narrow"),
        preset_of=preset_of,
    ),
    _remembered("memory-that-no-reply-gave", "Other tips.", ("memory 1", "memory", "- go left"), memory="- go left"),
    _remembered(
        "memory-of-another-reply",
        "A reply whose tips were not carried on.",
        ("explore 1, step 0", "context"),
        reply="Tips:\n- go left",
        memory="- go left",
    ),
    _remembered("memory-from-a-strict-episode", "Source 5.", ("memory 1", "sources", "(5,)"), sources=[5]),
    _remembered("memory-without-sources", "None.", ("memory 1", "sources"), sources=[]),
    _remembered("memory-prompt-of-other-text", "Zeros.", ("memory 1", "context"), context=ZEROS),
    _remembered("memory-prompt-unsaid", "null.", ("memory 1", "context", "None"), context=None),
    _remembered("memory-history-dropped-by-choice", "One.", ("memory 1", "cut by the rule"), dropped_episodes=1),
    _remembered(
        "memory-history-dropped-beyond-its-end",
        "99.",
        ("memory 1", "a cut within the history"),
        dropped_episodes=99,
        cut="server_overflow",
    ),
    _remembered(
        "memory-overflow-that-dropped-nothing", "An overflow.", ("memory 1", "dropped nothing"), cut="server_overflow"
    ),
    Bad(
        "memory-changed-by-a-failed-call",
        "contexts",
        "Other tips after a fault.",
        ("memory 2", "- go left"),
        signed(_kept_other_text, "forgetful"),
        preset_of=preset_of,
    ),
)
