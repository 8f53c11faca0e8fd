"""Faults that step 6 must find: what the rules do not give."""

from __future__ import annotations

from tests.bad_bundles.bad import Bad, Make, episode, listed, setting, signed, step
from tests.scoring.forge import Fields, Json, Parts


def _bad(name: str, changed: str, says: tuple[str, ...], make: Make) -> Bad:
    return Bad(name, "replay", changed, says, make)


def _with_cost(parts: Parts, game: str) -> None:
    """Add the cost of one more step to the first strict episode of a game."""
    costs = parts.lines[f"costs/{game}.jsonl"]
    steps = listed(parts.episode(game=game)["steps"])
    costs.append({**costs[0], "step": len(steps) - 1})


def _step_after_the_end(parts: Parts) -> None:
    """GM-29: the episode ends by the player's word, and one more step follows."""
    steps = listed(parts.episode(game="trust")["steps"])
    steps[-2].update(action="END", reply="Answer: END, Score: 0", score=0.0, reward=0.0)
    parts.episode(game="trust")["steps"] = [*steps]


def _half_rewards(parts: Parts) -> None:
    """A22: one point as two halves."""
    steps = listed(parts.episode(game="trust")["steps"])
    whole = next(number for number, each in enumerate(steps) if each["reward"] not in (0, 0.0))
    reward = steps[whole]["reward"]
    assert isinstance(reward, float)
    steps[whole]["reward"] = reward / 2


def _stopped_early(parts: Parts) -> None:
    """The last, losing step of an episode and its cost are left out."""
    steps = episode(parts)["steps"]
    assert isinstance(steps, list)
    steps.pop()
    parts.lines["costs/snake.jsonl"] = [
        each
        for each in parts.lines["costs/snake.jsonl"]
        if (each["phase"], each["checkpoint"], each["step"]) != ("strict", 0, len(steps))
    ]


def _failed_after_its_end(parts: Parts) -> None:
    """A05: an episode that went badly is called failed, all its steps kept."""
    failed: dict[str, Json] = {"status": "failed", "failure": "transport", "end": None, "score": None}
    steps = listed(episode(parts)["steps"])
    episode(parts).update(failed)
    costs = parts.lines["costs/snake.jsonl"]
    costs.append({**costs[0], "step": len(steps)})


def _last_explored(parts: Parts) -> Fields:
    """Return the last step of the first exploration of Snake, where an invalid action ends nothing."""
    return parts.step(-1, phase="explore")


FAULTS = (
    _bad("reward-too-high", "One more.", ("strict x=0 #0, step 0", "reward"), signed(setting(step, reward=1.0))),
    _bad("reward-negative", "-1.", ("strict x=0 #0, step 0", "got -1.0"), signed(setting(step, reward=-1.0))),
    _bad("reward-of-half", "One reward is halved.", ("trust", "reward"), signed(_half_rewards)),
    _bad(
        "reward-while-exploring",
        "One more, in an exploration.",
        ("explore 0, step 1", "got 3.0"),
        signed(setting(lambda parts: parts.step(1, phase="explore"), reward=3.0)),
    ),
    _bad("score-too-high", "9.", ("strict x=0 #0", "score", "got 9.0"), signed(setting(episode, score=9.0))),
    _bad(
        "score-beyond-the-game", "A million.", ("strict x=0 #0", "got 1000000.0"), signed(setting(episode, score=1e6))
    ),
    _bad("end-of-another-kind", "Won.", ("strict x=0 #0", "end", "won"), signed(setting(episode, end="won"))),
    _bad("action-of-another-kind", "END.", ("step 0", "action", "'END'"), signed(setting(step, action="END"))),
    _bad(
        "action-in-small-letters",
        "The same move, written otherwise.",
        ("step 0", "action"),
        signed(lambda parts: parts.step().update(action=str(parts.step()["action"]).lower())),
    ),
    _bad("self-score-of-another-reply", "0.25.", ("step 0", "self-score", "0.25"), signed(setting(step, score=0.25))),
    _bad("self-score-left-out", "null.", ("step 0", "self-score", "None"), signed(setting(step, score=None))),
    _bad(
        "reply-of-another-move",
        "END.",
        ("strict x=0 #0", "as many steps"),
        signed(setting(step, reply="Answer: END, Score: 0")),
    ),
    _bad(
        "reply-unreadable-with-an-action",
        "Mere words.",
        ("explore 0, step 7", "action None"),
        signed(setting(_last_explored, reply="go up")),
    ),
    _bad(
        "reply-with-two-answers",
        "Another answer stands last.",
        ("explore 0, step 7", "action"),
        signed(
            lambda parts: _last_explored(parts).update(reply=f"{_last_explored(parts)['reply']}\nAnswer: X, Score: 0")
        ),
    ),
    _bad("step-after-the-end", "END, and then a step.", ("trust", "as many steps"), signed(_step_after_the_end)),
    _bad("last-step-left-out", "The end is cut off.", ("strict x=0 #0", "end None"), signed(_stopped_early)),
    _bad(
        "failed-after-its-end",
        "An episode that ended is called failed.",
        ("a failed episode to stop before",),
        signed(_failed_after_its_end),
    ),
)
