"""The examination from the first check to the last."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from runner.entry import Plan
from runner.models.base_url import read_base_url
from runner.models.model import Model
from runner.models.surroundings import set_aside, unusable
from runner.prices import Prices
from s3gym.doctor.asking import Questioner, Spent, unheard
from s3gym.doctor.findings import Finding, Notes, Report
from s3gym.doctor.machine import check_machine, check_software
from s3gym.extras import set_in_environment
from s3gym.opening import OURS, access_of, open_model
from s3gym.preparing import plan_of, prices_of
from s3gym.settings import Settings


class Orders(NamedTuple):
    """What is to be examined."""

    settings: Settings
    registry: Path
    """The folder of registered keys."""
    samples: bool
    waiting: Callable[[str, float], None] = unheard
    """Called with what is waited for, and since how many seconds, where it may take long."""


async def examine(orders: Orders, told: Callable[[Finding], None]) -> Report:
    """Return all that was found.

    Args:
        orders: What is to be examined.
        told: Called with every finding as it is made.
    """
    settings = orders.settings
    notes = Notes(secrets_of(settings), told)
    spent, prices = Spent(0, 0, 0, 0), None
    plan = _plan(settings, notes)
    if plan is None:
        check_software(settings, notes)
    else:
        check_machine(settings, plan, orders.registry, notes)
        prices = _prices(settings, notes)
        spent = await _examine_model(orders, plan, notes)
    cost = None if prices is None else prices.cost(spent.tokens_in, spent.tokens_cached, spent.tokens_out)
    return Report(
        passed=not notes.failed,
        findings=tuple(notes.findings),
        samples=tuple(notes.samples),
        requests=spent.requests,
        tokens_in=spent.tokens_in,
        tokens_out=spent.tokens_out,
        cost=None if cost is None else round(cost, 6),
        currency=None if prices is None else prices.currency,
    )


def secrets_of(settings: Settings) -> tuple[str, ...]:
    """Return what must never be shown: the API key, what the base URL holds of secrets, headers kept in variables."""
    key = os.environ.get(settings.api_key_env, "").strip()
    try:
        secrets = read_base_url(settings.base_url).secrets if settings.base_url else ()
    except ValueError:
        secrets = ()
    return (*([key] if key else []), *secrets, *set_in_environment(settings.extra_headers))


def _plan(settings: Settings, notes: Notes) -> Plan | None:
    try:
        plan = plan_of(settings)
    except (ValueError, OSError) as error:
        notes.fail("settings", str(error), "see s3gym run --help, or s3gym run --print-config")
        return None
    games = ", ".join(plan.games)
    notes.passed("settings", f"{plan.entry}: {plan.preset.id}, {plan.pathway}, {games}")
    return plan


def _prices(settings: Settings, notes: Notes) -> Prices | None:
    try:
        prices = prices_of(settings)
    except (ValueError, OSError) as error:
        notes.fail("prices", str(error), "see docs/how-to/control-cost.md")
        return None
    if prices is not None:
        notes.passed("prices", f"{settings.prices} has {settings.model}, in {prices.currency}")
    elif settings.max_cost is not None:
        notes.fail("prices", "--max-cost is set, but no prices are", "give a table with --prices")
    return prices


async def _examine_model(orders: Orders, plan: Plan, notes: Notes) -> Spent:
    settings, bodies = orders.settings, list[str]()
    found = (
        unusable(read_base_url(settings.base_url)) if settings.base_url and not settings.model.startswith(OURS) else ()
    )
    for each in found:
        notes.fail("environment", f"{each.variable}: {each.found}; the rest is checked without it", each.remedy)
    with set_aside([each.variable for each in found]):
        try:
            model = open_model(settings.model, access_of(settings), plan.decoding, bodies.append)
        except (ValueError, ModuleNotFoundError) as error:
            notes.fail("model", str(error), "see s3gym run --help")
            return Spent(0, 0, 0, 0)
        asker = Questioner(model, bodies, settings.requests_per_minute, orders.waiting)
        try:
            await _question(orders, plan, asker, model, notes)
        finally:
            await model.close()
    return asker.spent


async def _question(orders: Orders, plan: Plan, asker: Questioner, model: Model, notes: Notes) -> None:
    # These import the client of endpoints, which an installation without extras does not have.
    from runner.models.looking_up import LookUps
    from s3gym.doctor.context import check_context, check_long_prompts
    from s3gym.doctor.endpoint import check_answers, check_form, check_reasoning, check_speed, note_key
    from s3gym.doctor.samples import take_samples

    settings = orders.settings
    at_endpoint = not settings.model.startswith(OURS)
    key = os.environ.get(settings.api_key_env, "").strip()
    look = None
    if at_endpoint and settings.base_url:
        header = settings.api_key_header
        look = LookUps(settings.base_url, key, api_key_header=header, timeout=settings.timeout)
    try:
        known = await check_answers(asker, look, settings, plan, notes)
        if known is None:
            return
        if look is not None:
            note_key(settings, is_set=bool(key), notes=notes)
        check_form(known.first, model.adaptations, plan, notes)
        room = await check_context(asker, look, settings, plan, known, notes)
        await check_long_prompts(asker, plan, room, known, notes)
        if orders.samples:
            await take_samples(
                asker, plan, room, system_role=known.system_role, concurrency=settings.concurrency, notes=notes
            )
        check_reasoning(asker, notes)
        check_speed(asker, notes)
    finally:
        if look is not None:
            await look.close()
