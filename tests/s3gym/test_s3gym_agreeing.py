"""Comparable or not, cost and time: said before the first step and at the end, and asked before a long run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.runner.faults import Received, Reply, ScriptedServer, error
from tests.s3gym.endpoint import Manners, played
from tests.s3gym.face import Face, refused
from tests.s3gym.terminal import sit

NO = (
    "Comparable: no, it departs from the protocol: temperature: the protocol fixes 0, sent the server's default. "
    "The row is marked, not ranked with those of"
)
ADAPTED = "Adapted to the endpoint: temperature left to the server, which refuses 0."
SHORT = ("--protocol", "pocket-1", "--game", "trust")
"""At most 27 episodes of 12 steps."""
LONG = ("--protocol", "pocket-1")
"""27 episodes of at most 12 steps in seven games."""


def picky(request: Received) -> Reply:
    """Play, unless a temperature is sent."""
    if "temperature" in request.body:
        return error(400, "Unsupported value: 'temperature' does not support 0 with this model.")
    return played(request)


def command(server: ScriptedServer, *more: str) -> list[str]:
    """Return the command of a run at an endpoint."""
    return ["run", "--model", "m", "--base-url", f"{server.url}", "--key", "keys/red.key", "--entry", "e", *more]


@pytest.fixture(autouse=True)
def _key(face: Face) -> None:
    face("keygen", "red", "--registry", "board/keys")


def test_a_refused_temperature_is_told_before_the_first_step_and_at_the_end_as_the_scorer_says_it(face: Face) -> None:
    with Manners(chat=picky).serve() as server:
        result = face(*command(server, *SHORT))
    assert result.exit_code == 0, result.output
    for said in (result.stderr[: result.stderr.index("strict x=0")], result.stdout):
        assert ADAPTED in said
        assert f"{NO} pocket-1, history." in said
    scored = json.loads(face("score", "runs/e/bundle", "--keys", "board/keys", "--json").stdout)
    ((run,),) = [entry["runs"] for entry in scored["entries"]]
    assert f"Comparable: no, {run['reason']}." in result.stdout


def test_a_row_that_departs_from_nothing_is_told_so(face: Face) -> None:
    with Manners().serve() as server:
        result = face(*command(server, *SHORT))
    first = result.stderr[: result.stderr.index("strict x=0")]
    assert "Comparable: yes, ranked with the rows of pocket-1, history, if its replies" in first
    assert "Outside the main table: incomplete: 1 of 7 games" in first
    assert "anyone with this release can verify it" in first
    assert "Comparable: yes, ranked with the rows of pocket-1, history." in result.stdout


def test_a_temperature_of_ones_own_and_a_small_context_are_told_before_anything_is_played(face: Face) -> None:
    with Manners().serve() as server:
        result = face(
            *command(server, *SHORT, "--temperature", "1", "--context-tokens", "6000", "--no-system-role", "--json")
        )
    first = result.stderr[: result.stderr.index("strict x=0")]
    assert "the protocol fixes 0, sent 1" in first
    assert "Marks on the row: input budget" in first
    assert "no system role" in first
    (game,) = json.loads(result.stdout)["games"]
    assert game["comparable"] is False
    assert "the protocol fixes 0, sent 1" in game["reason"]


def test_what_is_learned_of_the_endpoint_in_the_first_step_is_told_there(face: Face) -> None:
    with Manners(chat=picky).serve() as server:
        result = face(*command(server, *SHORT, "--system-role"))
    assert "warning: adapted to the endpoint: temperature left to the server" in result.stderr


def test_a_long_run_needs_yes_where_nobody_can_be_asked_and_sends_nothing_without_it(face: Face) -> None:
    with Manners().serve() as server:
        refused(face(*command(server, *LONG)), 2, "--yes", "at most 2,025", "a reply, 1 episode at once", "--estimate")
        assert server.received == []
    assert not Path("runs").exists()


def test_yes_begins_a_long_run_and_going_on_needs_none(face: Face) -> None:
    with Manners(chat=picky).serve() as server:
        first = face(*command(server, *LONG, "--yes", "--max-requests", "9"))
        assert first.exit_code == 3, first.output
        assert "This takes about" in first.stderr
        assert "from a small prompt" in first.stderr
        assert first.stderr.index(NO) < first.stderr.index("This takes about")
        again = face(*command(server, *LONG, "--max-requests", "12"))
        assert again.exit_code == 3, again.output
        assert "This takes about" not in again.stderr
        assert NO in again.stderr


def test_a_short_run_and_a_builtin_player_are_not_asked_about(face: Face) -> None:
    paused = face(
        *["run", "--model", "builtin:idle", "--protocol", "paper-1", "--key", "keys/red.key"], "--max-requests", "3"
    )
    assert paused.exit_code == 3, paused.output
    assert "This takes about" not in paused.output


@pytest.mark.parametrize(
    ("typed", "code", "words"), [("n\n", 130, "not begun"), ("\n", 130, "not begun"), ("y\n", 3, "")]
)
def test_a_person_is_asked_after_the_verdict_and_the_estimate(face: Face, typed: str, code: int, words: str) -> None:
    with Manners(chat=picky).serve() as server:
        sitting = sit(command(server, *LONG, "--max-requests", "9"), [typed], prompt="Begin? [y/N] ")
        games = [each for each in server.received if "Reply with the word" not in str(each.body)]
    assert sitting.code == code, sitting.screen
    assert words in sitting.screen
    asked = sitting.screen.index("Begin? [y/N]")
    assert sitting.screen.index("Comparable: no") < sitting.screen.index("This takes about") < asked
    assert bool(games) is (typed == "y\n")


def test_an_estimate_fits_80_columns_and_tells_the_time(face: Face) -> None:
    Path("prices.toml").write_text('["m"]\ninput = 2.5\ncached_input = 0.25\noutput = 10\n')
    arguments = ["run", "--model", "m", "--base-url", "http://127.0.0.1:9", *LONG, "--estimate"]
    arguments += ["--prices", "prices.toml", "--assume-reply-seconds", "12"]
    shown = face(*arguments).stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert "Time: 12 s a reply, 1 episode at once." in shown
    total = json.loads(face(*arguments, "--json").stdout)["total"]
    # One after the other, each takes 12 seconds.
    assert total["seconds"] == 12 * total["requests"]
    paced = json.loads(face(*arguments, "--json", "--concurrency", "7", "--requests-per-minute", "3").stdout)["total"]
    assert paced["seconds"] == 20 * total["requests"]
