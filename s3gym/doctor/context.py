"""Checks of an endpoint's context: its size, the budgets that follow, and whether long prompts arrive whole."""

from __future__ import annotations

from typing import NamedTuple

from games.registry import game_named
from protocol.budgets import Budgets, budgets
from protocol.context import ContextOverflowError
from protocol.messages import tokens_of
from protocol.records import Endpoint
from runner.entry import Plan
from runner.findings import CUT_PERCENT
from runner.models.looking_up import Context, LookUps
from runner.models.model import FaultKind
from s3gym.doctor.asking import Fault, Heard, Questioner
from s3gym.doctor.endpoint import FEW_TOKENS, Known, remedy_for
from s3gym.doctor.findings import Notes
from s3gym.doctor.prompts import Opening
from s3gym.settings import Settings

LONG_TOKENS = 6_500
"""Estimated tokens of the long prompt: more than the smallest contexts that servers begin with by themselves."""
_LEAST_GROWTH = 0.4
"""Of the estimate of what a second prompt adds to the first; where the count grows by less, both were cut."""
_MOST_SHARE = 1.25
_LARGER = "a larger context: llama.cpp -c N, Ollama OLLAMA_CONTEXT_LENGTH=N, vLLM --max-model-len N"


async def check_context(
    asker: Questioner, look: LookUps | None, settings: Settings, plan: Plan, known: Known, notes: Notes
) -> Budgets:
    """Note the size of the context and what it leaves for prompts; return the budgets of a run.

    Args:
        asker: Who asks.
        look: Who looks up what the endpoint tells of itself.
        settings: The settings of the run.
        plan: Its plan.
        known: What is known of the endpoint.
        notes: Where findings go.
    """
    context = await _context(asker, look, settings, known)
    declared = settings.context_tokens
    if declared is not None and context is not None and context.tokens < declared:
        found = f"{declared:,} tokens are declared, the server has {context.tokens:,} ({context.source})"
        notes.fail("declared context", found, f"--context-tokens {context.tokens}")
    endpoint = Endpoint(kind="openai_chat", model=plan.model, context_tokens=context.tokens if context else None)
    try:
        room = budgets(plan.preset, endpoint)
    except ValueError as error:
        notes.fail("context", str(error), f"give the server {_LARGER}")
        return Budgets(1000, FEW_TOKENS)
    whole = f"prompts of up to {room.input_tokens:,} estimated tokens, replies of up to {room.output_tokens:,}"
    if context is None:
        notes.passed("context", f"its size is not told; {whole}, and history is cut when the endpoint refuses one")
    elif (room.input_tokens, room.output_tokens) == (plan.preset.input_tokens, plan.preset.output_tokens):
        notes.passed("context", f"{context.tokens:,} tokens ({context.source}): {whole}")
    else:
        notes.warn(
            "context",
            f"{context.tokens:,} tokens ({context.source}) leave room for {whole}; {plan.preset.id} allows "
            f"{plan.preset.input_tokens:,} and {plan.preset.output_tokens:,}",
            f"give the server {_LARGER}; or declare it (--context-tokens {context.tokens})",
        )
    return room


async def _context(asker: Questioner, look: LookUps | None, settings: Settings, known: Known) -> Context | None:
    own = asker.model.endpoint.context_tokens
    # What a server has loaded counts before what its list of models says that the model could take.
    loaded = None if look is None else await look.context(settings.model)
    if loaded is None and look is not None:
        listed = {model.id: model.context for model in known.models}.get(settings.model)
        loaded = None if listed is None else Context(listed, "list of models")
    if own is None or (loaded is not None and loaded.tokens < own):
        return loaded
    return Context(own, "the packaged model" if look is None else "as declared")


async def check_long_prompts(asker: Questioner, plan: Plan, room: Budgets, known: Known, notes: Notes) -> None:
    """Note whether a long prompt arrives whole, whether an answer in it is taken, and what a prompt cache serves."""
    size = min(room.input_tokens, LONG_TOKENS)
    try:
        opening = _opening(plan, size, known)
    except ContextOverflowError as error:
        notes.fail("long prompt", str(error), f"give the server {_LARGER}")
        return
    first = opening.context.messages()
    got = await asker.ask(first, FEW_TOKENS, opening.state, what=f"a prompt of about {tokens_of(first):,} tokens")
    if isinstance(got, Fault):
        _note_long_fault(got, tokens_of(first), notes)
        opening = Opening(game_named(plan.games[0]), plan, room.input_tokens, system_role=known.system_role)
    try:
        opening.follow()
    except ContextOverflowError as error:
        notes.fail("alternation", str(error), f"give the server {_LARGER}")
        return
    second = opening.context.messages()
    what = f"the prompt that follows on it, of about {tokens_of(second):,} tokens"
    followed = await asker.ask(second, FEW_TOKENS, opening.state, what=what)
    if isinstance(got, Heard):
        later = None if isinstance(followed, Fault) else _counted(followed)
        _note_length(_Lengths(tokens_of(first), _counted(got), tokens_of(second), later), notes)
    _note_alternation(followed, notes)
    if isinstance(got, Heard) and isinstance(followed, Heard):
        _note_cache(followed, notes)


def _opening(plan: Plan, size: int, known: Known) -> Opening:
    """Return an opening near this size that leaves room for a second step without cutting."""
    game = game_named(plan.games[0])
    bare = Opening(game, plan, size, system_role=known.system_role).context.tokens
    carried = max(0, size * 8 // 10 - bare)
    return Opening(game, plan, size, system_role=known.system_role, carried=carried)


def _note_long_fault(fault: Fault, tokens: int, notes: Notes) -> None:
    said = f"a prompt of about {tokens:,} tokens got none: {fault.message}"
    if fault.kind is FaultKind.OVERFLOW:
        notes.warn("long prompt", said, f"a run will cut its history to fit; give the server {_LARGER}")
    elif fault.kind is FaultKind.TIMEOUT:
        notes.fail("long prompt", said, "give more time with --timeout")
    elif fault.may_be_form:
        notes.fail("long prompt", said, f"read the server's log, and give it {_LARGER}")
    else:
        notes.fail("long prompt", said, remedy_for(fault))


class _Lengths(NamedTuple):
    """What a long prompt, and one that goes on from it, are estimated at and counted as."""

    first: int
    first_counted: int | None
    second: int
    second_counted: int | None

    @property
    def cut(self) -> bool:
        """Return whether the server has cut them."""
        if self.first_counted is None:
            return False
        if self.first_counted * 100 < CUT_PERCENT * self.first:
            return True
        if self.second_counted is None:
            return False
        return self.second_counted - self.first_counted < _LEAST_GROWTH * (self.second - self.first)


def _counted(heard: Heard) -> int | None:
    """Return the tokens of a prompt as reported."""
    return heard.answer.usage.tokens_in


def _note_length(lengths: _Lengths, notes: Notes) -> None:
    tokens, counted = lengths.first, lengths.first_counted
    if counted is None:
        notes.warn(
            "long prompt",
            f"one of about {tokens:,} tokens is answered, but no count is reported",
            "look into the server's log whether it cuts long prompts: that would not be noticed",
        )
    elif lengths.cut:
        later = (
            "" if lengths.second_counted is None else f", and {lengths.second_counted:,} of about {lengths.second:,}"
        )
        notes.fail(
            "long prompt",
            f"of about {tokens:,} tokens the server counts {counted:,}{later}: it cuts long prompts, rules included",
            f"give the server {_LARGER}",
        )
    elif counted > _MOST_SHARE * tokens:
        notes.warn(
            "long prompt",
            f"of about {tokens:,} tokens the server counts {counted:,}, more than the estimate allows for",
            "full prompts may not fit the context; history is then cut when the endpoint refuses one",
        )
    else:
        notes.passed("long prompt", f"arrives whole: {counted:,} tokens counted, about {tokens:,} estimated")


def _note_alternation(got: Heard | Fault, notes: Notes) -> None:
    if isinstance(got, Heard):
        notes.passed("alternation", "earlier answers of the model are taken between the user's messages")
    else:
        template = "check the server's chat template: it has to take user and assistant messages in turn"
        notes.fail("alternation", got.message, template if got.may_be_form else remedy_for(got))


def _note_cache(got: Heard, notes: Notes) -> None:
    usage = got.answer.usage
    if usage.tokens_in and usage.tokens_cached is not None:
        share = usage.tokens_cached / usage.tokens_in
        notes.passed("prompt cache", f"serves {share:.0%} of a prompt that goes on from the one before")
    else:
        notes.passed("prompt cache", "nothing is reported of one")
