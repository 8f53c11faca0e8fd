"""Whatever happens while an entry is played, the bundle that the runner writes is accepted."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.registry import GAMES
from protocol.context import Pathway, SummaryMode
from protocol.decoding import decoding_at
from protocol.preset import Preset, preset_named
from protocol.signing import team_key, write_team_key
from runner.entry import Plan, play_entry
from runner.models.model import Answer, FaultKind, Usage
from runner.retry import Asker, PauseRunError, RetryPolicy
from runner.together import Seats
from scoring.crew import Workers
from scoring.registry import Registry
from scoring.score import measure, score
from scoring.verified import VerifiedBundle
from scoring.verify import verify
from tests.bundles import KEY, TEAM, Unwatched
from tests.runner.scripted import Event, Scripted

FAULTS = (FaultKind.TIMEOUT, FaultKind.SERVER, FaultKind.OVERFLOW, FaultKind.MALFORMED, FaultKind.FILTERED)
TEXTS = st.one_of(
    st.sampled_from(
        [
            "",
            " \n",
            "<think>Hm.</think>",
            "Answer: END, Score: 0",
            "Answer: UP, Score: -0",
            "Answer: (0,0) reveal, Score: 1e300",
            "Answer: \u202eUP\u2066, Score: 50%",
            "Answer: UP\x00\x1b[2J, Score: 1/3",
            "Tips:\n" + "- Look.\n" * 2_000,
            "word " * 4_000 + "\nAnswer: UP, Score: 1",
            "no answer at all",
        ]
    ),
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60),
)
ANSWERS = st.builds(
    Answer,
    text=TEXTS,
    finish=st.sampled_from(("stop", "length", "content_filter", "other")),
    usage=st.builds(
        Usage,
        tokens_in=st.none() | st.integers(0, 10_000),
        tokens_out=st.none() | st.integers(0, 10_000),
        tokens_cached=st.none() | st.integers(0, 10_000),
    ),
    model=st.none() | st.just("\u202emodel"),
)
EVENTS = st.dictionaries(st.integers(1, 50), st.sampled_from(FAULTS) | ANSWERS, max_size=30)


@st.composite
def presets(draw: st.DrawFn) -> Preset:
    """Return a small protocol: few episodes and steps, and budgets that make histories cut and prompts overflow."""
    cycle = draw(st.integers(1, 3))
    return preset_named("pocket-1").model_copy(
        update={
            "id": "drawn-1",
            "round": draw(st.sampled_from(("drawn-1", "drawn-2"))),
            "explore_per_cycle": cycle,
            "explore_episodes": cycle * draw(st.integers(1, 3)),
            "strict_episodes": draw(st.integers(1, 2)),
            "baseline_repeats": draw(st.integers(1, 2)),
            "max_steps": draw(st.integers(3, 5)),
            "input_tokens": draw(st.sampled_from((1_000, 1_500, 2_000, 3_500, 6_500))),
            "memory_percent": draw(st.sampled_from((1, 25))),
            "cut_percent": draw(st.sampled_from((1, 50, 80, 100))),
        }
    )


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    preset = draw(presets())
    pathway: Pathway = draw(st.sampled_from(("history", "summary")))
    mode: SummaryMode = draw(st.sampled_from(("rebuild", "recursive")))
    games = draw(st.lists(st.sampled_from([game.id for game in GAMES]), min_size=1, max_size=2, unique=True))
    return Plan(
        entry="drawn",
        team=TEAM,
        model="builtin:greedy",
        preset=preset,
        games=tuple(games),
        pathway=pathway,
        summary_mode=mode,
        system_role=draw(st.sampled_from((None, True, False))),
        decoding=decoding_at(draw(st.sampled_from((None, 0.0, 0.7)))),
    )


async def _at_once(seconds: float) -> None:
    """Wait for nothing."""


def played(
    plan: Plan, events: Mapping[int, Event], folder: Path, seats: int = 1, attempts: int = 1, *, silent: bool = False
) -> Path:
    """Play an entry, going on with it after every pause; a silent endpoint reports no usage."""
    policy = RetryPolicy(attempts=attempts, repeats=attempts - 1, failures_in_a_row=1_000, empties_in_a_row=1_000)
    model = Scripted(events, silent=silent)

    async def play() -> Path:
        return (await play_entry(plan, model, folder, KEY, Unwatched(), _asker(policy), seats=Seats(seats))).bundle

    for _ in range(10):
        try:
            return asyncio.run(play())
        except PauseRunError:
            continue
    raise AssertionError("the run paused ten times")


def _asker(policy: RetryPolicy) -> Asker:
    return Asker(policy, sleep=_at_once)


def verified(folder: Path, bundle: Path, preset: Preset) -> VerifiedBundle:
    """Verify a bundle, keeping the whole texts of its replies and not, which must come to the same."""
    keys = folder / "keys"
    keys.mkdir()
    (keys / f"{TEAM}.json").write_bytes(write_team_key(team_key(TEAM, KEY)))
    whole = verify(bundle, Registry(keys), lambda _: preset)
    short = verify(bundle, Registry(keys), lambda _: preset, whole_replies=False)
    assert measure(short) == measure(whole)
    return whole


@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(plans(), EVENTS, st.sampled_from((1, 2, 5)), st.sampled_from((1, 1, 2)), st.booleans())
def test_an_honest_bundle_is_accepted_whatever_happened(
    plan: Plan, events: Mapping[int, Event], seats: int, attempts: int, silent: bool
) -> None:
    with TemporaryDirectory() as place:
        folder = Path(place)
        bundle = played(plan, events, folder / "run", seats, attempts, silent=silent)
        found = verified(folder, bundle, plan.preset)
        assert found.report.verdict == "accepted"
        assert [run.game.id for run in found.runs] == list(plan.games)
        assert score([found]).to_json()


@pytest.mark.parametrize("silent", [False, True])
@pytest.mark.parametrize("pathway", ["history", "summary"])
def test_all_seven_games_at_once_are_accepted_by_workers_too(tmp_path: Path, pathway: Pathway, silent: bool) -> None:
    preset = preset_named("smoke-1")
    plan = Plan(
        "all", TEAM, "builtin:greedy", preset, tuple(game.id for game in GAMES), pathway, decoding=decoding_at(0.0)
    )
    bundle = played(plan, {}, tmp_path / "run", 3, silent=silent)
    found = verified(tmp_path, bundle, preset)
    assert found == verify(bundle, Registry(tmp_path / "keys"), crew=Workers(2))
    assert len(found.runs) == 7
