"""``s3gym run``."""

from __future__ import annotations

from typing import Annotated

import typer

from s3gym.flags import ConfigFile, takes_settings
from s3gym.output import err, plain, plain_errors, write_json


@takes_settings
def run(
    *,
    config: ConfigFile = None,
    print_config: Annotated[
        bool, typer.Option("--print-config", help="Print the settings that would be used, as TOML; play nothing.")
    ] = False,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Print requests, tokens, time and price; send nothing, play nothing.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Begin a run of over 1,000 requests without a question (scripts).")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
    **flags: object,
) -> None:
    """Play an entry and write its signed bundle; run the same command again to go on after any interruption.

    Every request is journaled before it is sent, so nothing paid for is lost or asked twice. Exit code 3 means
    paused: the endpoint cannot answer now, nothing is scored, and the same command goes on.

    Before the first step it says whether the rows will be comparable, and why not. Before a run that may send over
    1,000 requests it says what that takes and asks; where nobody can be asked, it needs --yes and sends nothing
    without it. A run that goes on is not asked about again.

    [bold]Examples[/]

    s3gym run --model builtin:greedy --protocol smoke-1 --key keys/team.key

    s3gym run --model my-model --base-url http://localhost:8000/v1 --protocol pocket-1 --pathway summary

    s3gym run --config run.toml --pathway summary
    """
    from runner.ledger import Ledger
    from s3gym.agreeing import estimated
    from s3gym.configuring import read_settings
    from s3gym.finishing import finished_json, show_finished
    from s3gym.playing import play_settings
    from s3gym.preparing import effective_toml, plan_of, prices_of
    from s3gym.spending import show_estimate, spent_line, write_estimate

    with plain_errors():
        settings = read_settings(config, flags)
        plan = plan_of(settings)
        if print_config:
            write_json(effective_toml(settings, plan))
            return
        prices = prices_of(settings)
        if estimate:
            (write_estimate if as_json else show_estimate)(estimated(plan, settings, prices))
            return
        ledger = Ledger(prices, max_requests=settings.max_requests, max_cost=settings.max_cost)
        finished = play_settings(settings, plan, ledger, yes=yes)
    err().print(f"Took {plain(spent_line(ledger))}.")
    if as_json:
        write_json(finished_json(plan, finished))
    else:
        show_finished(plan, finished, settings)
