"""Checks of an endpoint with a few small prompts of a real run."""

from __future__ import annotations

import re
import time
from difflib import get_close_matches
from typing import NamedTuple

from games.registry import game_named
from protocol.decoding import beside_temperature, one_line
from protocol.spoken import leak
from protocol.tokens import estimate
from runner.entry import Plan
from runner.models.base_url import read_base_url
from runner.models.looking_up import KnownModel, LookUps, clock_ahead, known_models
from runner.models.model import TEMPERATURE_LEFT, FaultKind
from s3gym.doctor.asking import Fault, Heard, Questioner
from s3gym.doctor.findings import Notes
from s3gym.doctor.prompts import Opening
from s3gym.finishing import LEAK_ADVICE
from s3gym.settings import Settings

FEW_TOKENS = 64
"""New tokens where only the answering itself is of interest."""
_CLOCK_SECONDS = 300
_SHOWN_MODELS = 5
_TELLING_SECONDS, _TELLING_TOKENS = 0.01, 8
"""What takes less says nothing about speed."""


class Known(NamedTuple):
    """What is known of an endpoint that answers."""

    system_role: bool
    models: tuple[KnownModel, ...]
    first: Heard


async def check_answers(
    asker: Questioner, look: LookUps | None, settings: Settings, plan: Plan, notes: Notes
) -> Known | None:
    """Note whether the endpoint is there, takes the key, knows the model and completes a prompt.

    Args:
        asker: Who asks.
        look: Who looks up what the endpoint tells of itself; None where there is no endpoint.
        settings: The settings of the run.
        plan: Its plan.
        notes: Where findings go.

    Returns:
        What is known of it; None if it completes nothing, so that nothing more can be checked.
    """
    models: tuple[KnownModel, ...] = ()
    if look is not None:
        looked = await look.models()
        if looked is not None:
            models = known_models(looked.value)
            _check_clock(clock_ahead(looked.date, time.time()), notes)
    system_role = settings.system_role is not False
    got = await _ask_first(asker, plan, system_role=system_role)
    refusal: Fault | None = None
    if isinstance(got, Fault) and got.may_be_form and system_role:
        again = await _ask_first(asker, plan, system_role=False)
        if isinstance(again, Heard):
            refusal, got, system_role = got, again, False
    if isinstance(got, Fault):
        await _explain(got, look, models, settings, plan, notes)
        return None
    _note_answer(got, settings, models, notes)
    if refusal is not None and settings.system_role:
        notes.fail(
            "system role", f"refused: {refusal.message}", "leave --system-role out: a run finds it out by itself"
        )
    elif refusal is not None:
        notes.passed("system role", f"refused, so a run puts the rules into the first user message ({refusal.message})")
    else:
        notes.passed("system role", "taken" if system_role else "not used, as set")
    return Known(system_role, models, got)


async def _ask_first(asker: Questioner, plan: Plan, *, system_role: bool) -> Heard | Fault:
    opening = Opening(game_named(plan.games[0]), plan, plan.preset.input_tokens, system_role=system_role)
    return await asker.ask(opening.context.messages(), FEW_TOKENS, opening.state)


def _check_clock(ahead: float | None, notes: Notes) -> None:
    if ahead is not None and abs(ahead) > _CLOCK_SECONDS:
        notes.warn("endpoint clock", f"this machine's is {ahead:+.0f} s off the endpoint's", "set the clock")


def _note_answer(got: Heard, settings: Settings, models: tuple[KnownModel, ...], notes: Notes) -> None:
    if settings.base_url is not None:
        listed = f", models listed: {len(models)}" if models else ", no list of models"
        notes.passed("endpoint", f"{read_base_url(settings.base_url).shown} answers{listed}")
    reported = got.answer.model
    if reported is not None and reported != settings.model and settings.base_url is not None:
        notes.passed("model", f"{settings.model} is served, and names itself {reported}")
    else:
        notes.passed("model", f"{settings.model} is served")


def note_key(settings: Settings, *, is_set: bool, notes: Notes) -> None:
    """Note that a key was accepted, or that none was needed."""
    if is_set:
        notes.passed("api key", f"that of {settings.api_key_env} is accepted, or none is needed")
    else:
        notes.passed("api key", f"none is needed ({settings.api_key_env} is not set)")


async def _explain(
    fault: Fault,
    look: LookUps | None,
    models: tuple[KnownModel, ...],
    settings: Settings,
    plan: Plan,
    notes: Notes,
) -> None:
    """Note why there is no answer, and the way out."""
    if fault.status in (401, 403):
        notes.fail(
            "api key",
            fault.message,
            f"put the endpoint's key into the environment variable {settings.api_key_env}, or name another one with "
            "--api-key-env",
        )
    elif models and settings.model not in [model.id for model in models]:
        near = get_close_matches(settings.model, [model.id for model in models], n=_SHOWN_MODELS, cutoff=0.3)
        names = ", ".join(near or [model.id for model in models[:_SHOWN_MODELS]])
        notes.fail(
            "model", f"{settings.model} is none of {len(models)} listed: {fault.message}", f"use one of: {names}"
        )
    elif settings.api == "chat" and _RESPONSES.search(fault.message):
        notes.fail("endpoint", fault.message, "ask through the Responses API, with --api responses")
    elif fault.advice:
        notes.fail("endpoint", fault.message, fault.advice)
    elif fault.kind is FaultKind.MALFORMED or fault.status in (404, 405, 410):
        other = None if look is None else await look.other_base()
        remedy = "check the path of --base-url, most end in /v1, and the model's name"
        notes.fail("endpoint", fault.message, remedy if other is None else f"try --base-url {other}")
    else:
        sent = one_line(beside_temperature(plan.decoding))
        words = f"{_ITS_WORDS}; beside the prompt it was sent {sent}" if sent else _ITS_WORDS
        notes.fail("endpoint", fault.message, remedy_for(fault, words))


_ITS_WORDS = "read the endpoint's own words"


def remedy_for(fault: Fault, otherwise: str = _ITS_WORDS) -> str:
    """Return what to do about a fault that is not of the prompt."""
    if fault.advice:
        return fault.advice
    if fault.passing and fault.kind is FaultKind.SERVER:
        return "the endpoint is down or overloaded: wait, then check again"
    return _REMEDIES.get(fault.kind, otherwise)


_RESPONSES = re.compile(r"v1/responses|\bresponses (?:api|endpoint)", re.IGNORECASE)
_REMEDIES = {
    FaultKind.CONNECTION: "start the server, and check host and port of --base-url",
    FaultKind.TIMEOUT: "wait until the model is loaded, or give more time with --timeout",
    FaultKind.RATE_LIMIT: "wait, then run with --requests-per-minute",
    FaultKind.QUOTA: "add credit at the endpoint",
    FaultKind.SERVER: "read the server's log; a chat template that cannot take these messages fails like this too",
    FaultKind.OVERFLOW: "give the server a larger context: it refuses even the first prompt of an episode",
}


def check_form(got: Heard, adaptations: tuple[str, ...], plan: Plan, notes: Notes) -> None:
    """Note how the token limit, the temperature, usage and reasoning come out.

    Args:
        got: The first reply.
        adaptations: How requests had to differ.
        plan: The plan.
        notes: Where findings go.
    """
    limit = next((each for each in adaptations if "max_tokens" in each), None)
    if estimate(got.answer.text) > 3 * FEW_TOKENS:
        notes.warn(
            "token limit",
            f"{FEW_TOKENS} new tokens were allowed, the reply has about {estimate(got.answer.text)}",
            "set the limit at the server: a run relies on it",
        )
    else:
        notes.passed("token limit", limit or "max_tokens is taken")
    left = next((each for each in adaptations if each.startswith(TEMPERATURE_LEFT)), None)
    if left is not None and plan.preset.temperature is not None:
        notes.warn("temperature", left, "nothing to do: it stands in the bundle as a deviation")
    elif left is not None or plan.decoding.temperature is None:
        notes.passed("temperature", left or "left to the server, as the protocol does")
    else:
        notes.passed("temperature", f"{plan.decoding.temperature:g} is taken")
    settings = beside_temperature(plan.decoding)
    if settings:
        notes.passed("settings of requests", f"{one_line(settings)}: refused by nothing")
    usage = got.answer.usage
    if usage.tokens_in is None or usage.tokens_out is None:
        notes.warn("usage", "not reported", "tokens and cost will be estimated; --max-cost goes by the estimate")
    else:
        cached = "" if usage.tokens_cached is None else ", and what its prompt cache served"
        notes.passed("usage", f"tokens are reported{cached}")


def check_reasoning(asker: Questioner, notes: Notes) -> None:
    """Note where reasoning stands in the replies so far, and whether answers stand beside it."""
    apart = [heard for heard in asker.heard if heard.apart]
    leaks = [found for found in (leak(heard.answer.text) for heard in asker.heard) if found is not None]
    mute = [heard for heard in apart if not heard.answer.text.strip() and heard.answer.finish != "length"]
    if mute:
        notes.fail(
            "reasoning",
            f"{len(mute)} of {len(asker.heard)} replies have reasoning and no answer beside it",
            "have the server put the answer into `content`: its reasoning parser may take all of it",
        )
    elif apart:
        notes.passed("reasoning", "comes apart from the reply; it is not read, its tokens count")
    elif not leaks:
        notes.passed("reasoning", "none is seen")
    for leaked in sorted(set(leaks)):
        notes.warn(
            "reply text",
            f"{leaked.value} in the text of {leaks.count(leaked)} of {len(asker.heard)} replies; what is marked as "
            "thinking, or comes after the turn's end, is left out when the answer is read",
            LEAK_ADVICE[leaked],
        )


def check_speed(asker: Questioner, notes: Notes) -> None:
    """Note how fast replies come."""
    if not asker.heard:
        return
    seconds = [heard.seconds for heard in asker.heard]
    paces = [
        heard.tokens_out / heard.seconds
        for heard in asker.heard
        if heard.tokens_out >= _TELLING_TOKENS and heard.seconds > _TELLING_SECONDS
    ]
    fastest = f"; up to {max(paces):,.0f} new tokens a second" if paces else ""
    notes.passed("speed", f"replies take {min(seconds):.1f} to {max(seconds):.1f} s{fastest}")
